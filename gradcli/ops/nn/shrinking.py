"""Hard and shrinking activation functions, prelu with its weights, and glu with its gate."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.pointwise.comparisons import both, equal
from gradcli.ops.pointwise.elementwise import elementwise
from gradcli.ops.pointwise.selection import chosen, guarded, where
from gradcli.ops.shaping.shaping import reshaped
from gradcli.ops.support.arguments import Array, Real
from gradcli.ops.support.surface import operation, printed

SIXTH = float(np.float32(1 / 6))  # torch has single precision here


above = elementwise(
    "threshold",
    lambda x, *, threshold, value: np.asarray(np.where(np.less_equal(x, threshold), value, x), x.dtype)[()],
    lambda g, out, x, *, threshold, value: where(x <= threshold, 0, g),
    "The input where it is above the threshold, else `value`.",
    takes="input: Tensor, threshold: float, value: float",
    example="x = [-1, 0.5, 2]; threshold(x, 1, 20)",
    method=False,
    kinks=lambda x, *, threshold, value: np.equal(x, threshold),
    convention="threshold' is 0 at the threshold",
    pieces=lambda x, *, threshold, value: np.greater(x, threshold) & (value != threshold),
    traits=("gate",),
    node_in_place="ThresholdBackward1",
    says="The gradient comes through above the threshold, and is 0 below it.",
)
hardsigmoid = elementwise(
    "hardsigmoid",
    lambda x: np.clip(x + 3, 0, 6) / 6,
    lambda g, out, x: where(both(x > -3, x < 3), g * SIXTH, 0),
    "A sigmoid of straight pieces: `relu6(x + 3)/6`.",
    method=False,
    kinks=(-3.0, 3.0),
    convention="hardsigmoid' is 0 at its corners",
    traits=("bounded",),
    says="The gradient is a sixth between -3 and 3, and 0 beyond.",
    kernel="hardsigmoid_cpu",
)
hardswish = elementwise(
    "hardswish",
    lambda x: x * np.clip(x + 3, 0, 6) / 6,
    lambda g, out, x: where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g)),
    "The input times its hard sigmoid.",
    method=False,
    kinks=(-3.0, 3.0),
    convention="hardswish' is 0 at -3 and 1 at 3",
    says="Below -3 the gradient is 0, above 3 it comes through, and between it is multiplied by x/3 + 1/2.",
    kernel="hardswish_cpu",
)


def _prelu(x: Array, weight: Array) -> Any:
    """The input where it is positive, `weight*x` elsewhere."""
    return chosen(np.greater(x, 0), x, weight * x)


def _prelu_rule(g: Carrier, out: Carrier, x: Carrier, weight: Any) -> Any:
    fixed = Tensor(weight.value) if isinstance(weight, Tensor) else weight  # at 0 torch's second derivative is 0
    return where(x > 0, g, guarded(equal(x, 0), fixed * g, weight * g))


prelu = primitive(
    "prelu_kernel",
    _prelu,
    _prelu_rule,
    lambda g, out, x, weight: where(x >= 0, 0, x * g),  # and so flat in x at 0, as in torch
    kinks=lambda x, weight: np.equal(x, 0) & np.not_equal(weight, 1),
    inputs=("self", "weight"),
    convention="prelu'(0) is the slope",
    says="Above 0 the gradient comes through, below times the weight, which gets the negative inputs.",
)
printed(prelu, "x = [-1, 2]; w = [0.25, 0.5]; prelu_kernel(x, w)")


@operation(
    "x = [-1, 2]; w = 0.25; prelu(x, w)", "x = [[-1, 2], [3, -4]]; w = [0.25, 0.5]; prelu(x, w)", kernel="prelu_cpu"
)
def apply_prelu(input: Real, weight: Real) -> Any:
    """The input where positive, elsewhere the input times a weight, one for all or one for each channel."""
    count = weight.value.size
    ShapeError.when(
        weight.ndim > 1, f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}"
    )
    if count != 1:
        ShapeError.when(not input.ndim, "Not allow zero-dim input tensor.")
        channels = input.shape[1] if input.ndim > 1 else 1
        ShapeError.when(
            count != channels,
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel "
            f"size = {channels}.",
        )
    if input.ndim != weight.ndim:
        weight = reshaped(weight, tuple(count if axis == 1 else 1 for axis in range(input.ndim)))
    return prelu(input, weight)
