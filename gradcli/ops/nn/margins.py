"""Losses with margins, between scores or between embeddings, lowered as torch lowers them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.refusals import check_difference
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.nn.losses import check_reduction, over, together
from gradcli.ops.pointwise.arithmetic import add, div, mul, neg, sub
from gradcli.ops.pointwise.clamping import clamp_min
from gradcli.ops.pointwise.elementwise import sqrt
from gradcli.ops.pointwise.scalars import add_number, minus_number
from gradcli.ops.pointwise.selection import minimum, where
from gradcli.ops.reducing.distances import pairwise_distance
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.support.arguments import Real, real
from gradcli.ops.support.surface import operation

WHOLE_NUMBERS = (
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}"
)
SMALL = 1e-12  # torch adds it to squared lengths


def constant(value: float, like: Tensor) -> Tensor:
    return Tensor(like.dtype.type(value))


@operation(
    "x = [0.5, 0.25, 2]; hinge_embedding_loss(x, [1, -1, -1])", method=False, integers_stay=True, only="nn.functional"
)
def hinge_embedding_loss(input: Real, target: Real, margin: float = 1.0, reduction: str = "mean") -> Any:
    """The input where the label is 1; where it is -1, the margin less the input, at least 0."""
    check_reduction(reduction)
    together(target, input)
    if reduction == "mean" and not is_floating(input.value):
        kind = TYPE_NAMES[input.dtype]
        raise AutogradError(WHOLE_NUMBERS.format(kind))
    lacking = clamp_min(sub(constant(margin, input), input), 0)
    apart = where(Tensor(target.value != 1), lacking, constant(0, input))
    near = where(Tensor(target.value != -1), input, constant(0, input))
    return over(add(apart, near), reduction)


@operation(
    "x = [0.5, 1, 2]; y = [1, 0.5, 1.5]; margin_ranking_loss(x, y, [1, -1, 1], margin=1, reduction='sum')",
    method=False,
    integers_stay=True,
    only="nn.functional",
)
def margin_ranking_loss(input1: Real, input2: Real, target: Real, margin: float = 0.0, reduction: str = "mean") -> Any:
    """`relu(margin - target*(input1 - input2))`: the first should be larger (label 1), or the second (label -1)."""
    check_reduction(reduction)
    together(input1, input2)
    check_difference([input1.value, input2.value])
    difference = sub(input1, input2)
    together(target, difference)
    wrong = real(mul(neg(target), difference))  # bytes have wrapped
    losses = clamp_min(add_number(wrong, margin), 0)
    return over(losses, reduction)


@operation(
    "A = [[1, 2], [0.5, 1]]; B = [[2, 1], [1, -3]]; cosine_embedding_loss(A, B, [1, -1])",
    "x = [1, 2]; y = [2, 0.5]; cosine_embedding_loss(x, y, -1, margin=0.25)",
    method=False,
    only="nn.functional",
)
def cosine_embedding_loss(
    input1: Real, input2: Real, target: Real, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """One less the cosine of rows where the label is 1, the cosine above a margin where it is -1."""
    check_reduction(reduction)
    dim = target.ndim
    ShapeError.when(dim > 1, "0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != dim + 1 or input2.ndim != dim + 1:
        raise ShapeError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}."
        )
    together(input1, input2)
    products = apply_sum(mul(input1, input2), dim)
    lengths = [add_number(apply_sum(mul(x, x), dim), SMALL) for x in (input1, input2)]
    cosine = div(products, sqrt(mul(*lengths)))
    together(target, cosine)
    apart = clamp_min(minus_number(cosine, margin), 0)
    near = sub(constant(1, input1), cosine)
    zero = constant(0, input1)
    chosen = add(
        where(Tensor(np.equal(target.value, 1)), near, zero), where(Tensor(np.equal(target.value, -1)), apart, zero)
    )
    return over(chosen, reduction)


def check_triplet(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    """Refuse tensors of different numbers of dimensions, in torch's words."""
    ShapeError.when(
        not anchor.ndim == positive.ndim == negative.ndim,
        "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
        f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs",
    )


@operation(
    "a = [[1, 2], [0, 1]]; b = [[1, 1], [0.5, 1]]; c = [[2, 2], [1, 0]]; triplet_margin_loss(a, b, c)",
    "a = [[1, 2]]; b = [[1, 1]]; c = [[2, 3]]; triplet_margin_loss(a, b, c, margin=2, swap=True, reduction='none')",
    method=False,
    integers_stay=True,
    only="nn.functional",
)
def triplet_margin_loss(
    anchor: Real,
    positive: Real,
    negative: Real,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """`relu(d(anchor, positive) - d(anchor, negative) + margin)`, with distances `d`."""
    check_reduction(reduction)
    check_triplet(anchor, positive, negative)
    together(anchor, positive, negative)
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return over(clamp_min(sub(add_number(near, margin), far), 0), reduction)
