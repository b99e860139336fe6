"""Decompositions of matrices: singular values, eigenvalues of symmetric matrices, QR, Cholesky.

Each factor is a primitive of its own under torch's one node name; its rule computes the other factors again, from a
copy of the matrix, for torch's node saves all factors and no matrix. The rules are from Giles, An extended collection
of matrix derivative results (2008), and Seeger and others, Auto-differentiating linear algebra (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.numerics import lapack
from gradcli.engine.numerics.lapack import first_of
from gradcli.engine.primitive import OUT, Primitive, structured
from gradcli.engine.symbolic.formula import part
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.ops import formulas as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.linalg.equations import _check_square, inverse, triangle
from gradcli.ops.pointwise.arithmetic import div
from gradcli.ops.products.contractions import swap_last_dims, times
from gradcli.ops.shaping.diagonals import tril
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Real, ReturnType
from gradcli.ops.support.surface import operation


def factor(function: str, name: str, forward: Callable[..., Any], rule: Any, **facts: Any) -> Primitive:
    """Declare one factor of a decomposition; a change in place of any of them disturbs the gradients of all."""
    return structured(
        f"{function}_{name}",
        forward,
        rule,
        notation=part(name, function, forward),
        copies=True,
        saves=(OUT,),
        stacked=(),
        **facts,
    )


def across(values: Any) -> Any:
    """Reshape numbers, one for each column, to broadcast over the rows."""
    return unsqueeze(values, dim=len(values.shape) - 1)


def gaps(values: Any) -> Any:
    """Return `1/(values[j] - values[i])` at each (i, j), and 0 on the diagonal."""
    size = values.shape[-1]
    diagonal = np.eye(size, dtype=values.dtype)
    return div(1 - diagonal, across(values) - unsqueeze(values, dim=len(values.shape)) + diagonal)


def _singular(part: int) -> Callable[..., Any]:
    def forward(A: Any, *, full_matrices: bool = True) -> Any:
        return lapack.singular(A, full_matrices=full_matrices)[part]

    return forward


def _thin(A: Any) -> tuple[Any, Any, Any]:
    return svd_u(A, full_matrices=False), svd_s(A, full_matrices=False), svd_v(A, full_matrices=False)


def _side(g: Any, U: Any, S: Any, V: Any) -> Any:
    """Return the gradient of the matrix given that of its left factor U; for V the roles are exchanged."""
    inner = times(swap_last_dims(U), g)
    turn = (inner - swap_last_dims(inner)) * gaps(S * S)
    left = times(U, turn) * across(S)
    if U.shape[-2] > U.shape[-1]:
        left = left + (g - times(U, inner)) / across(S)
    return times(left, V)


def _left_rule(g: Carrier, out: Carrier, A: Carrier, *, full_matrices: bool) -> Any:
    """Return the gradient by way of the vectors that have a singular value; torch gives the others none."""
    kept_columns = cut(g, dim=len(A.shape) - 1, start=0, stop=min(A.shape[-2:])) if full_matrices else g
    return _side(kept_columns, *_thin(A))


def _right_rule(g: Carrier, out: Carrier, A: Carrier, *, full_matrices: bool) -> Any:
    kept_rows = cut(g, dim=len(A.shape) - 2, start=0, stop=min(A.shape[-2:])) if full_matrices else g
    U, S, V = _thin(A)
    return swap_last_dims(_side(swap_last_dims(kept_rows), swap_last_dims(V), S, swap_last_dims(U)))


def _values_rule(g: Carrier, out: Carrier, A: Carrier, *, full_matrices: bool) -> Any:
    U, _, V = _thin(A)
    return times(U * across(g), V)


SVD = "LinalgSvdBackward0"
TURNS = "A singular vector turns towards the others, the faster the closer their singular values are."
svd_u: Primitive = factor("svd", "U", _singular(0), _left_rule, node=SVD, says=TURNS, differential=change.LEFT)
svd_s: Primitive = factor(
    "svd",
    "S",
    _singular(1),
    _values_rule,
    node=SVD,
    number=1,
    says="A singular value changes as the matrix does between its two singular vectors.",
    differential=change.SINGULAR_VALUES,
)
svd_v: Primitive = factor(
    "svd", "Vh", _singular(2), _right_rule, node=SVD, number=2, says=TURNS, differential=change.RIGHT
)


def without_rounding(x: Any) -> Any:
    """Return the entries with 0 in place of those that differ from 0 only by rounding in double precision."""
    return np.where(np.abs(x) < 1e-14 * np.max(np.abs(x), initial=0), 0, x)


def _check_matrix(name: str, A: Tensor) -> None:
    ShapeError.when(A.ndim < 2, f"{name}: The input tensor A must have at least 2 dimensions.")


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).S",
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).U**2",
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).Vh[0]",
    method=False,
    only="linalg",
)
def svd(A: Real, full_matrices: bool = True) -> ReturnType:
    """The singular values, `.S`, between orthogonal matrices: `A = U @ diag(S) @ Vh`."""
    _check_matrix("linalg.svd", A)
    parts = (("U", svd_u), ("S", svd_s), ("Vh", svd_v))
    return ReturnType("svd", **{name: part(A, full_matrices=full_matrices) for name, part in parts})


@operation("matrix_rank([[1.0, 2.0], [2.0, 4.0]])", method=False, only="linalg")
def matrix_rank(A: Real, tol: float | None = None, *, rtol: float | None = None) -> Any:
    """How many singular values are not 0, or are above `tol`."""
    _check_matrix("torch.linalg.matrix_rank", A)
    values = lapack.singular_values(A.value)
    largest = values.max(axis=-1, keepdims=True, initial=0)
    share = max(A.shape[-2:]) * np.finfo(A.dtype).eps if rtol is None else rtol
    return Tensor(np.sum(values > (share * largest if tol is None else tol), axis=-1)[()])


def _symmetric(part: int) -> Callable[..., Any]:
    def forward(A: Any, *, UPLO: str = "L") -> Any:
        if not lapack.is_finite(A):  # where they stand decides what torch gives or says
            words = "eigenvalues of a matrix with entries that are not finite are not supported here"
            raise UnsupportedHere(words)
        return lapack.symmetric(A, UPLO=UPLO)[part]

    return forward


def _eigenvalues_rule(g: Carrier, out: Carrier, A: Carrier, *, UPLO: str) -> Any:
    V = eigh_vectors(A, UPLO=UPLO)
    return times(V * across(g), swap_last_dims(V))


def _eigenvectors_rule(g: Carrier, out: Carrier, A: Carrier, *, UPLO: str) -> Any:
    inner = times(swap_last_dims(out), g)
    turn = (inner - swap_last_dims(inner)) / 2 * gaps(eigh_values(A, UPLO=UPLO))
    return times(out, times(turn, swap_last_dims(out)))


EIGH = "LinalgEighBackward0"
eigh_values: Primitive = factor(
    "eigh",
    "eigenvalues",
    _symmetric(0),
    _eigenvalues_rule,
    node=EIGH,
    says="An eigenvalue changes as the matrix does along its own eigenvector.",
    differential=change.EIGENVALUES,
)
eigh_vectors: Primitive = factor(
    "eigh",
    "eigenvectors",
    _symmetric(1),
    _eigenvectors_rule,
    node=EIGH,
    number=1,
    says="An eigenvector turns towards the others, the faster the closer their eigenvalues are.",
    differential=change.EIGENVECTORS,
)


@operation(
    "A = [[2, 1], [0.5, 3]]; eigh(A + A.T).eigenvalues",
    "A = [[2, 1], [0.5, 3]]; eigh(A + A.T)[1]**2",
    method=False,
    kernel="linalg_eigh_cpu",
)
def eigh(A: Real, UPLO: str = "L") -> ReturnType:
    """The eigenvalues of a symmetric matrix in order, and the eigenvectors as columns; reads one triangle alone."""
    _check_square("linalg.eigh", A)
    _check_triangle(UPLO)
    options = {"UPLO": UPLO.upper()}
    return ReturnType("eigh", eigenvalues=eigh_values(A, **options), eigenvectors=eigh_vectors(A, **options))


def _check_triangle(UPLO: str) -> None:
    AutogradError.when(UPLO.upper() not in ("L", "U"), f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


@operation("A = [[2, 1], [0.5, 3]]; eigvalsh(A + A.T)", method=False)
def eigvalsh(A: Real, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix in order."""
    _check_square("linalg.eigh", A)
    _check_triangle(UPLO)
    return eigh_values(A, UPLO=UPLO.upper())


