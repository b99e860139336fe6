"""The Box-Muller transformation as torch's vectorised CPU code rounds it.

In float32 torch computes logarithm, sine and cosine from the polynomials of the Cephes library (`logf.c`, `sinf.c`),
every product and sum in one rounding. The same steps here give the same bits. In float64 it asks the C library, as
Python does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.numerics.fusing import fused

Array = np.ndarray[Any, Any]
Single = np.float32

SQRT_HALF = Single(math.sqrt(0.5))
LOG = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
LN2_LOW, LN2_HIGH = Single(-2.12194440e-4), 0.693359375
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)  # in three parts, most of it first


def standard_normals(uniforms: Array) -> Array:
    """Make normal numbers of uniform ones in [0, 1), in blocks of 16: eight radii with eight angles."""
    blocks = uniforms.reshape(-1, 2, 8)
    u, v = 1 - blocks[:, 0], blocks[:, 1]
    if uniforms.dtype == np.float32:
        radius = np.sqrt(-2 * _log(u))
        cosine, sine = _cos_and_sin(Single(2 * math.pi) * v)
    else:
        radius = np.sqrt(-2 * each(math.log, u))
        angle = 2 * math.pi * v
        cosine, sine = each(math.cos, angle), each(math.sin, angle)
    return np.stack([radius * cosine, radius * sine], axis=1).reshape(uniforms.shape)


def each(function: Callable[[float], float], values: Array) -> Array:
    """Apply a function of the C library to every entry; numpy's own sometimes differ in the last digit."""
    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(values.shape)


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluate a polynomial by Horner's rule, from the highest power down."""
    y: Array = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        y = fused(y, x, coefficient)
    return y


def _log(x: Array) -> Array:
    """Return the logarithm of positive float32 numbers: of a mantissa near 1, plus the exponent times log 2."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < SQRT_HALF
    e = (exponent - low).astype(np.float32)
    m = (mantissa - Single(1)) + np.where(low, mantissa, Single(0))
    square = m * m
    y = fused(_polynomial(LOG, m) * m, square, e * LN2_LOW)
    return fused(e, LN2_HIGH, m + fused(square, -0.5, y))


def _cos_and_sin(angle: Array) -> tuple[Array, Array]:
    """Return cosine and sine of float32 angles from 0: of the rest beyond a quarter turn, then swapped and signed."""
    octant = (angle * Single(4 / math.pi)).astype(np.int32) + 1 & ~1
    x = angle
    for part in QUARTER_PI:
        x = fused(octant.astype(np.float32), -part, x)
    square = x * x
    cosine = fused(_polynomial(COS, square) * square, square, square * Single(-0.5)) + Single(1)
    sine = fused(_polynomial(SIN, square) * square, x, x)
    swapped = octant & 2 != 0
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant + 2 & 4, -cosine, cosine), np.where(octant & 4, -sine, sine)
