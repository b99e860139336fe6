"""Builtins that iterate: an iterable that could be endless is measured, or counts its steps."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from operator import length_hint
from types import FunctionType, GeneratorType
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.nesting import ATOMS, NESTING, hashables, measure
from gradcli.script.python.values.operators import BINARY, bounded_iterable

SIZED = (*NESTING, range, str)
WIDE = 64  # sources of one zip, whose tuples are worth a look at the memory
MANY = 2**16  # items from here on are counted, for C code that pairs them up does not look up from it
PAIR, ENTRY, NUMBER = 120, 200, 40  # bytes that a tuple, an entry of a set or dict, and a number take in a list


def counting_iterator(value: Any) -> Any:
    """Return a lazy iterator of a value; iterators and long containers count their steps."""
    if isinstance(value, SIZED) and len(value) <= MANY:
        return iter(value)
    items = iter(value)
    return Counting(items) if items is value or length_hint(value) > MANY else items


class Counting:
    """An iterator in which each item costs a step.

    No generator, for freeing one that holds another recurses as deep as they are nested, and Python
    looks for exceptions through all of them.
    """

    __slots__ = ("budget", "items")

    def __init__(self, items: Any) -> None:
        self.items, self.budget = iter(items), running.machine.budget

    def __repr__(self) -> str:
        return f"<iterator object at {id(self):#x}>"

    def __iter__(self) -> Counting:
        return self

    def __next__(self) -> Any:
        budget = self.budget
        budget.left -= 1
        if budget.left < 0:
            budget.look()
        return next(self.items)


def interruptible(called: Any) -> Any:
    """Wrap a function that C code calls again and again, so that the limits are looked at in between."""
    return called if called is None or type(called) is FunctionType else lambda *values: called(*values)


def python_sum(iterable: Any, start: Any = 0) -> Any:
    """Add the items one by one, for a sum of lists grows, and tensors are added as `+` adds them."""
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    items = bounded_iterable(iterable)
    if isinstance(items, list | tuple) and ATOMS.issuperset(map(type, items)):
        return sum(items, start)
    add, total = BINARY[ast.Add], start
    for item in items:
        total = total + item if type(total) is type(item) is float else add(total, item)
    return total


def python_map(called: Any, *items: Any) -> Any:
    if not items:
        raise TypeError("map() must have at least two arguments.")
    return map(interruptible(called), *map(counting_iterator, items))


def python_filter(called: Any, items: Any) -> Any:
    return filter(interruptible(called), counting_iterator(items))


def python_zip(*items: Any, strict: bool = False) -> Any:
    first = [Counting(items[0])] if len(items) > WIDE else [counting_iterator(item) for item in items[:1]]
    return zip(*first, *map(counting_iterator, items[1:]), strict=strict)


def python_enumerate(iterable: Any, start: int = 0) -> Any:
    return enumerate(counting_iterator(iterable), start)


def python_iter(value: Any, *sentinel: Any) -> Any:
    if sentinel:
        return Counting(iter(value, *sentinel))
    return iter(value)


def python_sorted(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> list[Any]:
    items = list(bounded_iterable(iterable, NUMBER))
    sort(items, key=key, reverse=reverse)
    return items


def sort(value: list[Any], /, *, key: Any = None, reverse: Any = False) -> None:
    """`list.sort`."""
    if key is None and not ATOMS.issuperset(map(type, value)):
        measure(value, None, " in comparison")
    running.machine.budget.spend(len(value) // 8)
    value.sort(key=interruptible(key), reverse=reverse)


def _finite(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a builtin that goes through its one argument to the end."""
    return lambda items, /: function(bounded_iterable(items))


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(*items: Any, **keywords: Any) -> Any:
        if len(items) != 1:
            return function(*items, **keywords)
        (values,) = items
        if "key" in keywords:
            keywords["key"] = interruptible(keywords["key"])
        if isinstance(values, NESTING):
            measure(values, None, " in comparison")
        return function(bounded_iterable(values), **keywords)

    return find


ITERATION: dict[str, Callable[..., Any]] = {
    "sum": python_sum, "iter": python_iter, "sorted": python_sorted, "any": _finite(any), "all": _finite(all),
    "min": _extreme(min),
    "max": _extreme(max),
}  # fmt: skip


def measured_items(items: Any, each: int = 8) -> Any:
    """Measure the argument of a constructor; items of a range or of an iterator take memory themselves."""
    is_iterator = not isinstance(items, (*NESTING, str))
    if is_iterator and length_hint(items) > MANY and not isinstance(items, GeneratorType | Tensor):
        return Counting(bounded_iterable(items, each + NUMBER))
    return bounded_iterable(items, each)


def python_dict(*items: Any, **named: Any) -> dict[Any, Any]:
    if len(items) == 1 and not hasattr(type(items[0]), "keys"):
        return dict(_pairs(items[0]), **named)
    return dict(*(bounded_iterable(item, ENTRY) for item in items), **named)


def _pairs(items: Any) -> Iterator[Any]:
    """Yield keys and values for a dict; the keys are measured, and Python refuses an item that is no pair."""
    for item in measured_items(items, ENTRY):
        if type(item) is tuple and item:
            measure(item[0])
        yield item


def fromkeys(items: Any, value: Any = None) -> dict[Any, Any]:
    """`dict.fromkeys`."""
    return dict.fromkeys(keys_of(items), value)


def keys_of(items: Any) -> Iterator[Any]:
    """Measure the argument of what hashes its items."""
    return hashables(measured_items(items, ENTRY))


def _of_one(kind: type, measured: Callable[[Any], Any]) -> tuple[type, Callable[..., Any]]:
    return kind, lambda *items: kind(*map(measured, items))


CONSTRUCTORS: dict[str, tuple[type, Callable[..., Any] | None]] = {
    **{kind.__name__: _of_one(kind, measured_items) for kind in (list, tuple)},
    **{kind.__name__: _of_one(kind, keys_of) for kind in (set, frozenset)},
    "dict": (dict, python_dict), "range": (range, range), "map": (map, python_map),
    "filter": (filter, python_filter), "zip": (zip, python_zip),
    "enumerate": (enumerate, python_enumerate), "reversed": (reversed, reversed),
}  # fmt: skip
