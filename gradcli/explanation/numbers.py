"""Arithmetic between plain numbers, within 64 bits: `9**9**9` is refused before it is computed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from gradcli.errors import EvaluationError

LARGEST = 2**63 - 1

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def arithmetic(symbol: str, a: float, b: float) -> float:
    """The result as Python has it; floating point follows IEEE where Python raises (1/0 is inf)."""
    try:
        value = _power(a, b) if symbol == "**" else OPERATORS[symbol](a, b)
    except ZeroDivisionError:
        return _divided_by_zero(symbol, a, b)
    except OverflowError:
        return math.inf
    if isinstance(value, int) and abs(value) > LARGEST:
        raise _too_large(symbol)
    return value  # type: ignore[no-any-return]


def _power(a: float, b: float) -> Any:
    if isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1 and b * (abs(a).bit_length() - 1) > 64:
        raise _too_large("**")
    value = a**b
    return math.nan if isinstance(value, complex) else value


def _too_large(symbol: str) -> EvaluationError:
    return EvaluationError(
        "E212",
        f"the result of {symbol} does not fit in a 64-bit integer",
        label="integer overflow",
        help="make one of the numbers a float, such as 2.0, for an approximate result",
    )


def _divided_by_zero(symbol: str, a: float, b: float) -> float:
    if symbol == "**":  # 0 to a negative power
        return math.inf
    if symbol == "%" or a == 0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def comparison(symbol: str, a: float, b: float) -> bool:
    return COMPARISONS[symbol](a, b)
