"""Python's own types as parents of classes of a snippet: the inherited methods measure first, as those of the types do.

Such classes may not change the facts that are measured, such as the number of items.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import length_hint
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.members.lookup import in_class
from gradcli.script.python.members.tables import SPECIAL, TABLES, describe
from gradcli.script.python.text.formatting import contents, format_field, text
from gradcli.script.python.values.iteration import keys_of, measured_items, python_dict
from gradcli.script.python.values.kinds import SHOWN, Facade, name_members
from gradcli.script.python.values.nesting import hashable, measure
from gradcli.script.python.values.operators import BINARY, OPERATORS, bounded_iterable, python_round

Method = Callable[..., Any]

COMPARED = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__")
CONTAINERS = (list, dict, set, tuple)


def exact(kind: type, value: Any) -> Any:
    """Return the value without its class."""
    if kind is str:
        return str.__str__(value)
    return {int: int.__int__, float: float.__float__}.get(kind, kind)(value)


@cache
def parent(kind: type) -> type:
    """Return the class that stands for one of Python's own types as a parent."""
    methods = _inherited(kind) | MEASURING[kind]
    name_members(methods)
    subclass = type(kind.__name__, (kind, Facade), {"__slots__": (), "__parent__": True, **methods})
    SHOWN[subclass] = kind
    describe(subclass)  # which has its methods itself
    return subclass


def _special(kind: type) -> Callable[[str], Any]:
    return lambda name: in_class(parent(kind), name)


def _inherited(kind: type) -> dict[str, Any]:
    methods: dict[str, Any] = {name: _refused(name) for name in dir(kind) if not name.startswith("_")}
    methods |= {name: getattr(kind, name) for name in ("real", "imag", "numerator", "denominator") if name in methods}
    table = TABLES[kind].methods
    methods |= table if kind in CONTAINERS else {name: _of_exact(kind, method) for name, method in table.items()}
    for name, operator in OPERATORS.items():
        if hasattr(kind, f"__{name}__"):
            methods[f"__{name}__"] = _operator(kind, BINARY[operator])
            methods[f"__r{name}__"] = _reflected(kind, BINARY[operator])
    methods["__format__"] = lambda self, spec: format_field(exact(kind, self), spec)
    if kind in CONTAINERS:
        methods |= {name: _compared(getattr(kind, name)) for name in COMPARED if hasattr(kind, name)}
        methods |= {"__hash__": kind.__hash__, "__repr__": contents}
    return methods


def _refused(name: str) -> Method:
    def refuse(*_: Any, **__: Any) -> Any:
        raise UnsupportedError(f"{name} is not supported here")

    return refuse


def _of_exact(kind: type, method: Method) -> Method:
    return lambda self, *arguments, **named: method(exact(kind, self), *arguments, **named)


def _operator(kind: type, apply: Method) -> Method:
    return lambda self, other: apply(exact(kind, self), other)


def _reflected(kind: type, apply: Method) -> Method:
    return lambda self, other: apply(other, exact(kind, self))


def _compared(method: Method) -> Method:
    def compare(self: Any, other: Any) -> Any:
        measure(self, other, " in comparison")
        return method(self, other)

    return compare


def _keyed(method: Method) -> Method:
    return lambda self, key, *value: method(self, hashable(key), *value)


def _fill(self: list[Any], *items: Any) -> None:
    list.__init__(self, *map(measured_items, items))


def _extend(self: list[Any], items: Any) -> Any:
    running.machine.budget.fits(len(self) + length_hint(measured_items(items)), "this list")
    list.extend(self, measured_items(items))
    return self


def _repeat(self: list[Any], times: int) -> Any:
    running.machine.budget.fits(len(self) * times, "this list")
    return list.__imul__(self, times)


def _set_item(self: list[Any], key: Any, value: Any) -> None:
    if isinstance(key, slice):
        running.machine.budget.fits(len(self) + length_hint(bounded_iterable(value)), "this list")
    list.__setitem__(self, key, value)


def _collect(self: dict[Any, Any], *items: Any, **named: Any) -> None:
    dict.update(self, python_dict(*items, **named))


MEASURING: dict[type, dict[str, Any]] = {
    list: {
        "__init__": _fill,
        "extend": lambda self, items: _extend(self, items) and None,
        "sort": list.sort,
        "__iadd__": _extend,
        "__imul__": _repeat,
        "__setitem__": _set_item,
    },
    dict: {
        "__init__": _collect,
        "update": _collect,
        **{f"__{word}item__": _keyed(getattr(dict, f"__{word}item__")) for word in ("get", "set", "del")},
    },
    set: {"__init__": lambda self, *items: set.__init__(self, *map(keys_of, items))},
    tuple: {"__new__": lambda cls, *items: tuple.__new__(cls, *map(measured_items, items))},
    str: {"__new__": lambda cls, value="": str.__new__(cls, text(value))},
    int: {"__round__": lambda self, *digits: python_round(int.__int__(self), *digits)},
    float: {},
}
SPECIAL.update({kind: _special(kind) for kind in MEASURING})
