"""Singular values and eigenvalues by LAPACK, which is given finite numbers only.

It iterates towards them: over nan and infinities it fails to converge, writes to standard output, or goes on for ever.
A matrix with an infinity has results of nan; the singular values of one with a nan are refused, both as in torch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.errors import AutogradError

FAILED = "The algorithm failed to converge because the input matrix"


def singular(A: Any, *, full_matrices: bool = False) -> Any:
    """Return the factors U, S and Vh of each matrix; AutogradError where one has a nan."""
    _check_numbers(A)
    return _each(partial(np.linalg.svd, full_matrices=full_matrices), A, "svd", "singular values")


def singular_values(A: Any) -> Any:
    """Return the singular values of each matrix, the largest first; AutogradError where one has a nan."""
    _check_numbers(A)
    return _each(lambda x: (np.linalg.svd(x, compute_uv=False),), A, "svd", "singular values")[0]


def symmetric(A: Any, *, UPLO: str = "L") -> Any:
    """Return the eigenvalues and the eigenvectors of each matrix, of which one triangle is read."""
    return _each(partial(np.linalg.eigh, UPLO=UPLO), A, "eigh", "eigenvalues")


def substitute_rows(A: Any, B: Any, upper: bool) -> Any:
    """Solve row by row; a zero on the diagonal leaves infinities and nan."""
    solution = np.array(np.broadcast_to(B, np.broadcast_shapes(A.shape[:-1] + B.shape[-1:], B.shape)))
    rows = range(A.shape[-1])
    with np.errstate(all="ignore"):
        for k in reversed(rows) if upper else rows:
            solution[..., k, :] /= A[..., k, k, None]
            rest = slice(0, k) if upper else slice(k + 1, None)
            solution[..., rest, :] -= A[..., rest, k, None] * solution[..., k, None, :]
    return solution


def lu_factors(A: Any) -> tuple[Any, Any]:
    """Return the LU factors of each matrix, both triangles in one array, and the pivots, counted from 0."""
    triangles = np.array(A)
    pivots = np.zeros((*A.shape[:-2], min(A.shape[-2:])), np.int32)
    with np.errstate(all="ignore"):
        for batch in np.ndindex(*A.shape[:-2]):
            _factor(triangles[batch], pivots[batch])
    return triangles, pivots


def _factor(rows: Any, pivots: Any) -> None:
    """Eliminate what is below the diagonal of a matrix, column by column, and keep the factors in its place."""
    for k in range(len(pivots)):
        best = pivots[k] = k + np.abs(rows[k:, k]).argmax()
        if best != k:
            rows[[k, best]] = rows[[best, k]]
        if rows[k, k] != 0:
            rows[k + 1 :, k] /= rows[k, k]
            rows[k + 1 :, k + 1 :] -= rows[k + 1 :, k, None] * rows[k, k + 1 :]


def zero_pivot(A: Any) -> int:
    """Return the number of the first zero pivot of Gaussian elimination, from 1 on, in any of the matrices; else 0."""
    both, _ = lu_factors(A)
    zero = np.argwhere(np.diagonal(both, axis1=-2, axis2=-1) == 0)
    return int(zero[0, -1]) + 1 if len(zero) else 0


def first_of(A: Any, fails: Callable[[Any], Any]) -> str:
    """Name the first matrix of a batch with which something fails; empty for a single matrix."""
    if A.ndim == 2:
        return ""
    matrices = A.reshape(-1, *A.shape[-2:])
    return f"(Batch element {next((n for n, matrix in enumerate(matrices) if fails(matrix)), 0)}): "


def is_finite(*values: Any) -> bool:
    """Return whether there is no nan and no infinity among numbers."""
    return all(np.isfinite(value).all() for value in values)


def _check_numbers(A: Any) -> None:
    nan = np.isnan(A).any(axis=(-2, -1))
    if nan.any():
        element = f"(Batch element {np.flatnonzero(nan)[0]}): " if nan.ndim else ""
        raise AutogradError(f"linalg.svd: {element}{FAILED} contained non-finite values.", help="nan is in it")


def _each(compute: Callable[[Any], tuple[Any, ...]], A: Any, name: str, repeated: str) -> Any:
    finite = np.isfinite(A).all(axis=(-2, -1))
    is_whole = finite.all()
    try:
        parts = compute(A if is_whole else np.where(finite[..., None, None], A, 0))
    except np.linalg.LinAlgError:
        why = f"is ill-conditioned or has too many repeated {repeated}."
        raise AutogradError(f"linalg.{name}: {FAILED} {why}") from None
    if is_whole:
        return tuple(parts)
    return tuple(np.where(finite.reshape(finite.shape + (1,) * (x.ndim - finite.ndim)), x, np.nan) for x in parts)
