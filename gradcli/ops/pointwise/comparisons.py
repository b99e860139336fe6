"""Comparisons and logic: results are True or False, and no gradient flows through them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import comparison
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.arguments import Operand
from gradcli.ops.support.surface import operation, register


def _compare(entries: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Compare integers with a number as torch does, which casts it to their dtype first: -1 is 255 among bytes."""

    def compare(a: Any, b: Any) -> Any:
        if type(b) is int and isinstance(a, np.ndarray | np.generic) and a.dtype.kind in "iu":
            b = np.int64(b).astype(a.dtype)
        return entries(a, b)

    return compare


def _comparison(
    name: str, symbol: str, entries: Callable[[Any, Any], Any], example: str, *aliases: str, **facts: Any
) -> Primitive:
    """Declare a comparison, as a primitive and as an operation."""
    declared = primitive(name, _compare(entries), notation=comparison(symbol), **facts)

    def function(input: Operand, other: Operand) -> Any:
        return declared(input, other)

    function.__doc__ = f"Whether `input {symbol} other`."
    register(name, function, [example], aliases=aliases, symbol=symbol)
    return declared


PAIR = "x = [1, 2]; y = [2, 1]; where({}(x, y), x, y**2)"
EDGE = {"kinks": np.equal, "convention": "at a tie the gradient is that of the side that the comparison chose"}
less = _comparison("lt", "<", operator.lt, PAIR.format("lt"), "less", **EDGE)
at_most = _comparison("le", "<=", operator.le, PAIR.format("le"), "less_equal", **EDGE)
greater = _comparison("gt", ">", operator.gt, PAIR.format("gt"), "greater", **EDGE)
at_least = _comparison("ge", ">=", operator.ge, PAIR.format("ge"), "greater_equal", **EDGE)
equal = _comparison("eq", "==", operator.eq, "x = [1, 2]; where(eq(x, 2), x, x**2)")
different = _comparison("ne", "!=", operator.ne, "x = [1, 2]; where(ne(x, 2), x, x**2)", "not_equal")


def _connective(name: str, forward: Callable[..., Any], doc: str, example: str) -> Primitive:
    """Declare a connective of two conditions, as a primitive and as an operation."""
    declared = primitive(name, forward)

    def function(input: Tensor, other: Tensor) -> Any:
        return declared(input, other)

    function.__doc__ = doc
    register(name, function, [f"x = [-2, 0.5, 3]; where({name}({example}), x**3, x)"])
    return declared


both = _connective("logical_and", np.logical_and, "Whether both hold.", "x > 0, x < 2")
either = _connective("logical_or", np.logical_or, "Whether at least one holds.", "x < 0, x > 2")
exactly_one = _connective("logical_xor", np.logical_xor, "Whether exactly one holds.", "x > 0, x < 2")
opposite = primitive("logical_not", np.logical_not)
exceeds = primitive(  # or is nan, which torch's gates let through
    "exceeds",
    lambda a, b: ~(a <= b),
    notation=comparison(">"),
    fold=lambda a, b, *, value: opposite(a <= b) if np.isnan(a.value).any() else None,
)


@operation("x = [-2, 0.5, 3]; where(logical_not(x > 0), x**3, x)")
def logical_not(input: Tensor) -> Any:
    """Whether the input is False or 0."""
    return opposite(input)
