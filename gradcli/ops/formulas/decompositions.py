"""Differentials of operations on whole matrices: the change of the result, given that of the inputs.

They are programs of the expression language; `dA` is a small change of `A`. Cholesky factors and eigenvalues are
those of symmetric matrices, whose changes are symmetric, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

INVERSE = "-out @ dA @ out"
DETERMINANT = "out*trace(inverse(A) @ dA)"
LOGARITHM = "trace(inverse(A) @ dA)"
CHOLESKY = "M = inverse(out) @ dA @ inverse(out).T; out @ (tril(M) - diag(diag(M))/2)"
EIGENVALUES = "V = eigh(A).eigenvectors; diag(V.T @ dA @ V)"
EIGENVECTORS = (
    "w = eigh(A).eigenvalues; D = unsqueeze(w, 0) - unsqueeze(w, 1); out @ where(D == 0, 0, (out.T @ dA @ out)/D)"
)
SINGULAR = "U = svd(A, False).U; V = svd(A, False).Vh.T; s = svd(A, False).S; M = U.T @ dA @ V; "
SINGULAR_VALUES = "U = svd(A, False).U; V = svd(A, False).Vh.T; diag(U.T @ dA @ V)"
GAPS = "D = unsqueeze(s**2, 0) - unsqueeze(s**2, 1); "
LEFT = SINGULAR + GAPS + "U @ where(D == 0, 0, (M*s + (M*s).T)/D) + (dA @ V - U @ M)/s"
RIGHT = SINGULAR + GAPS + "(V @ where(D == 0, 0, (M.T*s + (M.T*s).T)/D) + (dA.T @ U - V @ M.T)/s).T"
PSEUDO_INVERSE = "-out @ dA @ out + out @ out.T @ (dA.T - dA.T @ A @ out) + (dA.T - out @ A @ dA.T) @ out.T @ out"
LEAST_SQUARES = (
    "P = pinv(A); (-P @ dA @ P + P @ P.T @ (dA.T - dA.T @ A @ P) + (dA.T - P @ A @ dA.T) @ P.T @ P) @ B + P @ dB"
)


def exponential(out: Any, A: Any) -> str:
    n = np.shape(A)[-1]
    return f"M = cat([cat([A, dA], 1), cat([0*A, A], 1)], 0); matrix_exp(M)[:{n}, {n}:]"


def _turned(A: Any) -> tuple[str, str]:
    """Return what the changes of both factors of a QR decomposition are made of, and the square of the triangle."""
    rows, columns = np.shape(A)[-2:]
    own, part = (f"[:, :{rows}]", f"; R = qr(A).R[:, :{rows}]") if rows < columns else ("", "; R = qr(A).R")
    made = f"Q = qr(A).Q{part}; M = Q.T @ dA{own} @ inverse(R); W = tril(M, -1) - tril(M, -1).T; "
    return made, own


def orthogonal(out: Any, A: Any, *, mode: str) -> str:
    made, own = _turned(A)
    return made + f"Q @ W + dA{own} @ inverse(R) - Q @ M"


def triangular(out: Any, A: Any, *, mode: str) -> str:
    made, own = _turned(A)
    return made + ("Q.T @ dA - W @ out" if own else "(M - W) @ R")


def _triangles(A: Any) -> tuple[str, str, str]:
    """Return what the changes of both triangles of an LU decomposition are made of, and the changes."""
    rows, columns = np.shape(A)[-2:]
    made = "L = lu(A).L; U = lu(A).U; "
    if rows < columns:
        made += f"D = inverse(L) @ lu(A).P.T @ dA; M = D[:, :{rows}] @ inverse(U[:, :{rows}]); "
        return made, "L @ tril(M, -1)", "D - tril(M, -1) @ U"
    if columns < rows:
        made += f"D = lu(A).P.T @ dA @ inverse(U); M = inverse(L[:{columns}]) @ D[:{columns}]; "
        return made, "D - L @ triu(M)", "triu(M) @ U"
    return made + "M = inverse(L) @ lu(A).P.T @ dA @ inverse(U); ", "L @ tril(M, -1)", "triu(M) @ U"


def lower(out: Any, A: Any) -> str:
    made, change, _ = _triangles(A)
    return made + change


def upper(out: Any, A: Any) -> str:
    made, _, change = _triangles(A)
    return made + change


def both(out: Any, A: Any) -> str:
    made, below, above = _triangles(A)
    rows, columns = np.shape(A)[-2:]
    if rows < columns:
        below = f"pad({below}, (0, {columns - rows}))"
    if columns < rows:
        above = f"pad({above}, (0, 0, 0, {rows - columns}))"
    return made + f"{below} + {above}"


def solution(out: Any, A: Any, B: Any, *, left: bool = True) -> str:
    return "inverse(A) @ (dB - dA @ out)" if left else "(dB - out @ dA) @ inverse(A)"


def triangle(out: Any, A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> str:
    kept = "triu" if upper else "tril"
    inner = f", {1 if upper else -1}" if unitriangular else ""
    ones = f" + eye({np.shape(A)[-1]})" if unitriangular else ""
    names = f"T = {kept}(A{inner}){ones}; dT = {kept}(dA{inner}); "
    return names + ("inverse(T) @ (dB - dT @ out)" if left else "(dB - out @ dT) @ inverse(T)")


def by_factor(out: Any, B: Any, L: Any, *, upper: bool = False) -> str:
    return f"A = {_product(upper)}; dA = {_change(upper)}; inverse(A) @ (dB - dA @ out)"


def inverse_by_factor(out: Any, L: Any, *, upper: bool = False) -> str:
    return f"-out @ ({_change(upper)}) @ out"


def _product(upper: bool) -> str:
    return "L.T @ L" if upper else "L @ L.T"


def _change(upper: bool) -> str:
    return "dL.T @ L + L.T @ dL" if upper else "dL @ L.T + L @ dL.T"
