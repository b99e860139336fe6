"""Systems of equations that have no solution or many: pseudo-inverses, least squares."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.checks.refusals import check_constant
from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.linalg.decompositions import cleared, part_of, svdvals
from gradcli.ops.linalg.determinants import _check_square, inverse_
from gradcli.ops.linalg.norms import matrix_norm
from gradcli.ops.pointwise.arithmetic import square
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.reducing.reductions import sum_dim
from gradcli.ops.shaping.shaping import reshape, squeeze_dim
from gradcli.ops.support.arguments import Operand, Real, as_tensor
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def _lower(A: Any) -> Any:
    """Return the symmetric matrix whose lower triangle is given; the upper one is not read."""
    return np.tril(A) + np.tril(A, -1).swapaxes(-2, -1)


def _pseudo(A: Any, *, rtol: Any = None, hermitian: bool = False) -> Any:
    A = _lower(A) if hermitian else A
    cut = max(A.shape[-2:]) * np.finfo(A.dtype).eps if rtol is None else np.array(rtol)
    return cleared(lapack.pseudo_inverse(A.astype(np.float64), cut)).astype(A.dtype)


def _pseudo_rule(g: Any, out: Any, A: Any, *, rtol: Any = None, hermitian: bool = False) -> Any:
    """Return the gradient by Golub and Pereyra, The differentiation of pseudo-inverses (1973), theorem 4.3."""
    turned, flat = transposed(out), transposed(g)
    left = times(times(flat, out), turned)
    right = times(times(turned, out), flat)
    beside = times(times(right, out), A)
    found = left - times(A, times(out, left)) - times(turned, times(g, turned))
    tall = A.shape[-2] > A.shape[-1]  # whose last part torch subtracts
    return found + right - beside if tall else found + (right - beside)


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
def pinv_(
    A: Real,
    rcond: Operand | None = None,
    hermitian: bool = False,
    *,
    atol: Operand | None = None,
    rtol: Operand | None = None,
) -> Any:
    """The pseudo-inverse, which takes the place of the inverse in least squares."""
    if A.ndim < 2:
        raise AutogradError(
            f"linalg.pinv({TYPE_NAMES[A.dtype]}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions of "
            "float, double, cfloat or cdouble types",
            code="E301",
        )
    for name, given in (("atol", atol), ("rtol", rtol if rcond is None else rcond)):
        if isinstance(given, Tensor):
            check_constant("linalg_pinv", name, given)
    if not A.value.size:  # for which no triangle is read
        return pinv(A)
    options: dict[str, Any] = {"hermitian": True} if hermitian else {}
    if hermitian:
        _check_square("linalg.eigh", A)
    if not (rcond is atol is rtol is None):
        absolute, relative = _tolerances(A, atol, rtol if rcond is None else rcond)
        largest = np.max(lapack.singular_values(_lower(A.value) if hermitian else A.value), axis=-1)
        least = np.maximum(relative, np.divide(absolute, largest, out=np.zeros_like(largest), where=largest > 0))
        options["rtol"] = least.tolist()
    return pinv(A, **options)


def _tolerances(A: Tensor, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Return how large a singular value is still 0, and as a share of the largest one: for all matrices or for each."""
    absolute, relative = (None if x is None else as_tensor(x).value for x in (atol, rtol))
    for given in (absolute, relative):
        if given is not None and given.ndim and given.shape != A.shape[:-2]:
            raise AutogradError("a tolerance is one number, or one for each matrix", code="E301")
    absolute = np.asarray(0.0 if absolute is None else absolute)
    usual = max(A.shape[-2:]) * np.finfo(A.dtype).eps
    return absolute, np.where(absolute > 0, 0.0, usual) if relative is None else np.asarray(relative)


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
def lstsq(A: Real, B: Real, rcond: float | None = None, *, driver: str | None = None) -> ReturnType:
    """The X with the smallest `norm(A @ X - B)`, `.solution`, with the squared errors, `.residuals`."""
    if A.ndim < 2:
        raise AutogradError("torch.linalg.lstsq: input must have at least 2 dimensions.", code="E301")
    if not B.ndim:
        raise AutogradError("torch.linalg.lstsq: other must have at least 1 dimension.", code="E301")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise AutogradError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if B.ndim not in (A.ndim, A.ndim - 1):
        raise AutogradError(
            "torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
            "<= 1",
            code="E301",
        )
    vectors = B.ndim == A.ndim - 1
    right = reshape(B, shape=(*B.shape, 1)) if vectors else B
    if right.shape[-2] != A.shape[-2]:
        where = -1 if vectors else -2
        raise AutogradError(f"torch.linalg.lstsq: input.size(-2) should match other.size({where})", code="E301")
    batches = [np.empty(x.shape[:-2]) for x in (A, right)]
    if not broadcastable(batches):
        raise mismatch(batches)
    rows, columns = A.shape[-2:]
    ranks = matrix_rank(A.detach()).value
    deficient = ranks.min(initial=min(rows, columns)) < min(rows, columns)
    if driver == "gels" and deficient:
        raise AutogradError("lstsq by gels of a matrix without full rank is not supported here", code="E401")
    if rcond is not None and (deficient or (matrix_rank(A.detach(), rtol=rcond).value != ranks).any()):
        raise AutogradError("lstsq with an rcond that decides about the rank is not supported here", code="E401")
    found = least_squares(A, right)
    residuals = empty = Tensor(np.zeros(0, A.dtype))
    full = ranks.min(initial=columns) == columns
    if driver in ("gels", "gelsd", "gelss") and rows > columns and full:
        residuals = summed(square(right - times(A, found)), dim=right.ndim - 2)
    solution = reshape(found, shape=found.shape[:-1]) if vectors else found
    rank = Tensor(np.zeros(0, np.int64)) if driver == "gels" else matrix_rank(A.detach())
    values = svdvals(A.detach()) if driver in ("gelsd", "gelss") else empty
    return ReturnType("lstsq", solution=solution, residuals=residuals, rank=rank, singular_values=values)


