"""Cholesky factors of symmetric matrices, and the systems and inverses that they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, mismatch
from gradcli.engine.modes import mode
from gradcli.engine.numerics.lapack import by_columns, first_of, substituted
from gradcli.engine.primitive import OUT, Primitive, primitive
from gradcli.errors import AutogradError
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.determinants import _check_square, inverse
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.support.arguments import Real, check_size
from gradcli.ops.support.surface import operation


def _lower_half(x: Any) -> Any:
    """Return the lower triangle with half the diagonal, the function Phi of Murray (2016)."""
    size = x.shape[-1]
    return x * (np.tril(np.ones((size, size), x.dtype)) - np.eye(size, dtype=x.dtype) / 2)


def _as_far_as_positive(A: Any) -> tuple[Any, int]:
    """Return the factor and 0; or what there is of it, and the order of the first leading minor that is not positive.

    LAPACK leaves the column of that minor with its last pivot, and the columns after it as they were.
    """
    L = np.tril(A)
    for k in range(A.shape[-1]):
        L[k, k] -= L[k, :k] @ L[k, :k]
        if not L[k, k] > 0:  # as nan is not either
            return L, k + 1
        L[k, k] = np.sqrt(L[k, k])
        L[k + 1 :, k] = (L[k + 1 :, k] - L[k + 1 :, :k] @ L[k, :k]) / L[k, k]
    return L, 0


def _failing_minor(A: Any) -> int:
    return _as_far_as_positive(A)[1]


def begun_factors(A: Any, *, upper: bool) -> tuple[Any, Any]:
    """Return the factors of a batch as far as each goes, and where each ended: 0 for one that is whole."""
    lower = np.swapaxes(A, -1, -2) if upper else A
    found = [_as_far_as_positive(matrix) for matrix in lower.reshape(-1, *A.shape[-2:])]
    L = np.array([factor for factor, _ in found]).reshape(A.shape)
    return np.swapaxes(L, -1, -2) if upper else L, np.array([order for _, order in found], np.int32).reshape(
        A.shape[:-2]
    )


@by_columns
def _factor(A: Any) -> Any:
    try:
        found = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        found = np.full_like(A, np.nan)
    if np.isnan(found).any():
        orders = [_failing_minor(matrix) for matrix in A.reshape(-1, *A.shape[-2:])]
        raise AutogradError(
            f"linalg.cholesky: {first_of(A, _failing_minor)}The factorization could not be completed because the "
            "input is not positive-definite "
            f"(the leading minor of order {next(filter(None, orders), A.shape[-1])} is not positive-definite)."
        )
    return found


def _cholesky_rule(g: Any, out: Any, A: Any) -> Any:
    """Return the gradient by Murray, Differentiation of the Cholesky decomposition (2016), section 3."""
    back = inverse(out)
    inner = times(transposed(back), times(_lower_half(times(transposed(out), g)), back))
    return (inner + transposed(inner)) / 2


cholesky = primitive(
    "cholesky",
    _factor,
    _cholesky_rule,
    node="LinalgCholeskyExBackward0",
    structured=True,
    says="The matrix is its factor times the factor transposed; the product rule is solved for the factor.",
    differential=change.CHOLESKY,
)


def _inverted(L: Any, upper: bool) -> Any:
    """Return the inverse of the product of a factor, of which one triangle is read."""
    back = substituted(np.triu(L).swapaxes(-2, -1) if upper else np.tril(L), np.eye(L.shape[-1], dtype=L.dtype), False)
    return back.swapaxes(-2, -1) @ back


def _solved(B: Any, L: Any, *, upper: bool = False) -> Any:
    """Solve for one triangle, and then for the other."""
    below = np.triu(L).swapaxes(-2, -1) if upper else np.tril(L)
    return substituted(below.swapaxes(-2, -1), substituted(below, B, False), True)


# Of a factor, torch reads one triangle and gives the other a gradient too, as if it were read.
BOTH_TRIANGLES: dict[str, Any] = {
    "kinks": lambda *inputs, upper=False: np.True_,
    "convention": "of the factor one triangle is read, and the other gets a gradient as if it were read, too",
    "traits": ("lenient", "of last"),
}


def _half(change: Any, L: Any, upper: bool) -> Any:
    """Return the gradient of a Cholesky factor given that of its product."""
    return times(L, change) if upper else times(change, L)


def _cholesky_solve_rule(g: Any, out: Any, B: Any, L: Any, *, upper: bool = False) -> Any:
    h = times(cholesky_solve(g, L, upper=upper), transposed(out))
    return -_half(h + transposed(h), L, upper)


cholesky_solve: Primitive = primitive(
    "cholesky_solve",
    by_columns(_solved),
    lambda g, out, B, L, *, upper=False: cholesky_solve(g, L, upper=upper),
    _cholesky_solve_rule,
    saves=(OUT, 0, 1),
    structured=True,
    says="The right side gets the solution with the gradient in its place; the factor follows by the product rule.",
    differential=change.by_factor,
    **BOTH_TRIANGLES,
)
cholesky_inverse = primitive(
    "cholesky_inverse",
    by_columns(lambda L, *, upper=False: _inverted(L, upper)),
    lambda g, out, L, *, upper=False: -_half(times(out, times(g + transposed(g), out)), L, upper),
    structured=True,
    says="The inverse changes by minus itself on both sides; the factor follows by the product rule.",
    differential=change.inverse_by_factor,
    **BOTH_TRIANGLES,
)


@operation("A = [[2, 1], [0.5, 3]]; cholesky(A @ A.T)", method=False, only="linalg")
def cholesky_(A: Real, upper: bool = False) -> Any:
    """The lower triangle L with `L @ L.T = A`, for a symmetric positive definite matrix; or its transpose."""
    _check_square("linalg.cholesky", A)
    if not upper:
        return cholesky(A)
    found = transposed(cholesky(transposed(A)))
    found.value = found.value.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    return found


@operation(
    "B = [[1, 2], [3, 4]]; L = [[2, 0], [1, 3]]; cholesky_solve(B, tril(L))",
    "B = [[1, 2], [3, 4]]; L = [[2, 1], [0, 3]]; cholesky_solve(B, triu(L), upper=True)",
)
def cholesky_solve_(B: Real, L: Real, upper: bool = False) -> Any:
    """The solution X of `L @ L.T @ X = B`."""
    for name, x in (("b", B), ("u", L)):
        if x.ndim < 2:
            raise AutogradError(
                f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead", code="E301"
            )
    rows, columns = L.shape[-2:]
    if rows != columns:
        words = f"A must be batches of square matrices, but they are {rows} by {columns} matrices"
        raise AutogradError(words, code="E301")
    if columns != B.shape[-2]:
        raise AutogradError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {rows} by {rows} but each b matrix is "
            f"{B.shape[-2]} by {B.shape[-1]}",
            code="E301",
        )
    batches = [np.empty(x.shape[:-2]) for x in (B, L)]
    if not broadcastable(batches):
        raise mismatch(batches)
    batch = broadcast_shapes(B.shape[:-2], L.shape[:-2])
    check_size((*batch, *B.shape[-2:]))
    if B.shape[:-2] != L.shape[:-2] and mode.grad_enabled and (B.requires_grad or L.requires_grad):
        words = "the gradient of cholesky_solve of batches of two shapes is not supported here"
        raise AutogradError(words, code="E401", help="expand one of them before")
    return cholesky_solve(B, L, **({"upper": True} if upper else {}))


@operation(
    "L = [[2, 0], [1, 3]]; cholesky_inverse(tril(L))", "L = [[2, 1], [0, 3]]; cholesky_inverse(triu(L), upper=True)"
)
def cholesky_inverse_(L: Real, upper: bool = False) -> Any:
    """The inverse of `L @ L.T`."""
    _check_square("cholesky_inverse", L)
    zeros = np.argwhere(np.diagonal(L.value, axis1=-2, axis2=-1) == 0)
    if len(zeros):
        raise AutogradError(
            f"cholesky_inverse: The diagonal element {zeros[0][-1] + 1} is zero, the inversion could not be completed "
            "because the input matrix is singular."
        )
    return cholesky_inverse(L, **({"upper": True} if upper else {}))
