"""Single-precision functions as torch's vectorised kernels compute them, from the polynomials of the Sleef library.

Such a kernel takes entries in blocks, several lanes at a time; what is left at the end of a row goes one by one through
the C library, which gives the number nearest to the true value. The lanes are those of a processor with AVX-512.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import numpy as np

from gradcli.engine.numerics import precision
from gradcli.engine.numerics.precision import MANY, SINGLE

Array = Any  # np.ndarray or a numpy scalar

BLOCK = 32
APART = ContextVar("apart", default=False)  # whether entries are points of their own, as a lone number is
LOG2_E = np.float32(1.4426950408889634)
LN_2 = (0.693145751953125, 1.428606765330187e-06)  # in two parts, most of it first
EXP = (0.00139304355252534151, 0.00833336077630519867, 0.0416664853692054749, 0.166666671633720398, 0.5)
LOG = (0.3996108174, 0.6666694880)
LARGEST = 110.0  # beyond it a power of e is 0 or infinite


def is_single(x: Any) -> bool:
    return getattr(x, "dtype", None) is SINGLE and x.size <= MANY


def exp(x: Array) -> Array:
    """Return powers of e, every entry as in a lane."""
    if not is_single(x):
        return precision.exp(x)
    x = np.clip(x, -LARGEST, LARGEST)
    twos = np.rint(x * LOG2_E)
    wide = _once(x - np.multiply(twos, LN_2[0], dtype=np.float64))
    wide = _once(wide - np.multiply(twos, LN_2[1], dtype=np.float64))
    found: Array = np.float64(np.float32(0.000198527617612853646))
    for coefficient in EXP:
        found = _once(found * wide + float(np.float32(coefficient)))
    found = _once(_once(wide * wide) * found + wide)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.ldexp(_once(1 + found), np.nan_to_num(twos).astype(np.int32)).astype(SINGLE)


def log(x: Array) -> Array:
    """Return natural logarithms, every entry as in a lane; double precision stands for pairs of single numbers."""
    if not is_single(x):
        return precision.log(x)
    _, twos = np.frexp(x * np.float32(1 / 0.75))
    wide = np.ldexp(x, 1 - twos).astype(np.float64)
    with np.errstate(all="ignore"):
        wide = (wide - 1) / (wide + 1)
        square = _once(_once(wide) * _once(wide))
        found: Array = np.float64(np.float32(0.3027294874))
        for coefficient in LOG:
            found = _once(found * square + float(np.float32(coefficient)))
        odd = _once(_once(square * _once(wide)) * found)
        return np.where(
            (x > 0) & (x < np.inf), (twos - 1) * np.log(2.0) + 2 * wide + odd, np.log(x, dtype=np.float64)
        ).astype(SINGLE)[()]


def _once(x: Array) -> Array:
    """Round to single precision, and go on in double, where products of single numbers are exact."""
    return np.asarray(x, SINGLE).astype(np.float64)


def exp_in_blocks(x: Array) -> Array:
    """Return powers of e of an array that torch takes as it lies in memory: in blocks, and the rest one by one."""
    if APART.get() or not is_single(x) or not x.ndim:
        return precision.exp(x)
    if x.flags.f_contiguous and not x.flags.c_contiguous:
        return exp_in_blocks(x.T).T
    count = x.size if x.flags.c_contiguous else x.shape[-1] if x.strides[-1] == x.itemsize else 0
    whole = count // BLOCK * BLOCK
    if not whole:
        return precision.exp(x)
    rows = x.reshape(-1, count)
    return np.concatenate([exp(rows[:, :whole]), precision.exp(rows[:, whole:])], axis=1).reshape(x.shape)
