"""Distances and similarity of vectors, and normalization."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, check_together
from gradcli.engine.primitive import primitive
from gradcli.engine.symbolic.notation import number
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call
from gradcli.ops.pointwise.arithmetic import div, mul
from gradcli.ops.pointwise.clamping import clamp_min
from gradcli.ops.reducing.norms import norm
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.shaping.axes import wrapped
from gradcli.ops.support.arguments import Dims, Real
from gradcli.ops.support.surface import SAME, operation

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
    axis = wrapped(dim, len(shape))
    lengths = [at_least(norm(x, dim=axis, keepdim=True), bound=eps) for x in (a, b)]
    return apply_sum(mul(div(a, lengths[0]), div(b, lengths[1])), axis)


@operation("A = [[3, 4], [0, 1]]; normalize(A)", "x = [1, 2]; normalize(x, p=1, dim=0)", method=False)
def normalize(input: Real, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12) -> Any:
    """Vectors along a dimension divided by their length; a length below `eps` counts as `eps`."""
    length = clamp_min(norm(input, p=p, dim=wrapped(dim, input.ndim), keepdim=True), eps)
    return div(input, expand(length, size=input.shape))
