"""Sums with products as torch rounds them, so that a thousand steps of an optimizer end on the same bits.

torch multiplies and adds in one rounding in `add(y, alpha=a)`, `addcmul` and `lerp`, and in several in `addcdiv`.
Every function takes arrays or numpy scalars and a plain number, and returns a new value; only floats of one dtype are
rounded once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Value = Any  # np.ndarray or a numpy scalar

SINGLE, DOUBLE = np.float32, np.float64


def fused(a: Array, b: Any, c: Any) -> Array:
    """Return `a*b + c` rounded once, in the dtype of the array `a`."""
    if a.dtype == np.float32:
        b, c = (np.asarray(x, np.float32).astype(np.float64) for x in (b, c))
        wide: Array = a.astype(np.float64) * b + c  # the product is exact
        return wide.astype(np.float32)
    product = a * b
    total: Array = product + c
    rest = total - product
    lost = (product - (total - rest)) + (c - rest)
    corrected = total + (lost + _lost_by_product(a, b, product))
    return np.where(np.isfinite(corrected), corrected, total)


def are_floats(*values: Any) -> bool:
    """Return whether values have one dtype, of floats that are not half."""
    dtype = getattr(values[0], "dtype", None)
    return dtype in (SINGLE, DOUBLE) and all(getattr(value, "dtype", None) == dtype for value in values[1:])


def added(x: Value, y: Value, factor: float) -> Value:
    """`x + factor*y`, rounded once: `x.add(y, alpha=factor)`."""
    if factor in (1, -1):
        return x + y if factor == 1 else x - y
    if not are_floats(x, y):
        return x + factor * y
    if x.dtype == SINGLE:
        return SINGLE(DOUBLE(SINGLE(factor)) * y + x)  # in float64 the product of two float32 is exact
    return fused(np.asarray(y), factor, x)


def multiplied(x: Value, y: Value, z: Value, factor: float) -> Value:
    """`x + (factor*y)*z`, the second product and the sum rounded once: `x.addcmul(y, z, value=factor)`."""
    scaled = y * factor
    if not are_floats(x, y, z):
        return x + scaled * z
    if x.dtype == SINGLE:
        return SINGLE(np.multiply(scaled, z, dtype=DOUBLE) + x)
    return fused(np.asarray(scaled), z, x)


def divided(x: Value, y: Value, z: Value, factor: float) -> Value:
    """`x + factor*y/z`, each step rounded: `x.addcdiv(y, z, value=factor)`."""
    return x + y * factor / z


def blended(x: Value, y: Value, weight: float) -> Value:
    """Go from x to y by a part of the way, counted from the nearer end: `x.lerp(y, weight)`."""
    kind = x.dtype.type if are_floats(x, y) else float
    rounded = kind(weight)
    if abs(rounded) < 0.5:
        return added(x, y - x, float(rounded))
    return added(y, y - x, float(rounded - kind(1)))


def _lost_by_product(a: Any, b: Any, product: Any) -> Any:
    """Return the rounding error of `a*b` in float64, by Dekker's product of halves."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return a_low * b_low - (product - a_high * b_high - a_low * b_high - a_high * b_low)


def _halves(value: Any) -> tuple[Any, Any]:
    """Split a number into two with half its digits each (Veltkamp)."""
    scaled = value * (2.0**27 + 1)
    high = scaled - (scaled - value)
    return high, value - high
