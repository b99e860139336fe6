"""Square roots and logarithms in single precision with the digits of torch's library on processors of AMD.

The library approximates them in few steps, each rounded, and misses the nearest number in one of six roots and one of
twelve logarithms: read off torch 2.13 with its MKL. A processor of another maker gets other code from the library.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.numerics import precision
from gradcli.engine.numerics.precision import MANY, SINGLE

Array = Any  # np.ndarray or a numpy scalar

ONE = 0x3F800000  # the bits of 1, of 2/3, of the smallest normal number, and of infinity
TWO_THIRDS = 0x3F2AAAAB
NORMAL, INFINITE = 0x00800000, 0x7F800000
FRACTION = 0x7FFFFF
HALF = np.float32(0.5)
LN_2 = np.float32(0.693145751953125), np.float32(1.428606765330187e-06)  # in two parts, most of it first
# Of the logarithm of 1 + t, from the highest power down to that of t**2.
LOG = tuple(
    map(
        np.float32,
        (
            -0.12891685962677002, 0.1398443728685379, -0.12184260785579681, 0.140058696269989, -0.16680487990379333,
            0.20010405778884888, -0.24999797344207764, 0.3333321511745453, -0.5,
        ),
    )
)  # fmt: skip
# By how much, plus one, the processor's table of reciprocal roots differs from the line of each part, in base 3.
DIFFERENCES = (
    "e2pcs9c1uuylxhzboit3beend8jddnojrzcrompgzv4qvp61hmzxavovcu3jikywlp40i7j64b5c5cleevygrkqubkhjguknctawxllc"
    "cyncmz504m08c84midjz3uda85d8o1z6jfdlnlkqtjvd846dn6e955rgcb3bqoidy2zezjfbxc12vlth3y6ani3ixwg5i6igwq26zsu2"
    "yu0kh8vfwyg9auemyjbeek6okzpo36mwnhpt4m7zm85s8552hayr9qmf8m4ris7c9ed6h4bh0lm6vnigitf0dauwkd691ienl5qn21vp"
    "e9"
)


def sqrt(x: Array) -> Array:
    """Return square roots: the processor's reciprocal root, and two steps of Newton's method towards the root."""
    if not _is_single(x):
        return np.sqrt(x)
    bits = x.view(np.int32)
    exponent = bits - ONE
    near = (_reciprocal_roots()[(exponent >> 11) & 0x1FFF] - (exponent >> 24 << 23)).view(SINGLE)
    with np.errstate(all="ignore"):
        root, half = x * near, HALF * near
        error = HALF - root * half
        root, half = root + root * error, half + half * error
        found = root + half * (x - root * root)
    return _where_normal(bits, found, np.sqrt, x)


def log(x: Array) -> Array:
    """Return natural logarithms: a polynomial around 1, and as many times the logarithm of 2 as it takes."""
    if not _is_single(x):
        return precision.log(x)
    bits = x.view(np.int32)
    offset = bits - TWO_THIRDS
    twos = (offset >> 23).astype(SINGLE)
    t = ((offset & FRACTION) + np.int32(TWO_THIRDS)).view(SINGLE) - np.float32(1)
    series: Array = LOG[0]
    for coefficient in LOG[1:]:
        series = series * t + coefficient
    return _where_normal(bits, twos * LN_2[0] + (twos * LN_2[1] + (series * t * t + t)), precision.log, x)


def _is_single(x: Array) -> bool:
    return getattr(x, "dtype", None) is SINGLE and x.size <= MANY


def _where_normal(bits: Array, found: Array, otherwise: Any, x: Array) -> Array:
    """Return what was found, but for 0, infinity, nan and what is negative or nearly 0."""
    normal = (bits >= NORMAL) & (bits < INFINITE)
    return found if normal.all() else np.where(normal, found, otherwise(x))[()]


@cache
def _reciprocal_roots() -> Array:
    """Return the bits of the processor's approximations of 1/sqrt(x) for 1 <= x < 4, a quarter of 1/1024 wide each.

    They are sums of two numbers: one for each of 512 parts, and one for each of 16 places along 32 longer parts.
    """
    start = np.concatenate([np.arange(16, 32) / 16, np.arange(16, 32) / 8])[:, None]
    width = start[[0, 16]].repeat(16, 0) / 16
    places = np.arange(16)
    digits, number = [], int(DIFFERENCES, 36)
    for _ in range(1024):
        number, digit = divmod(number, 3)
        digits.append(digit - 1)
    parts, along = np.reshape(digits, (2, 32, 16))
    parts = parts + np.round(8192 / np.sqrt(start + width * (places + 1 / 32) / 16))
    along = along + np.round(-16 * (start + width * 0.75) ** -1.5 * width * places)
    roots = (parts[:, :, None] + along[:, None]) / 8192
    return roots.astype(SINGLE).reshape(-1).view(np.int32)
