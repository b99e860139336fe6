"""The value of a scalar formula with many digits, so that rounding hides no mistake."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mpmath

from gradcli.language.tree import Binary, Call, Compare, Expression, Name, Number, Unary, fold

DIGITS = 60
LARGEST = mpmath.mpf(sys.float_info.max)


class NotFiniteError(Exception):
    """A formula that is nan, infinite or beyond any float somewhere."""


def _power(x: Any, y: Any) -> Any:
    if x == 0 and y < 0:
        raise NotFiniteError
    if y == 0:
        return mpmath.mpf(1)
    if x < 0 and y != mpmath.floor(y):
        raise NotFiniteError
    return x**y


OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "**": _power,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "exp2": lambda x: mpmath.mpf(2) ** x,
    "log1p": lambda x: mpmath.log(1 + x),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logsigmoid": lambda x: -mpmath.log(1 + mpmath.exp(-x)),
    "maximum": max,
    "minimum": min,
    "reciprocal": lambda x: 1 / x,
    "relu": lambda x: max(x, 0),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "square": lambda x: x * x,
    "where": lambda condition, a, b: a if condition else b,
}
CONSTANTS = {"pi": mpmath.pi}


def value(tree: Expression, point: Mapping[str, Any], largest: Any = LARGEST, digits: int = DIGITS) -> Any:
    """Return the value of a formula at a point; NotFiniteError where a part of it has none, or is too large."""

    def combine(node: Expression, parts: Sequence[Any]) -> Any:
        match node:
            case Name():
                return mpmath.mpf(point[node.id]) if node.id in point else +CONSTANTS[node.id]
            case Number():
                return mpmath.mpf(repr(node.value))
            case Unary():
                return -parts[0] if node.operator == "-" else parts[0]
            case Binary() | Compare():
                found = OPERATORS[node.operator](*parts)
            case Call():
                found = (FUNCTIONS.get(node.function) or getattr(mpmath, node.function))(*parts)
            case _:
                raise TypeError(node)
        if not isinstance(found, bool) and (isinstance(found, mpmath.mpc) or not abs(found) <= largest):
            raise NotFiniteError
        return found

    try:
        with mpmath.workdps(digits):
            return fold(tree, combine)
    except (ZeroDivisionError, OverflowError, ValueError):
        raise NotFiniteError from None
