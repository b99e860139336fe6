"""Python's operators over the values of a snippet: what could grow without bound is measured first."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops import comparisons
from gradcli.script.machine import running
from gradcli.script.python.formatting import percent

Binary = Callable[[Any, Any], Any]

CONTAINERS = (str, list, tuple, deque)
WHOLE = (int, np.integer)
NUMBERS = (int, float, bool)


def _add(a: Any, b: Any) -> Any:
    if isinstance(a, CONTAINERS) and isinstance(b, CONTAINERS):
        running.machine.budget.fits(len(a) + len(b), "the sum")
    return a + b


def _mul(a: Any, b: Any) -> Any:
    if isinstance(b, WHOLE) and isinstance(a, CONTAINERS):
        running.machine.budget.fits(len(a) * int(b), f"this {type(a).__name__}")
    elif isinstance(a, WHOLE):
        if isinstance(b, CONTAINERS):
            running.machine.budget.fits(len(b) * int(a), f"this {type(b).__name__}")
        elif isinstance(a, int) and isinstance(b, int):
            running.machine.budget.bits(a.bit_length() + b.bit_length())
    return a * b


def power(a: Any, b: Any) -> Any:
    """`a ** b`, unless it is a whole number of absurd size."""
    if isinstance(a, int) and isinstance(b, int) and b > 0:
        running.machine.budget.bits(a.bit_length() * b if abs(a) > 1 else 1)
    return a**b


def _shift(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int):
        running.machine.budget.bits(a.bit_length() + b)
    return a << b


def _mod(a: Any, b: Any) -> Any:
    return percent(a, b) if isinstance(a, str) else a % b


def _matmul(a: Any, b: Any) -> Any:
    return a @ b


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: _add,
    ast.Sub: operator.sub,
    ast.Mult: _mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _mod,
    ast.Pow: power,
    ast.MatMult: _matmul,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}

# On numbers and texts an augmented assignment is the operator; tensors, lists and sets change in place.
IN_PLACE: dict[type[ast.operator], Binary] = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.FloorDiv: operator.ifloordiv,
    ast.Mod: operator.imod,
    ast.Pow: operator.ipow,
    ast.MatMult: operator.imatmul,
    ast.BitAnd: operator.iand,
    ast.BitOr: operator.ior,
    ast.BitXor: operator.ixor,
}


def augmented(kind: type[ast.operator]) -> Binary:
    """The operator of `x += y` and its kin."""
    plain, in_place = BINARY[kind], IN_PLACE.get(kind, BINARY[kind])

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, (*NUMBERS, str, tuple)):
            return plain(a, b)
        if isinstance(a, list | deque):
            if kind is ast.Mult and isinstance(b, WHOLE):
                running.machine.budget.fits(len(a) * int(b), "this list")
            else:
                running.machine.budget.fits(len(a) + operator.length_hint(b), "this list")
        return in_place(a, b)

    return apply


def equal(a: Any, b: Any) -> Any:
    """`a == b`: entry by entry for tensors, whose own `==` is identity."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _compared(comparisons.equal, a, b, False)
    return a == b


def unequal(a: Any, b: Any) -> Any:
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return _compared(comparisons.different, a, b, True)
    return a != b


def _compared(compare: Binary, a: Any, b: Any, otherwise: bool) -> Any:
    kinds = (Tensor, int, float, bool)
    return compare(a, b) if isinstance(a, kinds) and isinstance(b, kinds) else otherwise


def contains(a: Any, b: Any) -> bool:
    """`a in b`; a range is searched only for whole numbers, for anything else Python walks through it."""
    if isinstance(b, range) and not isinstance(a, int):
        running.machine.budget.fits(len(b), "this range")
    if isinstance(b, list | tuple) and any(isinstance(x, Tensor) for x in (a, *b[:1])):
        return any(a is x or truth(equal(a, x)) for x in b)
    return a in b


COMPARISONS: dict[type[ast.cmpop], Binary] = {
    ast.Eq: equal,
    ast.NotEq: unequal,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: contains,
    ast.NotIn: lambda a, b: not contains(a, b),
}

UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}

truth = bool


def unpacked(value: Any, before: int, after: int | None) -> Sequence[Any]:
    """The items of `a, b = value`, or with `after` those of `a, *b, c = value` with the starred ones as a list."""
    items = value if isinstance(value, tuple | list) else list(bounded(value))
    if after is None:
        if len(items) < before:
            raise ValueError(f"not enough values to unpack (expected {before}, got {len(items)})")
        if len(items) > before:
            raise ValueError(f"too many values to unpack (expected {before})")
        return items
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    end = len(items) - after
    return [*items[:before], list(items[before:end]), *items[end:]]


def bounded(value: Any) -> Any:
    """Something to go through, that ends: what knows its length is measured, what does not counts its own steps."""
    running.machine.budget.fits(operator.length_hint(value), f"this {type(value).__name__}")
    return value
