"""Sums with products as torch's optimizers round them, so that a thousand steps end on the same bits.

torch multiplies and adds in one rounding in `add(y, alpha=a)`, `addcmul` and `lerp`, and in several in `addcdiv`.
Every function takes arrays or numpy scalars of one dtype and a plain number, and returns a new value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.script.torch.random.normals import fused

Value = Any  # np.ndarray or a numpy scalar

SINGLE, DOUBLE = np.float32, np.float64


def added(x: Value, y: Value, factor: float) -> Value:
    """`x + factor*y`, rounded once: `x.add(y, alpha=factor)`."""
    if factor in (1, -1):
        return x + y if factor == 1 else x - y
    if x.dtype == SINGLE:
        return SINGLE(DOUBLE(SINGLE(factor)) * y + x)  # in float64 the product of two float32 is exact
    return _fused(y, factor, x)


def multiplied(x: Value, y: Value, z: Value, factor: float) -> Value:
    """`x + (factor*y)*z`, the second product and the sum rounded once: `x.addcmul(y, z, value=factor)`."""
    scaled = y * factor
    if x.dtype == SINGLE:
        return SINGLE(np.multiply(scaled, z, dtype=DOUBLE) + x)
    return _fused(scaled, z, x)


def divided(x: Value, y: Value, z: Value, factor: float) -> Value:
    """`x + factor*y/z`, each step rounded: `x.addcdiv(y, z, value=factor)`."""
    return x + y * factor / z


def blended(x: Value, y: Value, weight: float) -> Value:
    """Go from x to y by a part of the way, counted from the nearer end: `x.lerp(y, weight)`."""
    rounded = x.dtype.type(weight)
    if abs(rounded) < 0.5:
        return added(x, y - x, float(rounded))
    return added(y, y - x, float(rounded - x.dtype.type(1)))


def _fused(a: Value, b: Any, c: Value) -> Value:
    """`a*b + c`, rounded once in float64, else twice."""
    if c.dtype == DOUBLE:
        return fused(np.asarray(a), b, c)
    return a * b + c
