"""Cholesky factors of symmetric matrices, and the systems and inverses that they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.numerics.lapack import first_of
from gradcli.engine.primitive import primitive
from gradcli.errors import AutogradError
from gradcli.ops import formulas as change
from gradcli.ops.linalg.determinants import _check_square, inverse
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.surface import operation


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


def _cholesky_rule(g: Carrier, out: Carrier, A: Carrier) -> Any:
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


@operation("A = [[2, 1], [0.5, 3]]; cholesky(A @ A.T)", method=False, only="linalg")
def apply_cholesky(A: Real, upper: bool = False) -> Any:
    """The lower triangle L with `L @ L.T = A`, for a symmetric positive definite matrix; or its transpose."""
    _check_square("linalg.cholesky", A)
    if not upper:
        return cholesky(A)
    found = transposed(cholesky(transposed(A)))
    found.value = found.value.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    return found
