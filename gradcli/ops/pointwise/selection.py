"""Choosing between values: `where`, `masked_fill`, `maximum`, `clamp`.

Rules choose with `where(condition, g, 0)` and never with `g * mask`: where g is infinite, torch gives 0 and a product
would give nan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import check_together
from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.hidden import Hidden
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula, Notation
from gradcli.engine.tensor import Tensor, tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.pointwise.comparisons import at_least, at_most, both, either, equal
from gradcli.ops.pointwise.logic import any_true, nan
from gradcli.ops.support.arguments import Operand, as_tensor, is_number
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import BETWEEN, BOUND, operation

# `np.where` without branches, for large arrays.
#
# Where a condition follows no pattern, like the sign of an activation, processors mispredict the branches of numpy's
# own function, which takes fifteen times as long as multiplying the bits of each entry by 1 or 0.


MANY = 2**10  # entries from which the bits are faster


def choose(condition: Any, a: Any, b: Any) -> Any:
    """Return `a` where the condition holds, `b` elsewhere; a nan or an infinity that is not chosen leaves no trace."""
    if type(condition) is np.ndarray and condition.size >= MANY and condition.dtype == np.bool_:
        if _is_zero(b) and _fits(a, condition):
            return _kept(a, condition)
        if _is_zero(a) and _fits(b, condition):
            return _kept(b, ~condition)
        if _fits(a, condition) and _fits(b, condition) and a.dtype == b.dtype:
            bits = _bits(a) ^ _bits(b)
            bits *= condition
            bits ^= _bits(b)
            return bits.view(a.dtype)
    result: Any = np.where(condition, a, b)
    return result[()]


def _kept(x: Any, condition: Any) -> Any:
    """Return the entries where the condition holds, 0 elsewhere; of two dtypes numpy multiplies at half the speed."""
    bits = condition.astype(f"i{x.dtype.itemsize}")
    bits *= _bits(x)
    return bits.view(x.dtype)


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
    choose,
    None,
    lambda g, out, condition, a, b: where(condition, g, 0),
    lambda g, out, condition, a, b: where(condition, 0, g),
    fold=_fold_where,
    traits=("choice", "masking"),
    inputs=("condition", "self", "other"),
    says="The gradient goes to the side that the condition chose, and the other side gets 0.",
)


def guard_edge(condition: Any, edge: Any, usual: Any) -> Any:
    """Return `where(condition, edge, usual)` for a condition that only holds at an edge of the domain.

    A formula mentions the edge only where an entry lies on it: `y*x**(y - 1)` and not `where(y == 0, 0, y*x**(y - 1))`.
    """
    return where(condition, edge, usual) if is_hidden(condition) or _met(condition) else usual


def unless(condition: Any, edge: Callable[[], Any], usual: Callable[[], Any]) -> Any:
    """Return the usual formula, or for all entries the edge formula if the condition holds for one of them.

    `where` is not enough here: the usual formula itself has no derivative at the edge.
    """
    if is_hidden(condition):
        return where(any_true(condition), edge(), usual())
    return edge() if _met(condition) else usual()


def is_hidden(x: Any) -> bool:
    return isinstance(x, Tensor) and type(x.value) is Hidden


def _met(condition: Any) -> bool:
    return bool(np.any(condition.value if isinstance(condition, Formula | Tensor) else condition))


masked_fill = primitive(
    "masked_fill",
    lambda x, mask, value: choose(mask, value, x).astype(x.dtype),
    lambda g, out, x, mask, value: where(mask, 0, g),
    keeps_dtype=True,
    inputs=("self", "mask"),
    traits=("masking",),
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
    return guard_edge(equal(a, b), g / 2, guard_edge(either(nan(a), nan(b)), g, where(wins, g, 0)))


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


def _clamp(x: Any, *, min: float | None = None, max: float | None = None) -> Any:
    return np.clip(x, min, max)


def _between(g: Carrier, out: Carrier, x: Carrier, *, min: float | None = None, max: float | None = None) -> Any:
    if min is None:
        return where(at_most(x, max), g, 0)
    return where(at_least(x, min) if max is None else both(at_least(x, min), at_most(x, max)), g, 0)


def _at_bound(x: Any, min: Any = None, max: Any = None) -> Any:
    return np.isin(x, [bound for bound in (min, max) if bound is not None])


def _write_clamp(*bounds: str) -> Notation:
    """Write `clamp(x, min=a, max=b)` with the given bounds."""

    def write(operands: Sequence[Formula], _: dict[str, Any]) -> Expression:
        named = [Argument(bound.tree, name) for name, bound in zip(bounds, operands[1:], strict=True)]
        return Call("clamp", (Argument(operands[0].tree), *named))

    return write


BOUNDS: dict[str, Any] = {"convention": "clamp' is 1 at the bounds and 0 outside"}

clamp = primitive(
    "clamp",
    _clamp,
    _between,
    node="ClampBackward1",
    kinks=_at_bound,
    **BOUNDS,
    traits=("bounded", "gate", "masking"),
    says=BETWEEN,
)


def _at_either(x: Any, low: Any, high: Any) -> Any:
    """Tell where the input is at a bound, or at or below two equal ones; crossed bounds give the upper one."""
    return ((np.equal(x, low) | np.equal(x, high)) & np.less(low, high)) | (np.equal(low, high) & np.less_equal(x, low))


clamp_tensor = primitive(
    "clamp_tensor",
    np.clip,
    lambda g, out, x, low, high: where(both(x >= low, x <= high), g, 0),
    lambda g, out, x, low, high: where(both(x < low, low < high), g, 0),
    lambda g, out, x, low, high: where(either(x > high, high < low), g, 0),
    node="ClampBackward0",
    notation=_write_clamp("min", "max"),
    kinks=_at_either,
    **BOUNDS,
    says=BOUND,
)
SIDES: dict[str, Any] = {
    "min": (np.maximum, lambda g, x, low: where(x >= low, g, 0), lambda g, x, low: where(x < low, g, 0)),
    "max": (np.minimum, lambda g, x, high: where(x <= high, g, 0), lambda g, x, high: where(x > high, g, 0)),
}


def _one_sided(side: str, name: str, *, node: str = "", bound: bool = True, **facts: Any) -> Primitive:
    """Declare a clamp at one side; torch's node has the missing bound among its inputs, here it has the given one."""
    forward, by_input, by_bound = SIDES[side]
    rules = (by_input, by_bound) if bound else (by_input,)
    return primitive(
        name,
        forward,
        *(lambda g, out, x, end, by=by: by(g, x, end) for by in rules),
        node=node,
        kinks=np.equal,
        says=BOUND if bound else f"The gradient comes through {'above' if side == 'min' else 'below'} the bound alone.",
        **facts,
    )


