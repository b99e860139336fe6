"""Losses that compare distributions (Kullback-Leibler, Poisson, Gauss), lowered as torch lowers them."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.nn.losses import check_reduction
from gradcli.ops.nn.margins import over, together
from gradcli.ops.pointwise.arithmetic import add, div, mul, sub
from gradcli.ops.pointwise.elementwise import exp, log
from gradcli.ops.pointwise.powers import power
from gradcli.ops.pointwise.scalars import add_number, mul_number
from gradcli.ops.pointwise.selection import masked_fill
from gradcli.ops.pointwise.ternary import xlogy
from gradcli.ops.reducing.distances import at_least
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Operand, Real
from gradcli.ops.support.surface import operation

MEAN_OF_ALL = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)


@operation(
    "x = [[-0.5, -1.5]]; y = [[0.6, 0.4]]; kl_div(x, y, reduction='batchmean')",
    "x = [-0.5, -1.5]; y = [-0.25, -2]; kl_div(x, y, reduction='sum', log_target=True)",
    method=False,
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


@operation(
    "x = [0.5, 1]; y = [1, 2]; v = [0.5, 2]; gaussian_nll_loss(x, y, v)",
    "x = [0.5, 1]; y = [1, 2]; gaussian_nll_loss(x, y, 2.5, full=True, reduction='sum')",
    method=False,
)
def gaussian_nll_loss(
    input: Real, target: Real, var: Operand, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Minus the log likelihood of normal distributions with mean `input` and variance `var`, at least `eps`."""
    check_reduction(reduction, "is not valid")
    variance = _variance(input, var)
    together(input, target)
    AutogradError.when(np.any(variance.value < 0), "var has negative entry/entries")
    variance = at_least(variance, bound=eps)
    squares = power(sub(input, target), exponent=2)
    losses = mul(add(log(variance), div(squares, variance)), 0.5)
    if full:
        losses = add(losses, 0.5 * math.log(2 * math.pi))
    return over(losses, reduction)


def _variance(input: Tensor, var: Operand) -> Any:
    if not isinstance(var, Tensor):
        return Tensor(np.full(input.shape, var, input.dtype)[()])
    if var.shape == input.shape:
        return var
    if input.shape[:-1] == var.shape:
        return unsqueeze(var, dim=var.ndim)
    if var.ndim == input.ndim:
        differing = [one for one, other in zip(var.shape, input.shape, strict=True) if one != other]
        if differing == [1]:
            return var
    raise ShapeError("var is of incorrect size")