def _orthogonal(part: int) -> Callable[..., Any]:
    def forward(A: Any, *, mode: str = "reduced") -> Any:
        UnsupportedHere.when(
            not lapack.is_finite(A), "qr of a matrix with entries that are not finite is not supported here"
        )
        wide = np.linalg.qr(A.astype(np.float64), "complete" if mode == "complete" else "reduced")[part]
        return without_rounding(wide).astype(A.dtype)

    return forward


def _mirrored(M: Any) -> Any:
    """Mirror the lower triangle above the diagonal."""
    below = tril(M, diagonal=-1)
    return tril(M, diagonal=0) + swap_last_dims(below)


def _from_qr(part: Any, M: Any, Q: Any, R: Any) -> Any:
    return triangle(swap_last_dims(R), part + times(Q, _mirrored(M)), upper=False, left=False)


def _check_unique(A: Any, mode: str) -> None:
    AutogradError.when(
        mode == "complete" and A.shape[-2] > A.shape[-1],
        "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.",
    )
    if A.shape[-2] < A.shape[-1]:
        words = "the gradient of the QR decomposition of a matrix with more columns than rows is not supported here"
        raise UnsupportedHere(words, help="decompose its first columns")


def _q_rule(g: Carrier, out: Carrier, A: Carrier, *, mode: str) -> Any:
    _check_unique(A, mode)
    return _from_qr(g, -times(swap_last_dims(g), out), out, qr_r(A, mode=mode))