clamp_min_tensor = _one_sided("min", "clamp_min_tensor", node="ClampBackward0", notation=_write_clamp("min"), **BOUNDS)
clamp_max_tensor = _one_sided("max", "clamp_max_tensor", node="ClampBackward0", notation=_write_clamp("max"), **BOUNDS)
AT_MIN, AT_MAX = "clamp_min' is 1 at the bound", "clamp_max' is 1 at the bound"
clamp_min = _one_sided("min", "clamp_min", bound=False, traits=("bounded", "gate", "masking"), convention=AT_MIN)
clamp_max = _one_sided("max", "clamp_max", bound=False, traits=("bounded", "masking"), convention=AT_MAX)
clamp_min_to = _one_sided(
    "min", "clamp_min_to", node="ClampMinBackward1", notation=clamp_min.notation, convention=AT_MIN
)
clamp_max_to = _one_sided(
    "max", "clamp_max_to", node="ClampMaxBackward1", notation=clamp_max.notation, convention=AT_MAX
)


@operation(
    "x = [-2, 0.5, 3]; clamp(x, -1, 1)",
    "x = [-2, 0.5, 3]; clamp(x, min=0)",
    "x = [-2, 0.5, 3]; clamp(x, max=1)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; high = [1, 2, 2]; clamp(x, low, high)",
    "x = [-2, 0.5, 3]; low = [-1, 0, 1]; clamp(x, min=low)",
    "x = [-2, 0.5, 3]; high = [1, 2, 2]; clamp(x, max=high)",
    aliases=["clip"],
)
def apply_clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Any:
    """The input held between two bounds; either may be left out."""
    AutogradError.when(min is None and max is None, "torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(bound is None or is_number(bound) for bound in (min, max)):
        return clamp(input, **{k: v for k, v in (("min", min), ("max", max)) if v is not None})
    if max is None:
        return clamp_min_tensor(input, min)
    if min is None:
        return clamp_max_tensor(input, max)
    return clamp_tensor(input, as_tensor(min), as_tensor(max))


@operation("x = [-1, 2]; clamp_min(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_min(x, y)")
def apply_clamp_min(input: Tensor, min: Operand) -> Any:
    """The input where it is above a bound, else the bound."""
    return clamp_min(input, min) if is_number(min) else clamp_min_to(input, min)


@operation("x = [-1, 2]; clamp_max(x, 0)", "x = [-1, 2]; y = [0, 3]; clamp_max(x, y)")
def apply_clamp_max(input: Tensor, max: Operand) -> Any:
    """The input where it is below a bound, else the bound."""
    return clamp_max(input, max) if is_number(max) else clamp_max_to(input, max)
