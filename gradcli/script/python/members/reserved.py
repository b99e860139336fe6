"""The private names of our own classes, which classes of a snippet that derive from them neither read nor set."""

from __future__ import annotations

import re
from abc import ABCMeta
from collections.abc import Iterable, Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.kinds import Defined, Facade

OVERRIDABLE = frozenset(  # what torch lets classes define anew
    ("_get_name", "_load_from_state_dict", "_save_to_state_dict", "_version", "_get_closed_form_lr")
)
ABSTRACT = "_abc_impl"  # where Python keeps what an abstract class is
TAKEN = " taken"  # where a class of a snippet has them: no assignment reaches this name
PRIVATE = re.compile(r"_[A-Za-z]\w*(?<!_)")


@cache
def reserved_names(kind: type) -> frozenset[str]:
    """Return the private names in the code of a class of ours, and in the constants that this code names."""
    names: set[str] = set()
    for base in kind.__mro__:
        if issubclass(base, Facade) and not isinstance(base, Defined):
            names |= {word for word in (*vars(base), *vars(base).get("__beyond__", ())) if PRIVATE.fullmatch(word)}
            for function in map(_function, vars(base).values()):
                if function is not None:
                    names.update(_names(function))
    return frozenset(names) - OVERRIDABLE


def _function(member: Any) -> FunctionType | None:
    function = getattr(member, "fget", None) or getattr(member, "__func__", member)
    return function if isinstance(function, FunctionType) else None


def _names(function: FunctionType) -> Iterator[str]:
    codes: list[Any] = [function.__code__]
    while codes:
        constant = codes.pop()
        if isinstance(constant, CodeType):
            constants = map(function.__globals__.get, constant.co_names)
            codes += [*constant.co_consts, *(value for value in constants if isinstance(value, str | tuple))]
            yield from filter(PRIVATE.fullmatch, constant.co_names)
        elif isinstance(constant, tuple | frozenset):
            codes += constant
        elif isinstance(constant, str):
            yield from filter(PRIVATE.fullmatch, constant.split())


def is_ours(kind: type) -> bool:
    return issubclass(kind, Facade) and not isinstance(kind, Defined)


def reserved_in(kind: type) -> frozenset[str]:
    """Return the names that the classes of ours use for themselves which a class derives from."""
    owner, names = getattr(kind, TAKEN, (None, frozenset()))
    if owner is kind:  # no class above it
        return names
    if not isinstance(kind, Defined):
        return reserved_names(kind)
    names = frozenset(name for base in kind.__mro__ if is_ours(base) for name in reserved_names(base))
    if isinstance(kind, ABCMeta):
        names |= {ABSTRACT}
    type.__setattr__(kind, TAKEN, (kind, names))
    return names


def is_reserved(kind: type, name: str) -> bool:
    """Whether one of our classes that a class derives from uses a name for itself."""
    return name[:1] == "_" and name in reserved_in(kind)


def check_free(kind: type, name: str) -> None:
    """Refuse to set an attribute of an object that a class of ours keeps for itself."""
    if name[:1] == "_" and name in reserved_in(kind):
        raise _taken(name, kind.__mro__)


def check_free_in_class(kind: Any, name: str) -> None:
    """Refuse to set an attribute of a class that a class of ours, above it or a class below it, keeps for itself."""
    waiting: list[Any] = [kind]
    while waiting:
        subclass = waiting.pop()
        check_free(subclass, name)
        waiting += type.__subclasses__(subclass)


def check_class(bases: Iterable[type], names: Iterable[str]) -> None:
    """Refuse a class with attributes, own or inherited, that a class of ours keeps for itself."""
    above = list(dict.fromkeys(kind for base in bases for kind in base.__mro__))
    ours = list(filter(is_ours, above))
    check_owners(above)
    for kind in (None, *above):
        if kind is None or isinstance(kind, Defined):  # a class of the snippet was checked against those above it
            attributes = set(names if kind is None else vars(kind))
            for owner in ours:
                if attributes & reserved_names(owner) and (kind is None or owner not in kind.__mro__):
                    raise _taken(min(attributes & reserved_names(owner)), above)


def check_owners(above: Iterable[type]) -> None:
    """Refuse a class two of whose ancestors, neither above the other, each keep names: one would write the other's."""
    owners = [kind for kind in above if (is_ours(kind) and reserved_names(kind) - {ABSTRACT}) or kind is BaseException]
    lowest = [kind for kind in owners if not any(other is not kind and issubclass(other, kind) for other in owners)]
    if len(lowest) > 1:
        names = " and ".join(kind.__name__.replace("Base", "") for kind in lowest[:2])
        words = f"a class cannot derive from {names} at once here"
        raise UnsupportedError(words, python=TypeError, help="keep an object of one of them in an attribute")


def _taken(name: str, above: Iterable[type]) -> UnsupportedError:
    owner = next((kind for kind in above if is_ours(kind) and name in reserved_names(kind)), ABCMeta)
    words = f"{name} is a name that {owner.__name__} uses for itself here"
    return UnsupportedError(words, python=AttributeError, help="choose another name")
