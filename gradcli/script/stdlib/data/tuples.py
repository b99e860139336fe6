"""`collections.namedtuple` and `typing.NamedTuple`: tuples whose items have names; no code is made of the names."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from keyword import iskeyword
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.classes import FIELDS, new_class
from gradcli.script.python.functions.parameters import Parameters, bind
from gradcli.script.python.members.absence import without
from gradcli.script.python.text.formatting import REPRESENTATIONS, with_fields
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.python.values.parents import parent
from gradcli.script.python.values.special import exact


class Item:
    """The attribute of a tuple that has the name of an item."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

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
            raise UnsupportedError("NamedTuple(...) is not supported here", help="write namedtuple('Pair', 'x y')")
        parameters = _parameters(f"{cls.__name__}.__new__", cls._fields, len(cls._field_defaults))
        values = bind(parameters, cls._field_defaults, (cls, *arguments), keywords)
        return tuple.__new__(cls, [values[name] for name in cls._fields])

    @classmethod
    def _make(cls, iterable: Any) -> Any:
        """Make a tuple of as many items as it has fields."""
        values = list(bounded_iterable(iterable))
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


def name_items(kind: Any, names: list[str], defaults: dict[str, Any]) -> None:
    """Give the items of the tuples of a class their names; the last of them may have defaults."""
    for name in (kind.__name__, *names):
        if not name.isidentifier() or iskeyword(name) or names.count(name) > 1 or (name in names and name[0] == "_"):
            raise ValueError(f"Type names and field names must be valid identifiers, each once: {name!r}")
    if names[len(names) - len(defaults) :] != list(defaults):
        raise TypeError(f"Non-default namedtuple field cannot follow default field {next(iter(defaults))}")
    class_attributes = {"_fields": tuple(names), "_field_defaults": defaults, "__match_args__": tuple(names)}
    for word, value in (*class_attributes.items(), *((name, Item(place)) for place, name in enumerate(names))):
        type.__setattr__(kind, word, value)
    if vars(kind)["__doc__"] is None:
        type.__setattr__(kind, "__doc__", f"{kind.__name__}({', '.join(names)})")


@without("rename")
def namedtuple(typename: Any, field_names: Any, *, defaults: Any = None, module: Any = None) -> Any:
    """Return a class of tuples whose items have names."""
    if isinstance(field_names, str):
        field_names = exact(field_names).replace(",", " ").split()
    names = [exact(name) if isinstance(name, str) else str(name) for name in bounded_iterable(field_names)]
    given = [] if defaults is None else list(bounded_iterable(defaults))
    if len(given) > len(names):
        raise TypeError("Got more default values than field names")
    name = exact(typename) if isinstance(typename, str) else str(typename)
    kind = new_class(name, [NamedTuple], {"__doc__": None, "__qualname__": name}, {}, {})
    name_items(kind, names, dict(zip(names[len(names) - len(given) :], given, strict=True)))
    type.__setattr__(kind, FIELDS, {})
    return kind
