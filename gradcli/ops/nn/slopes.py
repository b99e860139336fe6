"""Backward passes that torch has nodes of their own for: they matter where a backward pass is differentiated again.

Formulas write them out, as the rules that use them did.
"""

from __future__ import annotations

from typing import Any

from gradcli.engine.primitive import Primitive, primitive
from gradcli.ops.pointwise.comparisons import both
from gradcli.ops.pointwise.elementwise import zero
from gradcli.ops.pointwise.selection import where

sigmoid_backward: Primitive = primitive(
    "sigmoid_backward",
    lambda g, out: g * (1 - out) * out,
    lambda h, _, g, out: sigmoid_backward(h, out),
    lambda h, _, g, out: h * g * (1 - 2 * out),
    node="SigmoidBackwardBackward0",
    fold=lambda g, out, *, value: g * (out * (1 - out)),
)
threshold_backward: Primitive = primitive(
    "threshold_backward",
    lambda g, out: where(out > 0, g, 0),
    lambda h, _, g, out: threshold_backward(h, out),
    lambda h, _, g, out: zero(h),
    node="ThresholdBackwardBackward0",
    fold=lambda g, out, *, value: where(out > 0, g, 0),
)


def _leaky(g: Any, x: Any, *, negative_slope: float) -> Any:
    return where(x > 0, g, negative_slope * g)


leaky_relu_backward: Primitive = primitive(
    "leaky_relu_backward",
    _leaky,
    lambda h, _, g, x, *, negative_slope: leaky_relu_backward(h, x, negative_slope=negative_slope),
    lambda h, _, g, x, *, negative_slope: zero(h),
    node="LeakyReluBackwardBackward0",
    fold=lambda g, x, *, value, negative_slope: _leaky(g, x, negative_slope=negative_slope),
)


def _held(g: Any, x: Any, *, min_val: float, max_val: float) -> Any:
    return where(both(x > min_val, x < max_val), g, 0)


hardtanh_backward: Primitive = primitive(
    "hardtanh_backward",
    _held,
    lambda h, _, g, x, **bounds: hardtanh_backward(h, x, **bounds),
    lambda h, _, g, x, **bounds: zero(h),
    node="HardtanhBackwardBackward0",
    fold=lambda g, x, *, value, min_val, max_val: _held(g, x, min_val=min_val, max_val=max_val),
)
