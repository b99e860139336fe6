"""The methods of Python's own values that snippets may call; large results are measured first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from operator import length_hint
from types import FunctionType, GeneratorType, MethodType
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, members_named
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.text.templates import format_text
from gradcli.script.python.values.failures import raisable
from gradcli.script.python.values.iteration import ENTRY, fromkeys, keys_of, measured_items, sort
from gradcli.script.python.values.kinds import SHOWN
from gradcli.script.python.values.nesting import NESTING, hashable, measure
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.python.values.readonly import Attributes, ReadOnly

PIECE = 60  # bytes of a short text


def _fits(size: int, what: str = "the text") -> None:
    running.machine.budget.fits(size, what)


def _padded(method: Callable[..., str]) -> Callable[..., str]:
    def pad(value: str, width: int, *fill: str) -> str:
        if isinstance(width, int):
            _fits(width)
        return method(value, width, *fill)

    return pad


def _join(value: str, items: Any, /) -> str:
    if not hasattr(type(items), "__iter__") and not hasattr(type(items), "__getitem__"):
        raise TypeError("can only join an iterable")
    parts = list(bounded_iterable(items))
    _fits(sum(len(part) + len(value) for part in parts if isinstance(part, str)))
    return value.join(parts)


def _replace(value: str, old: str, new: str, count: int = -1, /) -> str:
    if isinstance(old, str) and isinstance(new, str):
        times = value.count(old)
        _fits(len(value) + (times if count < 0 else min(count, times)) * len(new))
    return value.replace(old, new, count)


def _cut(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that cuts a text into pieces."""

    def cut(value: str, *how: Any, **named: Any) -> Any:
        running.machine.budget.fits(len(value) // 2, "the pieces", PIECE)
        return method(value, *how, **named)

    return cut


def _extend(value: list[Any], items: Any, /) -> None:
    _fits(len(value) + length_hint(measured_items(items)), "this list")
    value.extend(measured_items(items))


def _searching(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that compares its argument with every item."""

    def search(value: Any, item: Any, *rest: Any) -> Any:
        if isinstance(item, NESTING):
            measure(value, item, " in comparison")
        try:
            return method(value, item, *rest)
        except ValueError as error:
            if isinstance(value, list) and method is list.index:
                raise ValueError(f"{represent(item)} is not in list") from None
            raise error

    return search


def _in_range(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of ranges, in which Python searches item by item for anything but a whole number."""

    def search(value: range, item: Any) -> Any:
        if not isinstance(item, int):
            _fits(len(value), "this range")
        return method(value, item)

    return search


def _keyed(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method whose first argument is hashed."""

    def call(value: Any, *arguments: Any) -> Any:
        if arguments:
            hashable(arguments[0])
        return method(value, *arguments)

    return call


def _collected(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of sets, which hashes the items of its arguments."""

    def call(value: Any, *items: Any) -> Any:
        sets = (item if isinstance(item, set | frozenset) else list(keys_of(item)) for item in items)
        return method(value, *sets)

    return call


PARTS = ("fget", "fset", "fdel", "__func__")


def descriptors(values: Iterable[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, property | staticmethod | classmethod)]


def descriptor(make: Any) -> Callable[..., Any]:
    """Wrap the constructor of `property` or the like; nesting is limited, since C frees nested ones by recursion."""

    def call(*functions: Any, **named: Any) -> Any:
        level = descriptors((*functions, *named.values()))
        for _ in range(3):
            level = descriptors(getattr(outer, part, None) for outer in level for part in PARTS)
        if level:
            raise RecursionError("maximum recursion depth exceeded")
        return make(*functions, **named)

    return call


def _update(value: dict[Any, Any], *items: Any, **named: Any) -> None:
    value.update(*(bounded_iterable(item, ENTRY) for item in items), **named)


def _throw(generator: Generator[Any, Any, Any], kind: Any, value: Any = None, _: Any = None) -> Any:
    """`generator.throw`: of an exception, or of a type of exceptions with the argument for a new one."""
    error = kind if value is None else value if isinstance(value, BaseException) else kind(value)
    return generator.throw(raisable(error, "exceptions must be classes or instances"))


STRING = members_named(
    str,
    "upper lower strip lstrip rstrip startswith endswith find rfind index rindex count title capitalize swapcase "
    "casefold isdigit isalpha isalnum isspace isupper islower istitle isascii isprintable isnumeric isdecimal "
    "isidentifier partition rpartition removeprefix removesuffix",
)
STRING |= members_named(str, "center ljust rjust zfill", _padded) | members_named(str, "split rsplit splitlines", _cut)
STRING |= {"join": _join, "replace": _replace}
STRING["format"] = format_text
SETS = "update union intersection difference symmetric_difference issubset issuperset isdisjoint"
CHANGES = "intersection_update difference_update symmetric_difference_update"

for name, method in STRING.items():
    if type(method) is FunctionType:
        method.__name__, method.__qualname__ = name, f"str.{name}"

describe(str, methods=STRING)
describe(
    list,
    methods=members_named(list, "append insert pop clear copy reverse")
    | members_named(list, "index count remove", _searching)
    | {"extend": _extend, "sort": sort},
)
describe(tuple, methods=members_named(tuple, "index count", _searching))
describe(range, methods=members_named(range, "index count", _in_range), getters=fields("start stop step"))
describe(
    dict,
    methods=members_named(dict, "keys values items popitem clear copy")
    | members_named(dict, "get pop setdefault", _keyed)
    | {"update": _update},
)
describe(ReadOnly, methods=members_named(ReadOnly, "keys values items copy get"))
SHOWN[Attributes] = dict
describe(Attributes, methods=members_named(Attributes, "keys values items copy get update pop setdefault"))
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.items()))
for view in VIEWS:
    describe(view, methods=members_named(view, "isdisjoint"))
describe(
    set,
    methods=members_named(set, "pop clear copy")
    | members_named(set, "add discard remove", _keyed)
    | members_named(set, f"{SETS} {CHANGES}", _collected),
)
describe(
    frozenset, methods={"copy": frozenset.copy} | members_named(frozenset, SETS.removeprefix("update "), _collected)
)
describe(float, methods=members_named(float, "is_integer as_integer_ratio hex conjugate"), getters=fields("real imag"))
describe(
    int,
    methods=members_named(int, "bit_length bit_count conjugate as_integer_ratio"),
    getters=fields("real imag numerator denominator"),
)
describe(complex, methods=members_named(complex, "conjugate"), getters=fields("real imag"))
describe(slice, methods=members_named(slice, "indices"), getters=fields("start stop step"))
describe(property, methods=members_named(property, "setter getter deleter", descriptor), getters=fields("__doc__"))
describe(
    GeneratorType,
    methods=members_named(GeneratorType, "send close __next__") | {"throw": _throw},
    getters=fields("__name__"),
)
describe(MethodType, getters=fields("__name__ __qualname__ __doc__"))

# Attributes of the types themselves, besides the methods of their values.
MEMBERS: dict[type, dict[str, Any]] = {dict: {"fromkeys": fromkeys}}
