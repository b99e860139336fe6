"""Modified Bessel functions of the first kind, of order 0 and 1; names that end in `e` are scaled by `exp(-abs(x))`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.ops.pointwise.comparisons import either
from gradcli.ops.pointwise.elementwise import absolute, elementwise, sign
from gradcli.ops.pointwise.logic import nan
from gradcli.ops.pointwise.selection import guarded

FAR = 30.0  # from here on the asymptotic series is exact to the last digit
TERMS = 90  # of the power series, enough for the last digit below FAR


def _scaled(order: int, x: Any) -> Any:
    """Return `exp(-abs(x))*I(x)`: Abramowitz and Stegun, Handbook of Mathematical Functions, 9.6.10 and 9.7.1."""
    values = np.asarray(x, np.float64)
    size = np.abs(values)
    near, far = np.minimum(size, FAR), np.maximum(size, FAR)
    quarter, term, total = near * near / 4, np.ones_like(size), np.zeros_like(size)
    for k in range(1, TERMS):
        total = total + term
        term = term * quarter / (k * (k + order))
    below = total * (near / 2) ** order * np.exp(-near)
    term, total = np.ones_like(size), np.zeros_like(size)
    for k in range(1, 20):
        total = total + term
        term = -term * (4 * order * order - (2 * k - 1) ** 2) / (8 * k * far)
    above = total / np.sqrt(2 * math.pi * far)
    found = np.where(size < FAR, below, above)
    found = np.where(np.isinf(size), 0.0, np.where(np.isnan(size), np.nan, found))
    return np.copysign(found, values) if order else found


def _function(order: int, *, scaled: bool) -> Any:
    def forward(x: Any) -> Any:
        values = np.asarray(x)
        found = _scaled(order, values)
        if not scaled:
            found = found * np.exp(np.abs(values.astype(np.float64)))
        return found.astype(values.dtype)[()]

    return forward


def _middle(x: Any) -> Any:
    """Tell where a slope has nothing to divide by: next to 0 and, as torch has it, at nan."""
    return either(absolute(x) <= float(np.finfo(x.dtype).eps), nan(x))


def _apart(x: Any) -> Any:
    """Return x with 1 in place of 0 and nan, for the side that is not chosen there must have a derivative too."""
    return guarded(_middle(x), 1, x)


i0: Primitive = elementwise(
    "i0",
    _function(0, scaled=False),
    lambda g, out, x: g * i1(x),
    "The modified Bessel function of order 0.",
    says="The derivative of the Bessel function of order 0 is the one of order 1.",
)
i1: Primitive = elementwise(
    "i1",
    _function(1, scaled=False),
    lambda g, out, x: g * guarded(_middle(x), 0.5, i0(_apart(x)) - out / _apart(x)),
    "The modified Bessel function of order 1.",
    node="SpecialI1Backward0",
    method=False,
    says="The derivative of the Bessel function of order 1 is that of order 0 minus itself over x.",
)
i0e: Primitive = elementwise(
    "i0e",
    _function(0, scaled=True),
    lambda g, out, x: g * (i1e(x) - sign(x) * out),
    "`exp(-abs(x))*i0(x)`, which stays finite.",
    node="SpecialI0EBackward0",
    kinks=(0.0,),
    convention="i0e'(0) = 0",
    method=False,
    says="The scaled function has the slope of the unscaled one, less itself with the sign of the input.",
)
i1e: Primitive = elementwise(
    "i1e",
    _function(1, scaled=True),
    lambda g, out, x: g * guarded(_middle(x), 0.5, i0e(_apart(x)) - out * sign(x) - out / _apart(x)),
    "`exp(-abs(x))*i1(x)`, which stays finite.",
    node="SpecialI1EBackward0",
    method=False,
    says=i0e.says,
)
