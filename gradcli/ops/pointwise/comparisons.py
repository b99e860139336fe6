"""Comparisons and logic: results are True or False, and no gradient flows through them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import comparison
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.arguments import Operand
from gradcli.ops.support.surface import operation


def _compare(entries: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Compare whole numbers with a number as torch does, which makes it one of their dtype: -1 is 255 among bytes."""

    def compare(a: Any, b: Any) -> Any:
        if type(b) is int and isinstance(a, np.ndarray | np.generic) and a.dtype.kind in "iu":
            b = np.int64(b).astype(a.dtype)
        return entries(a, b)

    return compare


less = primitive("lt", _compare(operator.lt), notation=comparison("<"))
at_most = primitive("le", _compare(operator.le), notation=comparison("<="))
greater = primitive("gt", _compare(operator.gt), notation=comparison(">"))
at_least = primitive("ge", _compare(operator.ge), notation=comparison(">="))
equal = primitive("eq", _compare(operator.eq), notation=comparison("=="))
different = primitive("ne", _compare(operator.ne), notation=comparison("!="))
both = primitive("logical_and", np.logical_and)
either = primitive("logical_or", np.logical_or)
opposite = primitive("logical_not", np.logical_not)


@operation("x = [1, 2]; y = [2, 1]; where(lt(x, y), x, y**2)", aliases=["less"])
def lt(input: Operand, other: Operand) -> Any:
    """Whether `input < other`."""
    return less(input, other)


@operation("x = [1, 2]; y = [2, 1]; where(le(x, y), x, y**2)", aliases=["less_equal"])
def le(input: Operand, other: Operand) -> Any:
    """Whether `input <= other`."""
    return at_most(input, other)


@operation("x = [1, 2]; y = [2, 1]; where(gt(x, y), x, y**2)", aliases=["greater"])
def gt(input: Operand, other: Operand) -> Any:
    """Whether `input > other`."""
    return greater(input, other)


@operation("x = [1, 2]; y = [2, 1]; where(ge(x, y), x, y**2)", aliases=["greater_equal"])
def ge(input: Operand, other: Operand) -> Any:
    """Whether `input >= other`."""
    return at_least(input, other)


@operation("x = [1, 2]; where(eq(x, 2), x, x**2)")
def eq(input: Operand, other: Operand) -> Any:
    """Whether `input == other`."""
    return equal(input, other)


@operation("x = [1, 2]; where(ne(x, 2), x, x**2)", aliases=["not_equal"])
def ne(input: Operand, other: Operand) -> Any:
    """Whether `input != other`."""
    return different(input, other)


@operation("x = [-2, 0.5, 3]; where(logical_and(x > 0, x < 2), x**3, x)")
def logical_and(input: Tensor, other: Tensor) -> Any:
    """Whether both hold."""
    return both(input, other)


@operation("x = [-2, 0.5, 3]; where(logical_or(x < 0, x > 2), x**3, x)")
def logical_or(input: Tensor, other: Tensor) -> Any:
    """Whether at least one holds."""
    return either(input, other)


@operation("x = [-2, 0.5, 3]; where(logical_not(x > 0), x**3, x)")
def logical_not(input: Tensor) -> Any:
    """Whether the input is False or 0."""
    return opposite(input)
