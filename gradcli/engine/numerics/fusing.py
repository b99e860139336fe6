"""A product and a sum in one rounding, as torch's random numbers do them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


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


def _lost_by_product(a: Any, b: Any, product: Any) -> Any:
    """Return the rounding error of `a*b` in float64, by Dekker's product of halves."""
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return a_low * b_low - (product - a_high * b_high - a_low * b_high - a_high * b_low)


def _halves(value: Any) -> tuple[Any, Any]:
    """Split a number into two with half its digits each (Veltkamp)."""
    scaled = value * (2.0**27 + 1)
    high = scaled - (scaled - value)
    return high, value - high
