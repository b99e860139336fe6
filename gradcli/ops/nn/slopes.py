"""Backward passes that have a node of their own in torch, for differentiating a backward pass again.

Formulas write them out in full.
"""

from __future__ import annotations

from typing import Any

from gradcli.engine.primitive import Primitive, primitive
from gradcli.ops.pointwise.comparisons import both
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.powers import zero
from gradcli.ops.pointwise.selection import guarded, where
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array
from gradcli.ops.support.choice import chosen
from gradcli.ops.support.sentences import GATED_AGAIN


def _sigmoid_backward(g: Array, out: Array) -> Any:
    """The gradient of `sigmoid`, from its result."""
    return g * (1 - out) * out


def _threshold_backward(g: Array, out: Array) -> Any:
    """The gradient where the result is positive, 0 elsewhere."""
    return chosen(out <= 0, 0, g)  # so that a nan lets the gradient through, as in torch


sigmoid_backward: Primitive = primitive(
    "sigmoid_backward",
    _sigmoid_backward,
    lambda h, _, g, out: sigmoid_backward(h, out),
    lambda h, _, g, out: h * g * (1 - 2 * out),
    node="SigmoidBackwardBackward0",
    fold=lambda g, out, *, value: g * (out * (1 - out)),
    says="The gradient that comes back is g*y*(1 - y): linear in g, and y has the slope g*(1 - 2*y).",
)
threshold_backward: Primitive = primitive(
    "threshold_backward",
    _threshold_backward,
    lambda h, _, g, out: threshold_backward(h, out),
    lambda h, _, g, out: zero(h),
    node="ThresholdBackwardBackward0",
    fold=lambda g, out, *, value: guarded(nan(out), g, where(out > 0, g, 0)),
    says=GATED_AGAIN,
)


def _leaky(g: Array, x: Array, *, negative_slope: float) -> Any:
    """The gradient where the input is positive, a part of it elsewhere."""
    return where(x > 0, g, negative_slope * g)


leaky_relu_backward: Primitive = primitive(
    "leaky_relu_backward",
    _leaky,
    lambda h, _, g, x, *, negative_slope: leaky_relu_backward(h, x, negative_slope=negative_slope),
    lambda h, _, g, x, *, negative_slope: zero(h),
    node="LeakyReluBackwardBackward0",
    fold=lambda g, x, *, value, negative_slope: _leaky(g, x, negative_slope=negative_slope),
    says=GATED_AGAIN,
)


def _held(g: Array, x: Array, *, min_val: float, max_val: float) -> Any:
    """The gradient where the input is between the bounds, 0 elsewhere."""
    return chosen((x <= min_val) | (x >= max_val), 0, g)


hardtanh_backward: Primitive = primitive(
    "hardtanh_backward",
    _held,
    lambda h, _, g, x, **bounds: hardtanh_backward(h, x, **bounds),
    lambda h, _, g, x, **bounds: zero(h),
    node="HardtanhBackwardBackward0",
    fold=lambda g, x, *, value, min_val, max_val: guarded(nan(x), g, where(both(x > min_val, x < max_val), g, 0)),
    says=GATED_AGAIN,
)
printed(sigmoid_backward, "u = [1, 2]; y = [0.5, 0.25]; sigmoid_backward(u, y)")
printed(threshold_backward, "u = [1, 2]; y = [0.5, -1]; threshold_backward(u, y)")
printed(leaky_relu_backward, "u = [1, 2]; x = [0.5, -1]; leaky_relu_backward(u, x, negative_slope=0.1)")
printed(hardtanh_backward, "u = [1, 2]; x = [0.5, -3]; hardtanh_backward(u, x, min_val=-1, max_val=1)")
