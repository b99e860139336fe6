"""The attributes of objects of a snippet and of ours: a class of ours shows the names in its table, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from gradcli.script.python.values.kinds import Defined, Facade
from gradcli.script.python.values.special import DEFINABLE, LISTED, OPEN, READABLE

ABSENT = object()
NAMED = DEFINABLE | LISTED | OPEN | READABLE


@cache
def shown(kind: type) -> dict[str, Any]:
    """Return the table of a class of ours, made once: each name with the function, property or value behind it.

    A class of Python's above it shows some special names alone.
    """
    is_ours = issubclass(kind, Facade)
    return {name: member for name, member in vars(kind).items() if name in NAMED or (is_ours and name[:1] != "_")}


def member_of(above: Iterable[type], name: str) -> Any:
    """Return what stands for a name in the first of these classes that has it: a class of a snippet has all its own."""
    for kind in above:
        members: Any = vars(kind) if isinstance(kind, Defined) else shown(kind)
        if name in members:
            return members[name]
    return ABSENT


def bound(member: Any, value: Any, kind: Any) -> Any:
    """Return a member of a class as an object, or for None the class itself, has it."""
    get = getattr(type(member), "__get__", None)
    return member if get is None else get(member, value, kind)


def in_class(kind: type, name: str, meta: type | None = None) -> Any:
    """Return a member of a class as the class has it, or what classes of its kind have: `len` of an enumeration."""
    member = member_of(kind.__mro__, name)
    if member is not ABSENT:
        return bound(member, None, kind)
    member = ABSENT if meta is None else member_of(type.mro(meta), name)
    if member is ABSENT:
        raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")
    return bound(member, kind, meta)


def read(value: Any, name: str) -> Any:
    """Return an attribute of an object: a property of its classes, its own, or another member of its classes."""
    kind = type(value)
    member = member_of(kind.__mro__, name)
    try:
        if not (hasattr(type(member), "__set__") or hasattr(type(member), "__delete__")):
            own = getattr(value, "__dict__", {})
            if name in own:
                return own[name]
        if member is not ABSENT:
            return bound(member, value, kind)
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=value)
    except AttributeError:
        otherwise = member_of(kind.__mro__, "__getattr__")
        if otherwise is ABSENT:
            raise
        return bound(otherwise, value, kind)(name)


def has(kind: type, name: str) -> bool:
    """Whether Python's own class has a name, for the words of a message."""
    return any(name in vars(base) for base in kind.__mro__)
