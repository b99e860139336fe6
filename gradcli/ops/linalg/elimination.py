"""The LU decomposition: a permutation, a lower and an upper triangle with `A = P @ L @ U`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import by_columns
from gradcli.engine.primitive import OUT, Primitive, primitive
from gradcli.engine.symbolic.notation import Notation, call
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Attribute
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.decompositions import PRODUCT, _check_matrix, factors
from gradcli.ops.linalg.determinants import _times
from gradcli.ops.linalg.triangles import triangle
from gradcli.ops.products.contractions import transposed
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def _eliminated(A: Any) -> tuple[Any, Any]:
    """Return both triangles in one matrix, and the row that each row was exchanged with, from 1 on."""
    found = np.array(A, np.float64)
    count = min(A.shape[-2:])
    pivots = np.zeros((*A.shape[:-2], count), np.int32)
    for batch in np.ndindex(*A.shape[:-2]):
        rows, chosen = found[batch], pivots[batch]
        for k in range(count):
            best = k + int(np.argmax(np.abs(rows[k:, k])))
            chosen[k] = best + 1
            rows[[k, best]] = rows[[best, k]]
            if rows[k, k] != 0:
                rows[k + 1 :, k] /= rows[k, k]
                rows[k + 1 :, k + 1 :] -= np.outer(rows[k + 1 :, k], rows[k, k + 1 :])
    return found.astype(A.dtype), pivots


def _permutation(pivots: Any, size: int, dtype: Any) -> Any:
    found = np.zeros((*pivots.shape[:-1], size, size), dtype)
    for batch in np.ndindex(*pivots.shape[:-1]):
        matrix, chosen = found[batch], pivots[batch]
        order = np.arange(size)
        for k, row in enumerate(chosen.tolist()):
            order[[k, row - 1]] = order[[row - 1, k]]
        matrix[order, np.arange(size)] = 1
    return found


def _exchange(A: Any) -> Any:
    return _permutation(_eliminated(A)[1], A.shape[-2], A.dtype)


def _below(A: Any) -> Any:
    count = min(A.shape[-2:])
    return np.tril(_eliminated(A)[0][..., :count], -1) + np.eye(A.shape[-2], count, dtype=A.dtype)


def _above(A: Any) -> Any:
    return np.triu(_eliminated(A)[0][..., : min(A.shape[-2:]), :])


def _part(name: str, forward: Callable[..., Any]) -> Notation:
    write = call("lu", forward)
    return lambda operands, options: Attribute(write(operands, options), name)


def _check_square_rule(A: Any) -> None:
    if A.shape[-1] != A.shape[-2]:
        raise AutogradError("the derivative of the LU decomposition of such a matrix is not supported", code="E401")


def _back(inner: Any, A: Any) -> Any:
    """Return the gradient of the matrix from the gradient between the triangles."""
    _check_square_rule(A)
    right = triangle(transposed(upper(A)), inner, upper=False, left=False)
    return _times(exchange(A), triangle(transposed(lower(A)), right, upper=True, unitriangular=True))


exchange: Primitive = primitive("lu_P", _exchange, structured=True, notation=_part("P", _exchange))
lower: Primitive = primitive(
    "lu_L",
    _below,
    lambda g, out, A: _back(tril(_times(transposed(out), g), diagonal=-1), A),
    node="LinalgLuBackward0",
    gradients=(PRODUCT,),
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=_part("L", _below),
    says="The matrix is L times U; the product rule is solved with both factors kept triangular.",
    differential=change.LOWER,
)
upper: Primitive = primitive(
    "lu_U",
    _above,
    lambda g, out, A: _back(triu(_times(g, transposed(out)), diagonal=0), A),
    node="LinalgLuBackward0",
    number=1,
    gradients=(PRODUCT,),
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=_part("U", _above),
    says=lower.says,
    differential=change.UPPER,
)


@operation("A = [[1, 2], [3, 5]]; lu(A).L", "A = [[1, 2], [3, 5]]; lu(A).U", method=False, only="linalg")
def lu(A: Real, *, pivot: bool = True) -> ReturnType:
    """The order of the rows, `.P`, the lower triangle, `.L`, and the upper one, `.U`."""
    _check_matrix("linalg.lu", A)
    if not pivot:
        raise AutogradError("linalg.lu: LU without pivoting is not implemented on the CPU")
    return factors("lu", P=exchange(A), L=lower(A), U=upper(A))


def _both_rule(g: Any, out: Any, A: Any) -> Any:
    _check_square_rule(A)
    below = tril(_times(transposed(lower(A)), tril(g, diagonal=-1)), diagonal=-1)
    return _back(below + triu(_times(triu(g, diagonal=0), transposed(upper(A))), diagonal=0), A)


both = primitive(
    "lu_factor_LU",
    by_columns(lambda A: _eliminated(A)[0]),
    _both_rule,
    node="LinalgLuFactorExBackward0",
    gradients=(PRODUCT,),
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=lambda operands, options: Attribute(call("lu_factor", _above)(operands, options), "LU"),
    says=lower.says,
    differential=change.BOTH,
)


@operation("A = [[1, 2], [3, 5]]; lu_factor(A).LU", method=False)
def lu_factor(A: Real, *, pivot: bool = True) -> ReturnType:
    """Both triangles in one matrix, `.LU`, and with which row each was exchanged, `.pivots`."""
    _check_matrix("linalg.lu_factor", A)
    if not pivot:
        raise AutogradError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    return factors("lu_factor", LU=both(A), pivots=Tensor(_eliminated(A.value)[1]))


def factored(LU: Tensor, pivots: Tensor) -> Tensor:
    """Rebuild a matrix from its triangles and its exchanges of rows."""
    size = LU.shape[-1]
    if pivots.shape != LU.shape[:-1] or not np.all((pivots.value >= 1) & (pivots.value <= size)):
        raise AutogradError("pivots are numbers of rows, from 1 on", code="E301")
    below = np.tril(LU.value, -1) + np.eye(size, dtype=LU.dtype)
    order = _permutation(pivots.value, size, LU.dtype)
    return Tensor(np.matmul(order, np.matmul(below, np.triu(LU.value))))
