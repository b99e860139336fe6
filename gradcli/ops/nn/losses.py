"""Losses: squared and absolute errors, both joined (smooth L1, Huber), and of distributions (Kullback-Leibler, Gauss).

A loss is one node with its reduction; its gradient is that of the entries, divided by their number for a mean. A weight
that is left out counts as the number 1, which formulas leave out too.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.refusals import check_constant
from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, check_together, mismatch
from gradcli.engine.numerics import summation
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation, named
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.pointwise.arithmetic import add, div, mul, sub
from gradcli.ops.pointwise.elementwise import absolute, exp, log, sign
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.scalars import add_number, mul_number
from gradcli.ops.pointwise.selection import chosen, guarded, masked_fill, where
from gradcli.ops.pointwise.ternary import xlogy
from gradcli.ops.reducing.reductions import apply_mean, apply_sum
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.surface import operation, printed

DIFFERENT_SIZE = (
    "Using a target size (torch.Size({})) that is different to the input size (torch.Size({})). This will likely lead "
    "to incorrect results due to broadcasting. Please ensure they have the same size."
)


def reduced(losses: Any, reduction: str, count: float | None = None) -> Any:
    """Return the losses, their sum, or their mean; `count` replaces their number as the divisor."""
    if reduction == "none":
        return losses
    total = summation.total(losses)
    return total if reduction == "sum" else total / (np.size(losses) if count is None else count)


def shared(gradient: Any, x: Any, reduction: str) -> Any:
    """Turn the gradients of the entries' losses into the gradient of the reduced loss."""
    return gradient / math.prod(x.shape) if reduction == "mean" else gradient


def over(losses: Any, reduction: str) -> Any:
    """Return the losses, their sum, or their mean, the reduction in a node of its own."""
    return losses if reduction == "none" else apply_sum(losses) if reduction == "sum" else apply_mean(losses)


def together(*tensors: Tensor) -> None:
    """Refuse tensors that do not broadcast."""
    check_together(*(x.value for x in tensors))


