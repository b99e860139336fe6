"""Choosing between values: `where`, `masked_fill`, `maximum`, `clamp`.

Rules choose with `where(condition, g, 0)` and never with `g * mask`: where g is infinite, torch gives 0 and a product
would give nan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import check_together
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.ops.pointwise.comparisons import either, equal
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.support.arguments import Operand, is_number
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import operation

# `np.where` without branches, for large arrays.
#
# Where a condition follows no pattern, like the sign of an activation, processors mispredict the branches of numpy's
# own function, which takes fifteen times as long as multiplying the bits of each entry by 1 or 0.


MANY = 2**10  # entries from which the bits are faster


def chosen(condition: Any, a: Any, b: Any) -> Any:
    """Return `a` where the condition holds, `b` elsewhere; a nan or an infinity that is not chosen leaves no trace."""
    if type(condition) is np.ndarray and condition.size >= MANY and condition.dtype == np.bool_:
        if _is_zero(b) and _fits(a, condition):
            return (_bits(a) * condition).view(a.dtype)
        if _is_zero(a) and _fits(b, condition):
            return (_bits(b) * ~condition).view(b.dtype)
        if _fits(a, condition) and _fits(b, condition) and a.dtype == b.dtype:
            bits = _bits(a) ^ _bits(b)
            bits *= condition
            bits ^= _bits(b)
            return bits.view(a.dtype)
    result: Any = np.where(condition, a, b)
    return result[()]


def _is_zero(x: Any) -> bool:
    return type(x) is int and x == 0


def _fits(x: Any, condition: Any) -> bool:
    return type(x) is np.ndarray and x.dtype.kind == "f" and x.shape == condition.shape


def _bits(x: Any) -> Any:
    return x.view(np.dtype(f"i{x.dtype.itemsize}"))


def _fold_where(condition: Formula, a: Formula, b: Formula, *, value: Any) -> Formula | None:
    """Fold `where(c, 0, 0)` to 0."""
    return a if a.number == 0 and b.number == 0 and a.shape == np.shape(value) else None


where: Primitive = primitive(
    "where",
    chosen,
    None,
    lambda g, out, condition, a, b: where(condition, g, 0),
    lambda g, out, condition, a, b: where(condition, 0, g),
    fold=_fold_where,
    traits=("choice",),
    inputs=("condition", "self", "other"),
    says="The gradient goes to the side that the condition chose, and the other side gets 0.",
)


def guarded(condition: Any, edge: Any, usual: Any) -> Any:
    """Return `where(condition, edge, usual)` for a condition that only holds at an edge of the domain.

    A formula mentions the edge only where an entry lies on it: `y*x**(y - 1)` and not `where(y == 0, 0, y*x**(y - 1))`.
    """
    return where(condition, edge, usual) if _met(condition) else usual


def unless(condition: Any, edge: Callable[[], Any], usual: Callable[[], Any]) -> Any:
    """Return the usual formula, or for all entries the edge formula if the condition holds for one of them.

    `where` is not enough here: the usual formula itself has no derivative at the edge.
    """
    return edge() if _met(condition) else usual()


def _met(condition: Any) -> bool:
    return bool(np.any(condition.value if isinstance(condition, Formula | Tensor) else condition))


masked_fill = primitive(
    "masked_fill",
    lambda x, mask, value: chosen(mask, value, x).astype(x.dtype),
    lambda g, out, x, mask, value: where(mask, 0, g),
    keeps_dtype=True,
    inputs=("self", "mask"),
    says="Entries that are filled no longer count and get 0; the others get their gradient.",
)
masked_fill_tensor = primitive(
    "masked_fill_tensor",
    masked_fill.forward,
    lambda g, out, x, mask, value: where(mask, 0, g),
    None,
    lambda g, out, x, mask, value: where(mask, g, 0),
    keeps_dtype=True,
    node="MaskedFillBackward1",
    notation=masked_fill.notation,
    says="Entries that are filled get 0, and the filling value gets the gradients of the places it fills.",
)


def _shared(g: Any, a: Any, b: Any, wins: Any) -> Any:
    """Return the gradient of one of two inputs: all where it wins, or one of them is nan, half at a tie."""
    return guarded(equal(a, b), g / 2, guarded(either(nan(a), nan(b)), g, where(wins, g, 0)))


TIED: Any = {"kinks": np.equal, "convention": "at a tie each gets half the gradient", "traits": ("choice",)}
maximum = primitive(
    "maximum",
    np.maximum,
    lambda g, out, a, b: _shared(g, a, b, a > b),
    lambda g, out, a, b: _shared(g, a, b, b > a),
    **TIED,
    says="The larger of the two gets the gradient, and equal ones get half of it each.",
)
minimum = primitive(
    "minimum",
    np.minimum,
    lambda g, out, a, b: _shared(g, a, b, a < b),
    lambda g, out, a, b: _shared(g, a, b, b < a),
    **TIED,
    says="The smaller of the two gets the gradient, and equal ones get half of it each.",
)


def _boolean(mask: Any, refusal: str) -> Any:
    AutogradError.when(mask.dtype != np.bool_, refusal, help="a condition is a comparison, such as x > 0")
    return mask


@operation(
    "x = [1, -2]; y = [3, 4]; where(x > 0, x**2, y)",
    "x = [1, -2]; where(x > 0, x, 0)",
    "x = [1]; where(x < 0, 2, x)",
    "x = [1, -2, 3]; x[where(x > 0)[0]]",
    method=False,
    numbers="first",
)
def apply_where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """`input` where the condition holds, `other` elsewhere; of a condition alone the indices where it holds."""
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    AutogradError.when(input is None or other is None, "where() takes both tensors or none", code="E203")
    dtype = TYPE_NAMES[condition.dtype]
    _boolean(condition, f"where expected condition to be a boolean tensor, but got a tensor with dtype {dtype}")
    if is_number(input) and is_number(other):
        pair = tensor([input, other]).value
        return where(condition, Tensor(pair[0]), Tensor(pair[1]))
    return where(condition, input, other)


@operation("x = [1, -2, 3]; masked_fill(x, x < 0, 5)", "x = [1, -2, 3]; v = 0.5; masked_fill(x, x < 0, v)")
def apply_masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Any:
    """The input with `value` where the mask is True."""
    if isinstance(value, Tensor) and value.ndim:
        raise AutogradError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).",
            help="where(mask, value, input) takes values entry by entry",
        )
    dtype = C_NAMES[TYPE_NAMES[mask.dtype]]
    _boolean(mask, f"masked_fill_ only supports boolean masks, but got mask with dtype {dtype}")
    check_together(mask.value, input.value)
    if is_number(value):
        return masked_fill(input, mask, value)
    return masked_fill_tensor(input, mask, value)


@operation("x = [1, 5]; y = [3, 4]; maximum(x, y)", "x = [1, -5]; maximum(x, 0)", numbers="never")
def apply_maximum(input: Operand, other: Operand) -> Any:
    """The larger of the two, entry by entry."""
    return maximum(other, input) if is_number(input) else maximum(input, other)


@operation("x = [1, 5]; y = [3, 4]; minimum(x, y)", "x = [1, -5]; minimum(x, 0)", numbers="never")
def apply_minimum(input: Operand, other: Operand) -> Any:
    """The smaller of the two, entry by entry."""
    return minimum(other, input) if is_number(input) else minimum(input, other)
