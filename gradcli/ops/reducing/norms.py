"""Norms of vectors, the root of the sum of powers; distances, similarity, and division by the norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.numerics import precision
from gradcli.engine.primitive import primitive, structured
from gradcli.engine.symbolic.formula import number
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, EvaluationError, UnsupportedHere
from gradcli.language.tree import Argument, Call
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.arithmetic import div, mul
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import absolute, sign, zero
from gradcli.ops.pointwise.selection import clamp_min, guard_edge, where
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.reducing.sorting import ties
from gradcli.ops.shaping.shaping import Axes, align_reduced, axes, count, dims_from_front, in_rows
from gradcli.ops.support.arguments import Dims, Real
from gradcli.ops.support.surface import LENGTH, SAME, operation


def _norm(x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> Any:
    over: dict[str, Any] = {"axis": axes(dim, x.ndim), "keepdims": keepdim}
    is_alone = p and x.size and (x.ndim or dim is None) and count(x.shape, dim) == 1  # and no power rounds the length
    if p == 2 and not is_alone:
        return np.sqrt(np.sum(x * x, **over))
    size = np.abs(x)
    if p == 1 or is_alone:
        return np.sum(size, **over)
    if p == 0:
        return np.sum(size != 0, **over, dtype=x.dtype)
    if math.isinf(p):
        return np.max(size, **over, initial=0) if p > 0 else np.min(size, **over, initial=math.inf)
    return precision.raise_to_power(np.sum(size**p, **over), 1 / p)


def norm_rule(g: Carrier, out: Carrier, x: Carrier, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> Any:
    if p == 0:
        return zero(x)
    if p == 1:
        return align_reduced(g, x.shape, dim, keepdim) * sign(x)
    g, out = align_reduced(g, x.shape, dim, keepdim), align_reduced(out, x.shape, dim, keepdim)
    if math.isinf(p):
        return sign(x) * where(equal(absolute(x), out), g / ties(absolute(x), out, dim=dim), 0)
    if p == 2:
        return g * guard_edge(equal(out, 0), 0, x / out)
    if p > 2:
        return x * absolute(x) ** (p - 2) * guard_edge(equal(out, 0), 0, g / out ** (p - 1))
    powers = sign(x) * absolute(x) ** (p - 1)
    if p < 1:
        return g * (guard_edge(equal(x, 0), 0, powers) * out ** (1 - p))
    return powers * guard_edge(equal(out, 0), 0, g / out ** (p - 1))


def _bends(x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> Any:
    """Tell where the norm has no derivative: at a length of 0, at a zero for p = 1, at a tie for an infinite p."""
    if p == 1:
        return np.equal(x, 0)
    length = _norm(x, p=p, dim=dim, keepdim=True)
    is_longest = np.equal(np.abs(x), length)
    tied = np.sum(is_longest, axis=axes(dim, x.ndim), keepdims=True) > 1 if math.isinf(p) else False
    return np.equal(length, 0) | tied


norm = structured(
    "norm",
    in_rows(_norm),
    norm_rule,
    node="LinalgVectorNormBackward0",
    kinks=_bends,
    convention="the gradient of a norm at 0 is 0",
    edge=("has no derivative at 0", "({x}.pow(2).sum() + 1e-12).sqrt()"),
    says=LENGTH,
    index=entries.norm,
    stacked=("dim",),
)


@operation(
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, p=1, dim=1)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, p=3, dim=(0, 1), keepdim=True)",
    "x = [[1, -2, 5], [3, 0.5, 1]]; norm(x, inf, 0)",
    integers_stay=True,
    traits=("nonnegative", "reducing"),
)
def apply_norm(input: Real, p: Any = "fro", dim: Dims = None, keepdim: bool = False) -> Any:
    """The p-norm of all entries, or over dimensions; 'fro' is p = 2."""
    if isinstance(p, str) and p == "fro":
        p = 2
    if not isinstance(p, int | float):
        raise EvaluationError(
            "E204",
            f"norm() has no p={p!r}",
            help="p is a number, inf, -inf or 'fro'; svd(A).S has the singular values of a matrix",
        )
    check_norm(input, p, dim)
    return norm(input, p=p, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


def check_norm(input: Tensor, p: float, dim: Dims) -> None:
    """Refuse a largest or smallest length of no entries."""
    if input.value.size or not (p < 0 or math.isinf(p)):
        return
    start = f"linalg.vector_norm cannot compute the {p:g} norm on "
    axes = dims_from_front(dim, input.ndim)
    if axes is None:
        raise AutogradError(f"{start}an empty tensor because the operation does not have an identity")
    for axis in (axes,) if isinstance(axes, int) else axes:
        AutogradError.when(
            input.ndim and not input.shape[axis],
            f"{start}the dimension {axis}because this dimension is empty and the operation does not have an identity",
        )


@operation("x = [[1, -2, 5], [3, 0.5, 1]]; vector_norm(x, ord=3, dim=1)", method=False)
def vector_norm(input: Real, ord: float = 2, dim: Dims = None, keepdim: bool = False) -> Any:
    """The p-norm, under its name in `torch.linalg`."""
    check_norm(input, ord, dim)
    return norm(input, p=ord, dim=dims_from_front(dim, input.ndim), keepdim=keepdim)


@operation(
    "x = [1, -2, 5]; linalg_norm(x, 1)", "A = [[1, -2], [3, 0.5]]; linalg_norm(A)", method=False, torch=["linalg.norm"]
)
def linalg_norm(input: Real, ord: Any = None, dim: Dims = None, keepdim: bool = False) -> Any:
    """The norm in `torch.linalg`: of a vector of any order, or of all entries of a matrix."""
    ndim = input.ndim if dim is None else 1 if isinstance(dim, int) else len(dim)
    is_number = isinstance(ord, int | float)
    is_length = ord is None or (isinstance(ord, str) and ord == "fro")
    UnsupportedHere.when(
        not is_length and not (is_number and ndim == 1),
        f"a norm of matrices of order {str(ord)[:40]} is not supported here",
        help="torch.linalg.svd(A).S has the singular values, A.abs().sum(0).max() is the norm of order 1",
    )
    return vector_norm(input, ord if is_number else 2, dim, keepdim)


# torch clamps a copy without recording it, so that the gradient passes even below the bound
at_least = primitive(
    "clone_at_least",
    lambda x, *, bound: np.maximum(x, x.dtype.type(bound)),
    lambda g, out, x, *, bound: g,
    node="CloneBackward0",
    notation=lambda operands, options: Call(
        "clamp", (Argument(operands[0].tree), Argument(number(options["bound"]), "min"))
    ),
    convention="below the bound the gradient passes as well",
    kinks=lambda x, *, bound: np.less(x, bound),
    traits=("lenient",),
    says=SAME,
)


@operation(
    "A = [[1, 2], [0, 1]]; B = [[3, 5], [1, 1]]; cosine_similarity(A, B)",
    "x = [1, 2]; y = [3, 5]; cosine_similarity(x, y, dim=0)",
    method=False,
)
def cosine_similarity(x1: Real, x2: Real, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension; a length below `eps` counts as `eps`."""
    check_together(x1.value, x2.value)
    AutogradError.when(eps < 0, f"eps must be non-negative, got: {eps:g}")
    shape = broadcast_shapes(x1.shape, x2.shape)
    a, b = (x1, x2) if x1.shape == x2.shape else (expand(x, size=shape) for x in (x1, x2))
    axis = dims_from_front(dim, len(shape))
    lengths = [at_least(norm(x, dim=axis, keepdim=True), bound=eps) for x in (a, b)]
    return apply_sum(mul(div(a, lengths[0]), div(b, lengths[1])), axis)


@operation("A = [[3, 4], [0, 1]]; normalize(A)", "x = [1, 2]; normalize(x, p=1, dim=0)", method=False)
def normalize(input: Real, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Any:
    """Vectors along a dimension divided by their length; a length below `eps` counts as `eps`."""
    length = clamp_min(norm(input, p=p, dim=dims_from_front(dim, input.ndim), keepdim=True), eps)
    return div(input, expand(length, size=input.shape))