def write(name: str, *weights: str) -> Notation:
    """Return the notation `loss(x, y, weight=w, reduction='sum')`."""

    def written(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, y, *others = operands
        given = {**dict(zip(weights, others, strict=True)), **options}
        return Call(name, (Argument(x.tree), Argument(y.tree), *named(given)))

    return written


def _mse_backward(g: Array, x: Array, y: Array, *, reduction: str) -> Any:
    """The gradient of `mse_loss` by its input."""
    return (_twice(x, reduction) * (x - y) * g).astype(x.dtype)


mse_backward: Primitive = primitive(
    "mse_loss_backward",
    _mse_backward,
    lambda h, _, g, x, y, *, reduction: h * (_twice(x, reduction) * (x - y)),
    lambda h, _, g, x, y, *, reduction: h * g * _twice(x, reduction),
    lambda h, _, g, x, y, *, reduction: -h * g * _twice(x, reduction),
    structured=True,
    node="MseLossBackwardBackward0",
    fold=lambda g, x, y, *, value, reduction: shared(g * (2 * (x - y)), x, reduction),
    says="The gradient that comes back is 2*g times the difference, so both follow the product rule.",
    traits=("adjoint",),
)
printed(mse_backward, "u = 2; x = [1, 2]; y = [3, 5]; mse_loss_backward(u, x, y, reduction='mean')")
mse = primitive(
    "mse_loss",
    lambda x, y, *, reduction: reduced((x - y) ** 2, reduction),
    lambda g, out, x, y, *, reduction: mse_backward(g, x, y, reduction=reduction),
    lambda g, out, x, y, *, reduction: mse_backward(g, y, x, reduction=reduction),
    notation=write("mse_loss"),
    structured=True,
    traits=("average",),
    inputs=("self", "target"),
    says="The slope of a squared error is twice the error, over n for a mean; the target gets the opposite.",
    index=entries.loss("({x} - {y})**2"),
)


def _twice(x: Any, reduction: str) -> float:
    """Return the factor of a square's derivative, 2/n for a mean over n entries, as one number as in torch."""
    return 2 / max(math.prod(x.shape), 1) if reduction == "mean" else 2.0


def _smooth_l1(x: Any, y: Any, *, reduction: str, beta: float) -> Any:
    d = np.abs(x - y)
    return reduced(chosen(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction)


def _smooth_l1_rule(g: Carrier, out: Any, x: Carrier, y: Carrier, *, reduction: str, beta: float) -> Any:
    slope = where(absolute(x - y) < beta, (x - y) / beta, sign(x - y))
    return shared(g * guarded(nan(x - y), math.nan, slope), x, reduction)


smooth_l1 = primitive(
    "smooth_l1_loss",
    _smooth_l1,
    _smooth_l1_rule,
    lambda g, out, x, y, **o: -_smooth_l1_rule(g, None, x, y, **o),
    node="SmoothL1LossBackward0",
    notation=write("smooth_l1_loss"),
    structured=True,
    traits=("average",),
    inputs=("self", "target"),
    says="A small error counts as in a square, a large one with its sign alone; targets get the opposite.",
)


def _huber(x: Any, y: Any, *, reduction: str, delta: float) -> Any:
    d = np.abs(x - y)
    return reduced(chosen(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


def _huber_rule(g: Carrier, out: Any, x: Carrier, y: Carrier, *, reduction: str, delta: float) -> Any:
    slope = where(absolute(x - y) < delta, x - y, delta * sign(x - y))
    return shared(g * guarded(nan(x - y), math.nan, slope), x, reduction)


huber = primitive(
    "huber_loss",
    _huber,
    _huber_rule,
    lambda g, out, x, y, **o: -_huber_rule(g, None, x, y, **o),
    notation=write("huber_loss"),
    structured=True,
    traits=("average",),
    inputs=("self", "target"),
    says=smooth_l1.says,
)


def check_reduction(reduction: str, text: str = "is not a valid value for reduction") -> None:
    if reduction not in ("mean", "sum", "none"):
        raise AutogradError(f"{reduction} {text}", help="it is 'mean', 'sum' or 'none'")


def _matched(x: Tensor, y: Tensor, reduction: str) -> tuple[Any, Any]:
    """Expand both to one shape, with torch's warning where the shapes differ."""
    if x.shape == y.shape:
        check_reduction(reduction)
        return x, y
    warnings.warn(DIFFERENT_SIZE.format(list(y.shape), list(x.shape)), UserWarning, stacklevel=3)
    check_together(x.value, y.value)
    check_reduction(reduction)
    shape = broadcast_shapes(x.shape, y.shape)
    return tuple(v if v.shape == shape else expand(v, size=shape) for v in (x, y))  # type: ignore[return-value]


def check_weight(function: str, argument: str, weight: Tensor | None, shape: tuple[int, ...] | None = None) -> Any:
    """Return the weight, or 1; torch differentiates no loss with respect to its weights."""
    if weight is None:
        return 1
    check_constant(function, argument, weight)
    if shape is not None and not broadcastable([np.empty(shape), weight.value]):
        raise mismatch([np.empty(shape), weight.value])
    if shape is not None and broadcast_shapes(shape, weight.shape) != shape:
        broadcast = list(broadcast_shapes(shape, weight.shape))
        raise ShapeError(f"output with shape {list(shape)} doesn't match the broadcast shape {broadcast}")
    return weight


@operation(
    "x = [1, 2]; y = [3, 5]; mse_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; mse(x, y, reduction='none')",
    aliases=["mse"],
    method=False,
    kernel="mse_cpu",
)
def mse_loss(input: Real, target: Real, reduction: str = "mean") -> Any:
    """The mean of the squared differences."""
    return mse(*_matched(input, target, reduction), reduction=reduction)


@operation(
    "x = [1, 2]; y = [3, 5]; l1_loss(x, y)", "x = [1, 2]; y = [3, 5]; l1_loss(x, y, reduction='sum')", method=False
)
def l1_loss(input: Real, target: Real, reduction: str = "mean") -> Any:
    """The mean of the absolute differences."""
    x, y = _matched(input, target, reduction)
    losses = absolute(x - y)
    return losses if reduction == "none" else apply_mean(losses) if reduction == "mean" else apply_sum(losses)


@operation(
    "x = [1, 2]; y = [1.5, 5]; smooth_l1_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; smooth_l1_loss(x, y, reduction='sum', beta=2.5)",
    method=False,
    kernel="smooth_l1_cpu",
)
def smooth_l1_loss(input: Real, target: Real, reduction: str = "mean", beta: float = 1.0) -> Any:
    """Squared error over `2*beta` below `beta`, absolute error less `beta/2` above."""
    if beta < 0:
        raise AutogradError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction)
    return smooth_l1(*_matched(input, target, reduction), reduction=reduction, beta=beta)


@operation(
    "x = [1, 2]; y = [1.5, 5]; huber_loss(x, y)",
    "x = [1, 2]; y = [3, 5]; huber_loss(x, y, reduction='none', delta=2.5)",
    method=False,
    kernel="huber_cpu",
)
def huber_loss(input: Real, target: Real, reduction: str = "mean", delta: float = 1.0) -> Any:
    """Half the squared error below `delta`, a straight line above."""
    if delta <= 0:
        raise AutogradError("huber_loss does not support non-positive values for delta.")
    return huber(*_matched(input, target, reduction), reduction=reduction, delta=delta)


MEAN_OF_ALL = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)


@operation(
    "x = [[-0.5, -1.5]]; y = [[0.6, 0.4]]; kl_div(x, y, reduction='batchmean')",
    "x = [-0.5, -1.5]; y = [-0.25, -2]; kl_div(x, y, reduction='sum', log_target=True)",
    method=False,
    only="nn.functional",
)
def kl_div(input: Real, target: Real, reduction: str = "mean", log_target: bool = False) -> Any:
    """The divergence of Kullback and Leibler: `target*(log(target) - input)` for logarithms of probabilities."""
    if reduction != "batchmean":
        check_reduction(reduction)
    if reduction == "mean":
        warnings.warn(MEAN_OF_ALL, UserWarning, stacklevel=2)
    together(target, input)
    losses = _in_logarithms(input, target) if log_target else sub(xlogy(target, target), mul(target, input))
    if reduction != "batchmean":
        return over(losses, reduction)
    summed = over(losses, "sum")
    return div(summed, input.shape[0]) if input.ndim else summed


def _in_logarithms(input: Real, target: Real) -> Any:
    return mul(exp(target), sub(target, input))


@operation(
    "x = [0.5, 1]; y = [2, 1]; poisson_nll_loss(x, y)",
    "x = [0.5, 1]; poisson_nll_loss(x, [2, 1], log_input=False, full=True, reduction='sum')",
    method=False,
    only="nn.functional",
)
def poisson_nll_loss(
    input: Real, target: Real, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """Minus the log likelihood of counts; `full` adds Stirling's approximation of the part without parameters."""
    check_reduction(reduction)
    together(target, input)
    rate, logarithm = (exp(input), input) if log_input else (input, log(add_number(input, eps)))
    losses = sub(rate, mul(target, logarithm))
    if full:
        root = mul_number(log(mul_number(target, 2 * math.pi)), 0.5)
        stirling = add(sub(mul(target, log(target)), target), root)
        losses = add(losses, masked_fill(stirling, Tensor(target.value <= 1), 0))
    return over(losses, reduction)
