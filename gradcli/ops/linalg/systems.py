"""Systems of equations that have no solution or many: pseudo-inverses, least squares."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import check_together
from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.linalg.decompositions import _check_matrix, cleared, part_of, svdvals
from gradcli.ops.linalg.determinants import _check_square, apply_inverse
from gradcli.ops.linalg.norms import matrix_norm
from gradcli.ops.pointwise.arithmetic import square
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import reshape, squeeze_dim
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.return_types import ReturnType
from gradcli.ops.support.surface import operation

NORMS = (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc")


def _pseudo(A: Any, *, rtol: float | None = None) -> Any:
    least = max(A.shape[-2:]) * np.finfo(A.dtype).eps if rtol is None else rtol
    return cleared(lapack.pseudo_inverse(A.astype(np.float64), least)).astype(A.dtype)


def _pseudo_rule(g: Carrier, out: Carrier, A: Carrier, *, rtol: float | None = None) -> Any:
    """Return the gradient by Golub and Pereyra, The differentiation of pseudo-inverses (1973), theorem 4.3."""
    turned, flat = transposed(out), transposed(g)
    left = times(times(flat, out), turned)
    right = times(times(turned, out), flat)
    beside = times(times(right, out), A)
    found = left - times(A, times(out, left)) - times(turned, times(g, turned))
    return found + (right - beside)


pinv: Primitive = primitive(
    "pinv",
    _pseudo,
    _pseudo_rule,
    node="LinalgPinvBackward0",
    structured=True,
    says="Inside the range it behaves as an inverse does; outside it, rows and columns add two more parts.",
    differential=change.PSEUDO_INVERSE,
)


least_squares = primitive(
    "lstsq",
    lapack.by_columns(lambda A, B: times(pinv(A), B)),
    lambda g, out, A, B: _pseudo_rule(times(g, transposed(B)), pinv(A), A),
    lambda g, out, A, B: times(transposed(pinv(A)), g),
    node="LinalgLstsqBackward0",
    structured=True,
    notation=part_of("lstsq", "solution", pinv.forward),
    says="The solution is the pseudo-inverse times the right side, and both follow the product rule.",
    differential=change.LEAST_SQUARES,
)


@operation("A = [[1, 2], [3, 5], [0, 1]]; pinv(A)", method=False)
def apply_pinv(A: Real, rcond: float | None = None, *, rtol: float | None = None) -> Any:
    """The pseudo-inverse; singular values below the share `rtol` of the largest count as 0."""
    _check_matrix("linalg.pinv", A)
    least = rtol if rcond is None else rcond
    return pinv(A) if least is None else pinv(A, rtol=least)


summed = replace(sum_dim, node="LinalgLstsqBackward0")


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; B = [[1], [2], [4]]; lstsq(A, B).solution",
    method=False,
    only="linalg",
    alike=(
        "torch.linalg.lstsq: Expected input and other to have the same dtype, but got input's dtype {0} and other's "
        "dtype {1}"
    ),
)
def lstsq(A: Real, B: Real, *, driver: str | None = None) -> ReturnType:
    """The X with the smallest `norm(A @ X - B)`, `.solution`, with the squared errors, `.residuals`."""
    _check_matrix("torch.linalg.lstsq", A)
    AutogradError.when(
        driver not in (None, "gels", "gelsy", "gelsd", "gelss"),
        "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
    )
    ShapeError.when(
        not B.ndim or B.ndim not in (A.ndim, A.ndim - 1),
        "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1",
    )
    vectors = B.ndim == A.ndim - 1
    right = reshape(B, shape=(*B.shape, 1)) if vectors else B
    if right.shape[-2] != A.shape[-2]:
        where = -1 if vectors else -2
        raise ShapeError(f"torch.linalg.lstsq: input.size(-2) should match other.size({where})")
    batches = [np.empty(x.shape[:-2]) for x in (A, right)]
    check_together(*batches)
    rows, columns = A.shape[-2:]
    rank = matrix_rank(A.detach())
    is_full = rank.value.min(initial=columns) == columns
    best, empty = least_squares(A, right), Tensor(np.zeros(0, A.dtype))
    residuals = empty
    if driver in ("gels", "gelsd", "gelss") and rows > columns and is_full:
        residuals = summed(square(right - times(A, best)), dim=right.ndim - 2)
    solution = reshape(best, shape=best.shape[:-1]) if vectors else best
    values = svdvals(A.detach()) if driver in ("gelsd", "gelss") else empty
    rank = Tensor(np.zeros(0, np.int64)) if driver == "gels" else rank
    return ReturnType("lstsq", solution=solution, residuals=residuals, rank=rank, singular_values=values)


@operation("matrix_rank([[1.0, 2.0], [2.0, 4.0]])", method=False, only="linalg")
def matrix_rank(A: Real, tol: float | None = None, *, rtol: float | None = None) -> Any:
    """How many singular values are not 0, or are above `tol`."""
    _check_matrix("torch.linalg.matrix_rank", A)
    values = lapack.singular_values(A.value)
    largest = values.max(axis=-1, keepdims=True, initial=0)
    share = max(A.shape[-2:]) * np.finfo(A.dtype).eps if rtol is None else rtol
    return Tensor(np.sum(values > (share * largest if tol is None else tol), axis=-1)[()])


@operation("A = [[1, 2], [3, 5]]; cond(A)", "cond([[1.0, 2.0], [3.0, 5.0]], 1)", method=False, only="linalg")
def cond(A: Real, p: Any = None) -> Any:
    """How much a relative error can grow in a system of equations: the norm times that of the inverse."""
    _check_matrix("linalg.cond", A)
    if not isinstance(p, str | int | float | None) or p not in NORMS:
        raise AutogradError(f"linalg.cond got an invalid norm type: {str(p)[:40]}")
    if p in (None, 2, -2):
        values = svdvals(A)
        last, size = values.ndim - 1, values.shape[-1]
        ends = [cut(values, dim=last, start=at, stop=at + 1) for at in (0, max(size - 1, 0))]
        return squeeze_dim(ends[1] / ends[0] if p == -2 else ends[0] / ends[1], dim=last)
    _check_square(f"linalg.cond(ord={p})", A)
    return matrix_norm(A, p) * matrix_norm(apply_inverse(A), p)
