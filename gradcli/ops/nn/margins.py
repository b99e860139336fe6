"""Losses with margins, between scores or between embeddings, lowered as torch lowers them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.checks.refusals import check_difference
from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics import precision
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.formulas import nn as entries
from gradcli.ops.nn.activations import logsigmoid, sigmoid
from gradcli.ops.nn.losses import check_reduction, check_weight, reduced, shared, write
from gradcli.ops.pointwise.arithmetic import add, div, mul, neg, rsub, sub
from gradcli.ops.pointwise.clamping import clamp_min
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import exp, sqrt
from gradcli.ops.pointwise.scalars import add_number, minus_number
from gradcli.ops.pointwise.selection import guarded, minimum, where
from gradcli.ops.reducing.distances import pairwise_distance
from gradcli.ops.reducing.reductions import mean_, sum_
from gradcli.ops.support.arguments import Real, real
from gradcli.ops.support.surface import operation

WHOLE_NUMBERS = (
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {}"
)
SMALL = 1e-12  # torch adds it to squared lengths


def over(losses: Any, reduction: str) -> Any:
    """Return the losses, their sum, or their mean, the reduction in a node of its own."""
    return losses if reduction == "none" else sum_(losses) if reduction == "sum" else mean_(losses)


def together(*tensors: Tensor) -> None:
    """Refuse tensors that do not broadcast."""
    values = [x.value for x in tensors]
    if not broadcastable(values):
        raise mismatch(values)


def constant(value: float, like: Tensor) -> Tensor:
    return Tensor(like.dtype.type(value))


def _soft_margin(x: Any, y: Any, *, reduction: str) -> Any:
    """Return the losses; as torch's they are infinite where the exponential is."""
    return reduced(precision.log1p(precision.exp(-y * x)), reduction)


def _chance(z: Any) -> Any:
    """Return `exp(z)/(1 + exp(z))`, which is nan with its derivatives where the exponential is infinite."""
    return guarded(equal(exp(z), math.inf), exp(z) - exp(z), sigmoid(z))


soft_margin = primitive(
    "soft_margin_loss",
    _soft_margin,
    lambda g, out, x, y, *, reduction: shared(g * (-y * _chance(-y * x)), x, reduction),
    notation=write("soft_margin_loss"),
    structured=True,
    traits=("average",),
    inputs=("self", "target"),
    says="The score gets minus the label times the chance that it is wrong.",
    index=entries.loss("log(1 + exp(-{y}·{x}))", ("x", "-{y}·sigmoid(-{y}·{x})")),
)


@operation("x = [0.5, -1, 2]; soft_margin_loss(x, [1, -1, -1])", method=False)
def soft_margin_loss(input: Real, target: Real, reduction: str = "mean") -> Any:
    """`log(1 + exp(-y*x))` for labels y of 1 and -1."""
    check_reduction(reduction)
    if input.shape != target.shape:
        together(input, target)
        raise AutogradError(
            "soft_margin_loss with a target of another shape is not supported here",
            code="E401",
            help=f"give the target in the shape of the input, {list(input.shape)}",
        )
    check_weight("soft_margin_loss", "target", target)
    return soft_margin(input, target, reduction=reduction)


@operation("x = [0.5, 0.25, 2]; hinge_embedding_loss(x, [1, -1, -1])", method=False, integers_stay=True)
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
)
def cosine_embedding_loss(
    input1: Real, input2: Real, target: Real, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """One less the cosine of rows where the label is 1, the cosine above a margin where it is -1."""
    check_reduction(reduction)
    dim = target.ndim
    if dim > 1:
        raise AutogradError("0D or 1D target tensor expected, multi-target not supported", code="E301")
    if input1.ndim != dim + 1 or input2.ndim != dim + 1:
        raise AutogradError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes "
            f"{list(input1.shape)} and {list(input2.shape)}.",
            code="E301",
        )
    together(input1, input2)
    products = sum_(mul(input1, input2), dim)
    lengths = [add_number(sum_(mul(x, x), dim), SMALL) for x in (input1, input2)]
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
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise AutogradError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs",
            code="E301",
        )


@operation(
    "a = [[1, 2], [0, 1]]; b = [[1, 1], [0.5, 1]]; c = [[2, 2], [1, 0]]; triplet_margin_loss(a, b, c)",
    "a = [[1, 2]]; b = [[1, 1]]; c = [[2, 3]]; triplet_margin_loss(a, b, c, margin=2, swap=True, reduction='none')",
    method=False,
    integers_stay=True,
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


@operation("x = [[0.5, -1, 2]]; multilabel_soft_margin_loss(x, [[1, 0, 1]])", method=False)
def multilabel_soft_margin_loss(input: Real, target: Real, weight: Real | None = None, reduction: str = "mean") -> Any:
    """Binary cross entropy of each class with its own label, 0 or 1; the mean over the classes."""
    check_reduction(reduction, "is not valid")
    if not input.ndim:
        raise AutogradError("Dimension out of range (expected to be in range of [-1, 0], but got 0)", code="E301")
    together(target, input)
    here, there = logsigmoid(input), logsigmoid(neg(input))
    loss = neg(add(mul(target, here), mul(rsub(target, 1), there)))
    if weight is not None:
        together(loss, weight)
        loss = mul(loss, weight)
    loss = div(sum_(loss, loss.ndim - 1), input.shape[-1])
    return over(loss, reduction)
