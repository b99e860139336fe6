"""The QR decomposition: orthogonal columns times an upper triangle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, UnsupportedHere
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.decompositions import _check_matrix, cleared, factor
from gradcli.ops.linalg.triangles import triangle
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.diagonals import tril
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def _orthogonal(part: int) -> Callable[..., Any]:
    @lapack.by_columns
    def forward(A: Any, *, mode: str = "reduced") -> Any:
        UnsupportedHere.when(
            not lapack.is_finite(A), "qr of a matrix with entries that are not finite is not supported here"
        )
        wide = np.linalg.qr(A.astype(np.float64), "complete" if mode == "complete" else "reduced")[part]
        return cleared(wide).astype(A.dtype)

    return forward


def _mirrored(M: Any) -> Any:
    """Mirror the lower triangle above the diagonal."""
    below = tril(M, diagonal=-1)
    return tril(M, diagonal=0) + transposed(below)


def _from_qr(part: Any, M: Any, Q: Any, R: Any) -> Any:
    return triangle(transposed(R), part + times(Q, _mirrored(M)), upper=False, left=False)


def _check_unique(A: Any, mode: str) -> None:
    AutogradError.when(
        mode == "complete" and A.shape[-2] > A.shape[-1],
        "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.",
    )
    if A.shape[-2] < A.shape[-1]:
        words = "the gradient of the QR decomposition of a matrix with more columns than rows is not supported here"
        raise UnsupportedHere(words, help="decompose its first columns")


def _q_rule(g: Any, out: Any, A: Any, *, mode: str) -> Any:
    _check_unique(A, mode)
    return _from_qr(g, -times(transposed(g), out), out, qr_r(A, mode=mode))


def _r_rule(g: Any, out: Any, A: Any, *, mode: str) -> Any:
    _check_unique(A, mode)
    return _from_qr(0, times(out, transposed(g)), qr_q(A, mode=mode), out)


QR = "LinalgQrBackward0"
SOLVED = "The matrix is Q times R; the product rule is solved with Q kept orthogonal and R triangular."
qr_q: Primitive = factor("qr", "Q", _orthogonal(0), _q_rule, node=QR, says=SOLVED, differential=change.ORTHOGONAL)
qr_r: Primitive = factor(
    "qr",
    "R",
    _orthogonal(1),
    _r_rule,
    node=QR,
    number=1,
    says=SOLVED,
    differential=change.TRIANGULAR,
)


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; qr(A).Q",
    "A = [[1, 2], [3, 5], [0, 1]]; qr(A).R",
    method=False,
    only="linalg",
)
def qr(A: Real, mode: str = "reduced") -> ReturnType:
    """A matrix with orthogonal columns times an upper triangle: `A = Q @ R`."""
    _check_matrix("linalg.qr", A)
    AutogradError.when(
        mode not in ("reduced", "complete", "r"),
        f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'",
    )
    Q = Tensor(np.zeros(0, A.dtype)) if mode == "r" else qr_q(A, mode=mode)
    return ReturnType("qr", Q=Q, R=qr_r(A, mode=mode))
