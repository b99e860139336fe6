"""Python's operators over the values of a snippet: results that could grow without bound are measured first."""

from __future__ import annotations

import ast
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.limits import BITS
from gradcli.script.machine import running
from gradcli.script.python.text.templates import percent
from gradcli.script.python.values.comparing import ARRAYS, check_spread, spread, with_array
from gradcli.script.python.values.comparing import COMPARISONS as COMPARISONS
from gradcli.script.python.values.nesting import ATOMS

Binary = Callable[[Any, Any], Any]

CONTAINERS = (str, list, tuple, deque)
WHOLE = (int, np.integer)
WORD = 2**63


def _add(a: Any, b: Any) -> Any:
    """Add, and measure afterwards: a sum is at most twice as long as its longer part."""
    total = a + b
    if type(total) not in ATOMS:
        if isinstance(total, list | tuple | deque):
            running.machine.budget.fits(len(total), "the sum")
    elif type(total) is str:
        running.machine.budget.fits(len(total), "the sum")
    elif type(total) is int and not -WORD < total < WORD:
        running.machine.budget.bits(total.bit_length())
    return total


def _mul(a: Any, b: Any) -> Any:
    if isinstance(b, WHOLE) and isinstance(a, CONTAINERS):
        running.machine.budget.fits(len(a) * int(b), f"this {type(a).__name__}")
    elif isinstance(a, WHOLE):
        if isinstance(b, CONTAINERS):
            running.machine.budget.fits(len(b) * int(a), f"this {type(b).__name__}")
        elif isinstance(a, int) and isinstance(b, int) and not (-WORD < a < WORD and -WORD < b < WORD):
            running.machine.budget.bits(a.bit_length() + b.bit_length())
    return a * b


def power(a: Any, b: Any) -> Any:
    """`a ** b`, unless it is a whole number of absurd size."""
    if isinstance(a, int) and isinstance(b, int) and b > 0:
        running.machine.budget.bits(a.bit_length() * b if abs(a) > 1 else 1)
    return a**b


def python_round(value: Any, digits: Any = None) -> Any:
    if isinstance(value, Tensor):
        raise TypeError("type Tensor doesn't define __round__ method")
    if digits is None:
        return round(value)
    if isinstance(value, int) and isinstance(digits, int) and digits < -len(str(BITS)) * 100_000:
        return 0  # Python would compute 10**-digits first
    return round(value, digits)


def _shift(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a:
        running.machine.budget.bits(a.bit_length() + b)
    return a << b


def _mod(a: Any, b: Any) -> Any:
    return percent(a, b) if isinstance(a, str) else a % b


def _matmul(a: Any, b: Any) -> Any:
    mixed = isinstance(a, ARRAYS) and isinstance(b, ARRAYS) and isinstance(a, Tensor) is not isinstance(b, Tensor)
    return with_array(operator.matmul, "@", a, b) if mixed else a @ b


BINARY: dict[type[ast.operator], Binary] = {
    ast.Add: spread(_add, "+"),
    ast.Sub: spread(operator.sub, "-"),
    ast.Mult: spread(_mul, "*"),
    ast.Div: spread(operator.truediv, "/"),
    ast.FloorDiv: spread(operator.floordiv, "//"),
    ast.Mod: spread(_mod, "%"),
    ast.Pow: spread(power, "** or pow()"),
    ast.MatMult: _matmul,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitAnd: spread(operator.and_, "&"),
    ast.BitOr: spread(operator.or_, "|"),
    ast.BitXor: spread(operator.xor, "^"),
}
# The special methods of these operators: `add` stands for `__add__` and `__radd__`.
OPERATORS = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "pow": ast.Pow, "lshift": ast.LShift, "rshift": ast.RShift, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor,
}  # fmt: skip
# Operators that need no measure on plain numbers; products of whole numbers only while they are small.
DIRECT: dict[type[ast.operator], Binary] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Div: operator.truediv,
    ast.Mult: operator.mul,
}

# On numbers and texts an augmented assignment is the operator; tensors, lists and sets change in place.
IN_PLACE: dict[type[ast.operator], Binary] = {
    kind: getattr(operator, f"i{name}") for name, kind in [*OPERATORS.items(), ("matmul", ast.MatMult)]
}


def augmented_operator(kind: type[ast.operator]) -> Binary:
    """Return the operator of an augmented assignment (`x += y`); growth in place is measured."""
    binary, in_place = BINARY[kind], IN_PLACE[kind]

    def apply(a: Any, b: Any) -> Any:
        if isinstance(a, int | float | str | tuple):
            return binary(a, b)
        if isinstance(a, list | deque):
            if kind is ast.Mult and isinstance(b, WHOLE):
                running.machine.budget.fits(len(a) * int(b), "this list")
            elif kind is ast.Add:
                b = bounded_iterable(b)
                running.machine.budget.fits(len(a) + operator.length_hint(b), "this list")
        elif isinstance(a, ARRAYS) and isinstance(b, ARRAYS):
            check_spread(a, b)
        return in_place(a, b)

    return apply


UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}


def bounded_iterable(value: Any, each: int = 8) -> Any:
    """Return an iterable that is read to its end: one of known length is measured, any other counts its own steps."""
    running.machine.budget.fits(operator.length_hint(value), f"this {type(value).__name__}", each)
    return value
