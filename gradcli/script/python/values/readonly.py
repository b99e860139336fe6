"""Mappings that hide their dict: the attributes of an object, the members of an enumeration."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.nesting import hashable


class Held:
    """A look at a dict, whose operators hand out copies only.

    Python's own asks the other operand with the very dict that it protects: `vars(a) | Thief()`.
    """

    __slots__ = ("_held",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: dict[Any, Any]) -> None:
        self._held = held

    def __getitem__(self, key: Any) -> Any:
        return self._held[hashable(key)]

    def __contains__(self, key: object) -> bool:
        return hashable(key) in self._held

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._held)

    def __reversed__(self) -> Any:
        return reversed(self._held)

    def __eq__(self, other: object) -> Any:
        return self.copy() == plain_dict(other)

    def __or__(self, other: Any) -> Any:
        return self.copy() | plain_dict(other)

    def __ror__(self, other: Any) -> Any:
        return plain_dict(other) | self.copy()

    def copy(self) -> dict[Any, Any]:
        return dict(self._held)

    def get(self, key: Any, default: Any = None) -> Any:
        return self._held.get(hashable(key), default)

    def keys(self) -> Any:
        return self._held.keys()

    def values(self) -> Any:
        return self._held.values()

    def items(self) -> Any:
        return self._held.items()


class ReadOnly(Held):
    """`types.MappingProxyType`."""

    __slots__ = ()


class Ordered(ReadOnly):
    """A look at an OrderedDict, which it is written as."""

    __slots__ = ()


class Attributes(Held):
    """`x.__dict__`, through which the attributes of an object of the snippet change, each by a plain name."""

    __slots__ = ()

    def __setitem__(self, name: Any, value: Any) -> None:
        if not (type(name) is str and name.isidentifier()) or name.startswith("__"):
            raise UnsupportedError(f"{name!r} as the name of an attribute is not supported here")
        self._held[name] = value

    def __delitem__(self, name: Any) -> None:
        del self._held[hashable(name)]

    def update(self, *others: Any, **named: Any) -> None:
        for name, value in dict(*map(plain_dict, others), **named).items():
            self[name] = value

    def pop(self, name: Any, *default: Any) -> Any:
        return self._held.pop(hashable(name), *default)

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self._held[name]


VIEWS: dict[type, type[Held]] = {OrderedDict: Ordered}  # by the kind of dict; others are read only


def read_only_view(value: Any) -> Any:
    """Return a container as a snippet may look at it."""
    if isinstance(value, dict):
        return VIEWS.get(type(value), ReadOnly)(value)
    if isinstance(value, list):
        return [*map(read_only_view, value)]
    return frozenset(value) if isinstance(value, set) else value


def plain_dict(value: Any) -> Any:
    """Return a dict for a read-only mapping, any other value as it is."""
    return value.copy() if isinstance(value, Held) else value


ReadOnly.__name__, ReadOnly.__module__ = "mappingproxy", "builtins"
Ordered.__name__, Ordered.__module__ = "OrderedDict", "collections"
Attributes.__name__, Attributes.__module__ = "dict", "builtins"
Mapping.register(Held)
