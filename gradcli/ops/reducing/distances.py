"""Distances and similarity of vectors, and normalization."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.refusals import check_difference
from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import number
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call
from gradcli.ops.formulas import reducing as entries
from gradcli.ops.pointwise.arithmetic import div, mul, sub
from gradcli.ops.pointwise.clamping import clamp_min
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import absolute, sign
from gradcli.ops.pointwise.scalars import add_number
from gradcli.ops.pointwise.selection import where
from gradcli.ops.reducing.norms import norm, norm_rule
from gradcli.ops.reducing.reductions import apply_sum, sum_dim
from gradcli.ops.shaping.axes import wrapped
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Dims, Real, check_size, real
from gradcli.ops.support.sentences import SAME
from gradcli.ops.support.surface import operation

# torch has this node where a norm is called with a number and dimensions
norm_over = replace(norm, node="NormBackward1")
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


def _between(x: Any, y: Any) -> Any:
    """Return each row of `x` less each row of `y`."""
    return unsqueeze(x, dim=len(x.shape) - 1) - unsqueeze(y, dim=len(y.shape) - 2)


def _pairs_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, p: float) -> Any:
    dim = len(out.shape)
    if math.isinf(p):  # here torch gives every entry of a tie the whole gradient, unlike a norm
        between = _between(x, y)
        hit = equal(absolute(between), unsqueeze(out, dim=dim))
        return sign(between) * where(hit, unsqueeze(g, dim=dim), 0)
    return norm_rule(unsqueeze(g, dim=dim), unsqueeze(out, dim=dim), _between(x, y), p=p, dim=dim, keepdim=True)


def _distances(x: Any, y: Any, *, p: float = 2) -> Any:
    between = _between(x, y)
    if p == 0:  # of which nan is no entry that differs
        between = np.ceil(np.minimum(np.abs(between), 1))
    return norm(between, p=p or 1, dim=max(x.ndim, y.ndim))


def _other_points_rule(g: Carrier, out: Carrier, x: Carrier, y: Carrier, *, p: float = 2) -> Any:
    total = sum_dim(_pairs_rule(g, out, x, y, p), dim=len(g.shape) - 2)
    return -total if p else total  # zeros have no sign


cdist = primitive(
    "cdist",
    _distances,
    lambda g, out, x, y, *, p=2: sum_dim(_pairs_rule(g, out, x, y, p), dim=len(g.shape) - 1),
    _other_points_rule,
    structured=True,
    kinks=lambda x, y, *, p=2: norm.kinks(_between(x, y), p=p, dim=max(x.ndim, y.ndim)),  # type: ignore[operator]
    convention=norm.convention,
    inputs=("x1", "x2"),
    says="Each distance pulls its two points along their difference; a point adds up its pairs.",
    index=entries.distances,
)


@operation(
    "A = [[1, 2], [0, 1]]; B = [[3, 5], [1, 1], [2, 0]]; cdist(A, B)",
    "A = [[1, 2], [0, 1]]; B = [[3, 5]]; cdist(A, B, p=1)",
    method=False,
    integers_stay=True,
)
def apply_cdist(x1: Real, x2: Real, p: float = 2) -> Any:
    """The distance of each row of one matrix from each row of another."""
    for name, x in (("X1", x1), ("X2", x2)):
        ShapeError.when(x.ndim < 2, f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise ShapeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    AutogradError.when(p < 0, "cdist only supports non-negative p values")
    batches = [np.empty(x.shape[:-2]) for x in (x1, x2)] if x1.ndim + x2.ndim < 60 else []
    check_together(*batches)
    batch, rows = broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), (x1.shape[-2], x2.shape[-2])
    check_size((*batch, *rows, x1.shape[-1]))
    return cdist(x1, x2, p=p)


@operation(
    "A = [[1, 2], [0, 1]]; B = [[3, 5], [1, 1]]; cosine_similarity(A, B)",
    "x = [1, 2]; y = [3, 5]; cosine_similarity(x, y, dim=0)",
    method=False,
)
def cosine_similarity(x1: Real, x2: Real, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between vectors along a dimension; a length below `eps` counts as `eps`."""
    check_together(x1.value, x2.value)
    if eps < 0:
        raise AutogradError(f"eps must be non-negative, got: {eps:g}")
    shape = broadcast_shapes(x1.shape, x2.shape)
    a, b = (x1, x2) if x1.shape == x2.shape else (expand(x, size=shape) for x in (x1, x2))
    axis = wrapped(dim, len(shape))
    lengths = [at_least(norm(x, dim=axis, keepdim=True), bound=eps) for x in (a, b)]
    return apply_sum(mul(div(a, lengths[0]), div(b, lengths[1])), axis)


@operation(
    "A = [[1, 2], [0, 1]]; B = [[3, 5], [1, 1]]; pairwise_distance(A, B)",
    "x = [1, 2]; y = [3, 5]; pairwise_distance(x, y, p=1, keepdim=True)",
    method=False,
    integers_stay=True,
)
def pairwise_distance(x1: Real, x2: Real, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The distance of rows; `eps` is added to every difference, so that no distance is 0."""
    check_difference([x1.value, x2.value])
    difference = add_number(real(sub(x1, x2)), eps)  # bytes have wrapped
    return norm_over(difference, p=p, dim=max(difference.ndim - 1, 0), keepdim=keepdim)


@operation("A = [[3, 4], [0, 1]]; normalize(A)", "x = [1, 2]; normalize(x, p=1, dim=0)", method=False)
def normalize(input: Real, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Any:
    """Vectors along a dimension divided by their length; a length below `eps` counts as `eps`."""
    length = clamp_min(norm(input, p=p, dim=wrapped(dim, input.ndim), keepdim=True), eps)
    return div(input, expand(length, size=input.shape))
