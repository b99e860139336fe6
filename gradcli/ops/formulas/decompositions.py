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
TURNED = "Q = qr(A).Q; R = qr(A).R; M = Q.T @ dA @ inverse(R); W = tril(M, -1) - tril(M, -1).T; "
ORTHOGONAL = TURNED + "Q @ W + dA @ inverse(R) - Q @ M"
TRIANGULAR = TURNED + "(M - W) @ R"


def solution(out: Any, A: Any, B: Any, *, left: bool = True) -> str:
    return "inverse(A) @ (dB - dA @ out)" if left else "(dB - out @ dA) @ inverse(A)"


def triangle(out: Any, A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> str:
    kept = "triu" if upper else "tril"
    inner = f", {1 if upper else -1}" if unitriangular else ""
    ones = f" + eye({np.shape(A)[-1]})" if unitriangular else ""
    names = f"T = {kept}(A{inner}){ones}; dT = {kept}(dA{inner}); "
    return names + ("inverse(T) @ (dB - dT @ out)" if left else "(dB - out @ dT) @ inverse(T)")
