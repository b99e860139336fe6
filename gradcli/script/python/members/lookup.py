"""The attributes of objects of a snippet, and of gradcli's classes, which show only the names in their tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradcli.script.python.values.kinds import Defined, Facade
from gradcli.script.python.values.special import DEFINABLE, LISTED, OPEN, READABLE

ABSENT = object()
NOTHING: dict[str, Any] = {}
NAMED = DEFINABLE | LISTED | OPEN | READABLE


_tables: dict[type, dict[str, Any]] = {}
_whole: dict[type, dict[str, Any]] = {}


def shown_members(kind: type) -> dict[str, Any]:
    """Return the table of a class of ours, made once: each name with the function, property or value behind it.

    A class of Python's above it shows some special names alone.
    """
    is_ours = issubclass(kind, Facade)
    _tables[kind] = {
        name: member for name, member in vars(kind).items() if name in NAMED or (is_ours and name[:1] != "_")
    }
    return _tables[kind]


def member_of(above: Iterable[type], name: str) -> Any:
    """Return the member of that name in the first of these classes that has one; snippet classes have all of theirs."""
    for kind in above:
        members: Any = _tables.get(kind)
        if members is None:
            members = kind.__dict__ if isinstance(kind, Defined) else shown_members(kind)
        if name in members:
            return members[name]
    return ABSENT


def is_first(kind: type) -> bool:
    """Whether members of a class of this kind, such as properties, come before what the object itself holds."""
    return hasattr(kind, "__set__") or hasattr(kind, "__delete__")


def bind_member(member: Any, value: Any, kind: Any) -> Any:
    """Return a member of a class as an object, or for None the class itself, has it."""
    get = getattr(type(member), "__get__", None)
    return member if get is None else get(member, value, kind)


def in_class(kind: type, name: str, meta: type | None = None) -> Any:
    """Return a member of a class as the class has it, or what classes of its kind have: `len` of an enumeration."""
    member = member_of(kind.__mro__, name)
    if member is not ABSENT:
        return bind_member(member, None, kind)
    member = ABSENT if meta is None else member_of(type.mro(meta), name)
    if member is ABSENT:
        raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}")
    return bind_member(member, kind, meta)


def table_of(kind: type) -> dict[str, Any]:
    """Return the table of a class of ours with those of the classes above it, made once."""
    _whole[kind] = {name: member for base in reversed(kind.__mro__) for name, member in shown_members(base).items()}
    return _whole[kind]


def read(value: Any, name: str) -> Any:
    """Return an attribute of an object: a property of its classes, its own, or another member of its classes."""
    kind, attributes = type(value), getattr(value, "__dict__", NOTHING)
    if isinstance(kind, Defined):
        member, otherwise = (member_of(kind.__mro__, member_name) for member_name in (name, "__getattr__"))
    else:
        table = _whole.get(kind) or table_of(kind)
        member, otherwise = table.get(name, ABSENT), table.get("__getattr__", ABSENT)
    if name in attributes and (member is ABSENT or not is_first(type(member))):
        return attributes[name]
    if member is not ABSENT:
        try:
            return bind_member(member, value, kind)
        except AttributeError:
            if otherwise is ABSENT:
                raise
    if otherwise is ABSENT:
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=value)
    return bind_member(otherwise, value, kind)(name)


def has(kind: type, name: str) -> bool:
    """Whether Python's own class has a name, for the words of a message."""
    return any(name in vars(base) for base in kind.__mro__)
