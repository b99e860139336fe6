"""`collections.namedtuple` and `typing.NamedTuple`: tuples whose items have names; no code is made of the names."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from keyword import iskeyword
from typing import Any

from gradcli.script.python.functions.classes import FIELDS, new_class
from gradcli.script.python.functions.parameters import Parameters, bind
from gradcli.script.python.text.formatting import REPRESENTATIONS, with_fields
from gradcli.script.python.values.operators import bounded
from gradcli.script.python.values.parents import parent
from gradcli.script.python.values.special import exact

VALID = "Type names and field names must be valid identifiers: {!r}"
KEYWORD = "Type names and field names cannot be a keyword: {!r}"


class Item:
    """The attribute of a tuple that has the name of an item."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __repr__(self) -> str:
        return f"_tuplegetter({self.place}, 'Alias for field number {self.place}')"

    def __get__(self, value: Any, kind: Any = None) -> Any:
        return self if value is None else tuple.__getitem__(value, self.place)

    def __set__(self, value: Any, new: Any) -> None:
        raise AttributeError("can't set attribute")

    def __delete__(self, value: Any) -> None:
        raise AttributeError("can't delete attribute")


class NamedTuple(parent(tuple)):  # type: ignore[misc]
    """The parent of classes whose objects are tuples with named items."""

    _fields: tuple[str, ...]
    _field_defaults: dict[str, Any]

    def __init_subclass__(cls) -> None:
        if NamedTuple in cls.__bases__ and FIELDS in vars(cls):
            names = list(vars(cls)[FIELDS])
            name_items(cls, names, {name: vars(cls)[name] for name in names if name in vars(cls)})

    def __new__(cls, *arguments: Any, **keywords: Any) -> Any:
        if cls is NamedTuple:
            return _typed(*arguments, **keywords)
        parameters = _parameters(f"{cls.__name__}.__new__", cls._fields, len(cls._field_defaults))
        values = bind(parameters, cls._field_defaults, (cls, *arguments), keywords)
        return tuple.__new__(cls, [values[name] for name in cls._fields])

    @classmethod
    def _make(cls, iterable: Any) -> Any:
        """Make a tuple of as many items as it has fields."""
        values = list(bounded(iterable))
        if len(values) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(values)}")
        return tuple.__new__(cls, values)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(type(self)._fields, tuple.__iter__(self), strict=True))

    def _replace(self, **changes: Any) -> Any:
        """Return the tuple with other values of some fields."""
        unknown = [name for name in changes if name not in type(self)._fields]
        if unknown:
            raise ValueError(f"Got unexpected field names: {unknown!r}")
        return tuple.__new__(type(self), {**self._asdict(), **changes}.values())


REPRESENTATIONS[NamedTuple] = lambda value: with_fields(type(value).__name__, value._asdict().items())


def _parameters(name: str, fields: Iterable[str], optional: int) -> Parameters:
    arguments = [ast.arg(word) for word in ("_cls", *fields)]
    none: list[ast.expr] = [ast.Constant(None)] * optional
    return Parameters(ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=none), name)


def name_items(kind: Any, names: list[str], defaults: dict[str, Any], *, is_renamed: bool = False) -> None:
    """Give the items of the tuples of a class their names; the last of them may have defaults."""
    seen: set[str] = set()
    for name in (kind.__name__, *names):
        if not name.isidentifier():
            raise ValueError(VALID.format(name))
        if iskeyword(name):
            raise ValueError(KEYWORD.format(name))
    for name in names:
        if name.startswith("_") and not is_renamed:
            raise ValueError(f"Field names cannot start with an underscore: {name!r}")
        if name in seen:
            raise ValueError(f"Encountered duplicate field name: {name!r}")
        if seen & defaults.keys() and name not in defaults:
            first = next(iter(defaults))
            raise TypeError(f"Non-default namedtuple field {name} cannot follow default field {first}")
        seen.add(name)
    own = {"_fields": tuple(names), "_field_defaults": defaults, "__match_args__": tuple(names)}
    for word, value in (*own.items(), *((name, Item(place)) for place, name in enumerate(names))):
        type.__setattr__(kind, word, value)
    if vars(kind)["__doc__"] is None:
        type.__setattr__(kind, "__doc__", f"{kind.__name__}({', '.join(names)})")


def _typed(typename: str, fields: Any = ()) -> Any:
    """`NamedTuple("Point", [("x", int)])`."""
    return namedtuple(typename, [name for name, _ in bounded(fields)])


def namedtuple(
    typename: Any, field_names: Any, *, rename: bool = False, defaults: Any = None, module: Any = None
) -> Any:
    """Return a class of tuples whose items have names."""
    if isinstance(field_names, str):
        field_names = exact(field_names).replace(",", " ").split()
    names = [exact(name) if isinstance(name, str) else str(name) for name in bounded(field_names)]
    if rename:
        for place, name in enumerate(names):
            if not name.isidentifier() or iskeyword(name) or name.startswith("_") or name in names[:place]:
                names[place] = f"_{place}"
    given = [] if defaults is None else list(bounded(defaults))
    if len(given) > len(names):
        raise TypeError("Got more default values than field names")
    name = exact(typename) if isinstance(typename, str) else str(typename)
    kind = new_class(name, [NamedTuple], {"__doc__": None, "__qualname__": name}, {}, {})
    name_items(kind, names, dict(zip(names[len(names) - len(given) :], given, strict=True)), is_renamed=rename)
    type.__setattr__(kind, FIELDS, {})
    return kind
