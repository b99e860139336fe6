"""The QR decomposition: orthogonal columns times an upper triangle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.linalg.decompositions import _check_matrix, cleared, factor, factors
from gradcli.ops.linalg.triangles import triangle
from gradcli.ops.pointwise.powers import zero
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.diagonals import tril
from gradcli.ops.shaping.joining import cat
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def _orthogonal(part: int) -> Callable[..., Any]:
    @lapack.by_columns
    def forward(A: Any, *, mode: str = "reduced") -> Any:
        if not lapack.is_finite(A):
            raise AutogradError("qr of a matrix with entries that are not finite is not supported here", code="E401")
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
    if mode == "complete" and A.shape[-2] > A.shape[-1]:
        raise AutogradError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")


def _parts(x: Any) -> tuple[Any, Any]:
    """Return the square at the left of a wide matrix, and the columns beside it, or None."""
    rows, columns = x.shape[-2:]
    if columns <= rows:
        return x, None
    axis = len(x.shape) - 1
    return cut(x, dim=axis, start=0, stop=rows), cut(x, dim=axis, start=rows, stop=columns)


def _q_rule(g: Any, out: Any, A: Any, *, mode: str) -> Any:
    _check_unique(A, mode)
    R, beside = _parts(qr_r(A, mode=mode))
    found = _from_qr(g, -times(transposed(g), out), out, R)
    return found if beside is None else cat(found, zero(beside), dim=len(A.shape) - 1)


def _r_rule(g: Any, out: Any, A: Any, *, mode: str) -> Any:
    """Return the gradient; the columns beside the square are turned by the Q that the square alone gives."""
    _check_unique(A, mode)
    Q, (R, beside), (own, rest) = qr_q(A, mode=mode), _parts(out), _parts(g)
    inner = times(R, transposed(own))
    if beside is None:
        return _from_qr(0, inner, Q, R)
    turn = times(beside, transposed(rest))
    found = _from_qr(times(Q, turn), inner - transposed(turn), Q, R)
    return cat(found, times(Q, rest), dim=len(A.shape) - 1)


QR = "LinalgQrBackward0"
SOLVED = "The matrix is Q times R; the product rule is solved with Q kept orthogonal and R triangular."
qr_q: Primitive = factor("qr", "Q", _orthogonal(0), _q_rule, node=QR, says=SOLVED, differential=change.orthogonal)
qr_r: Primitive = factor(
    "qr",
    "R",
    _orthogonal(1),
    _r_rule,
    node=QR,
    number=1,
    says=SOLVED,
    differential=change.triangular,
)


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; qr(A).Q",
    "A = [[1, 2], [3, 5], [0, 1]]; qr(A).R",
    "A = [[1, 2, 4], [3, 5, 1]]; qr(A).Q",
    "A = [[1, 2, 4], [3, 5, 1]]; qr(A).R",
    method=False,
    only="linalg",
)
def qr(A: Real, mode: str = "reduced") -> ReturnType:
    """A matrix with orthogonal columns times an upper triangle: `A = Q @ R`."""
    _check_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise AutogradError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    Q = Tensor(np.zeros(0, A.dtype)) if mode == "r" else qr_q(A, mode=mode)
    return factors("qr", Q=Q, R=qr_r(A, mode=mode))