@operation("matrix_rank([[1.0, 2.0], [2.0, 4.0]])", method=False, only="linalg")
def matrix_rank(
    A: Real,
    tol: Operand | None = None,
    hermitian: bool = False,
    *,
    atol: Operand | None = None,
    rtol: Operand | None = None,
) -> Any:
    """How many singular values are not 0, or not above a tolerance."""
    if A.ndim < 2:
        raise AutogradError(
            "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.", code="E301"
        )
    if hermitian and A.value.size:
        _check_square("linalg.eigh", A)
    values = lapack.singular_values(_lower(A.value) if hermitian and A.value.size else A.value)
    largest = values.max(axis=-1, keepdims=True, initial=0)
    absolute, relative = _tolerances(A, atol, rtol) if tol is None else _tolerances(A, tol, 0.0)
    bound = np.maximum(absolute[..., None], relative[..., None] * largest)
    return Tensor(np.sum(values > bound, axis=-1)[()])


@operation("A = [[1, 2], [3, 5]]; cond(A)", "cond([[1.0, 2.0], [3.0, 5.0]], 1)", method=False, only="linalg")
def cond(A: Real, p: Any = None) -> Any:
    """How much a relative error can grow in a system of equations: the norm times that of the inverse."""
    if A.ndim < 2:
        raise AutogradError("linalg.cond: The input tensor must have at least 2 dimensions.", code="E301")
    known = p is None or isinstance(p, str | int | float)
    if not known or p not in (None, 1, -1, 2, -2, math.inf, -math.inf, "fro", "nuc"):
        raise AutogradError(f"linalg.cond got an invalid norm type: {str(p)[:40]}")
    if 0 in A.shape:
        return Tensor(np.zeros(A.shape[:-2], A.dtype)[()])
    if p in (None, 2, -2):
        values = svdvals(A)
        last, size = values.ndim - 1, values.shape[-1]
        ends = [cut(values, dim=last, start=at, stop=at + 1) for at in (0, max(size - 1, 0))]
        return squeeze_dim(ends[1] / ends[0] if p == -2 else ends[0] / ends[1], dim=last)
    _check_square(f"linalg.cond(ord={p})", A)
    singular = np.array([lapack.zero_pivot(matrix) > 0 for matrix in A.value.reshape(-1, *A.shape[-2:])])
    if not singular.any():
        return matrix_norm(A, p) * matrix_norm(inverse_(A), p)
    if A.requires_grad or p == "nuc":
        raise AutogradError("this condition number of a singular matrix is not supported here", code="E401")
    singular = singular.reshape(A.shape[:-2])
    regular = np.where(singular[..., None, None], np.eye(A.shape[-1], dtype=A.dtype), A.value)
    found = matrix_norm(Tensor(regular), p) * matrix_norm(inverse_(Tensor(regular)), p)
    return Tensor(np.where(singular, np.inf, found.value).astype(A.dtype)[()])
