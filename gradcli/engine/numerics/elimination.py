"""Gaussian elimination whose last digits are those of torch: factors of matrices, determinants, solutions.

A determinant that is 0, or not quite, is printed, and decides whether a matrix is refused as singular. The orders are
those of torch 2.13 with its MKL on a processor of AMD, read off for matrices up to the bounds below.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.numerics.precision import log
from gradcli.engine.numerics.register_sums import in_order
from gradcli.engine.numerics.summation import total

Array = Any  # np.ndarray

KNOWN = 16  # rows, with one right side
TOGETHER = 8  # rows and right sides
DIVIDED = 4  # rows up to which the last step divides by its pivot
SUMMED = 7  # rows up to which a solution is one sum an entry
FEW = 64  # matrices; numpy computes many of them faster


def factored(A: Array) -> tuple[Array, Array]:
    """Return the lower and upper triangle of each matrix in one, and with which row each was exchanged, from 0 on."""
    found = np.array(A)
    pivots = np.zeros((*A.shape[:-2], min(A.shape[-2:])), np.int32)
    with np.errstate(all="ignore"):
        for batch in np.ndindex(*A.shape[:-2]):
            _factor(found[batch], pivots[batch])
    return found, pivots


def _factor(rows: Array, pivots: Array) -> None:
    down, across = rows.shape
    smallest = np.finfo(rows.dtype).tiny
    for k in range(len(pivots)):
        best = pivots[k] = k + np.abs(rows[k:, k]).argmax()
        if best != k:
            rows[[k, best]] = rows[[best, k]]
        pivot, below = rows[k, k], rows[k + 1 :, k]
        if pivot == 0:
            continue
        if abs(pivot) < smallest or (k == across - 2 and down == across <= DIVIDED):
            below /= pivot
        else:
            below *= 1 / pivot
        rows[k + 1 :, k + 1 :] -= below[:, None] * rows[k, k + 1 :]


def determinant(A: Array) -> Array:
    """Return the determinant of each matrix."""
    if not _is_known(A):
        return np.linalg.det(A)
    diagonal, sign = _diagonal(A)
    return sign * np.multiply.reduce(diagonal, axis=-1)


def log_determinant(A: Array) -> tuple[Array, Array]:
    """Return the sign of the determinant of each matrix, and the logarithm of its size."""
    if not _is_known(A):
        return np.linalg.slogdet(A)
    diagonal, sign = _diagonal(A)
    with np.errstate(divide="ignore"):
        logs = log(np.abs(diagonal))
    return sign * np.multiply.reduce(np.sign(diagonal), axis=-1), total(logs, -1)


def solved(A: Array, B: Array) -> Array:
    """Return the solution X of `A @ X = B` for each pair of matrices; raises LinAlgError where `A` is singular."""
    size, sides = B.shape[-2:]
    known = KNOWN if sides == 1 else TOGETHER
    batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    if not _is_known(A, known) or A.dtype != B.dtype or not 0 < sides <= TOGETHER or math.prod(batch) > FEW:
        return np.linalg.solve(A, B)
    both, pivots = factored(A)
    if (_diagonals(both) == 0).any():
        raise np.linalg.LinAlgError
    found = np.array(np.broadcast_to(B, (*batch, size, sides)))
    both, pivots = np.broadcast_to(both, (*batch, size, size)), np.broadcast_to(pivots, (*batch, size))
    substitute = _summed if size <= SUMMED else _subtracted
    with np.errstate(all="ignore"):
        for one in np.ndindex(*batch):
            for k, best in enumerate(pivots[one].tolist()):
                if best != k:
                    found[one][[k, best]] = found[one][[best, k]]
            substitute(both[one], found[one])
    return found


def _is_known(A: Array, most: int = KNOWN) -> bool:
    size = A.shape[-1]
    is_small = 0 < size <= most and A.size <= FEW * size * size
    return is_small and A.dtype.itemsize >= 4 and bool(np.isfinite(A).all())


def _diagonals(A: Array) -> Array:
    return np.diagonal(A, axis1=-2, axis2=-1)


def _diagonal(A: Array) -> tuple[Array, Array]:
    """Return the diagonal of the upper triangle of each matrix, and the sign of its exchanges of rows.

    torch hands over what lies row by row as if it lay column by column: the transpose, with the same determinant.
    """
    both, pivots = factored(A.swapaxes(-2, -1) if A.flags.c_contiguous else A)
    exchanges = (pivots != np.arange(A.shape[-1])).sum(-1)
    return _diagonals(both), (1 - 2 * (exchanges % 2)).astype(A.dtype)


def _summed(both: Array, x: Array) -> None:
    """Solve with both triangles: what the rows before contribute is added up, and subtracted at once."""
    size = len(x)
    for k in range(1, size):
        x[k] -= in_order(both[k, :k, None] * x[:k])
    for k in range(size - 1, -1, -1):
        if k < size - 1:
            x[k] -= in_order(both[k, :k:-1, None] * x[:k:-1])
        x[k] *= 1 / both[k, k]


def _subtracted(both: Array, x: Array) -> None:
    """Solve with both triangles: a row is subtracted from all that follow as soon as it is known."""
    size = len(x)
    for k in range(size):
        x[k + 1 :] -= both[k + 1 :, k, None] * x[k]
    for k in range(size - 1, -1, -1):
        x[k] /= both[k, k]
        x[:k] -= both[:k, k, None] * x[k]