def _r_rule(g: Carrier, out: Carrier, A: Carrier, *, mode: str) -> Any:
    _check_unique(A, mode)
    return _from_qr(0, times(out, swap_last_dims(g)), qr_q(A, mode=mode), out)


QR = "LinalgQrBackward0"
SOLVED = "The matrix is Q times R; the product rule is solved with Q kept orthogonal and R triangular."
qr_q: Primitive = factor("qr", "Q", _orthogonal(0), _q_rule, node=QR, says=SOLVED, differential=change.ORTHOGONAL)
qr_r: Primitive = factor(
    "qr", "R", _orthogonal(1), _r_rule, node=QR, number=1, says=SOLVED, differential=change.TRIANGULAR
)


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; qr(A).Q", "A = [[1, 2], [3, 5], [0, 1]]; qr(A).R", method=False, only="linalg"
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


def _lower_half(x: Any) -> Any:
    """Return the lower triangle with half the diagonal, the function Phi of Murray (2016)."""
    size = x.shape[-1]
    return x * (np.tril(np.ones((size, size), x.dtype)) - np.eye(size, dtype=x.dtype) / 2)


def _failing_minor(A: Any) -> int:
    """Return the order of the first leading minor that is not positive, 0 where all are."""
    minors = (np.linalg.det(A[:order, :order]) for order in range(1, len(A) + 1))
    return next((order for order, minor in enumerate(minors, 1) if not minor > 0), 0)


def _factor(A: Any) -> Any:
    try:
        factor = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        factor = np.full_like(A, np.nan)
    if np.isnan(factor).any():
        orders = [_failing_minor(matrix) for matrix in A.reshape(-1, *A.shape[-2:])]
        raise AutogradError(
            f"linalg.cholesky: {first_of(A, _failing_minor)}The factorization could not be completed because the "
            "input is not positive-definite "
            f"(the leading minor of order {next(filter(None, orders), A.shape[-1])} is not positive-definite)."
        )
    return factor


def _cholesky_rule(g: Carrier, out: Carrier, A: Carrier) -> Any:
    """Return the gradient by Murray, Differentiation of the Cholesky decomposition (2016), section 3."""
    back = inverse(out)
    inner = times(swap_last_dims(back), times(_lower_half(times(swap_last_dims(out), g)), back))
    return (inner + swap_last_dims(inner)) / 2


cholesky = structured(
    "cholesky",
    _factor,
    _cholesky_rule,
    node="LinalgCholeskyExBackward0",
    says="The matrix is its factor times the factor transposed; the product rule is solved for the factor.",
    differential=change.CHOLESKY,
    stacked=(),
)


@operation("A = [[2, 1], [0.5, 3]]; cholesky(A @ A.T)", method=False, only="linalg")
def apply_cholesky(A: Real, upper: bool = False) -> Any:
    """The lower triangle L with `L @ L.T = A`, for a symmetric positive definite matrix; or its transpose."""
    _check_square("linalg.cholesky", A)
    if not upper:
        return cholesky(A)
    factor = swap_last_dims(cholesky(swap_last_dims(A)))
    factor.value = factor.value.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    return factor
