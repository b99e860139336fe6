"""The LU decomposition: a permutation, a lower and an upper triangle with `A = P @ L @ U`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.numerics.lapack import by_columns, factored
from gradcli.engine.primitive import OUT, Primitive, primitive
from gradcli.engine.saved import watch
from gradcli.engine.symbolic.notation import Notation, call
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Attribute
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.decompositions import factors
from gradcli.ops.linalg.determinants import _check_square
from gradcli.ops.linalg.equations import check_system, solve
from gradcli.ops.linalg.triangles import triangle
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.support.arguments import Real, Shape
from gradcli.ops.support.covering import as_node
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation
from gradcli.ops.windows.padding import pad_constant


def _eliminated(A: Any) -> tuple[Any, Any]:
    """Return both triangles in one matrix, and the row that each row was exchanged with, from 1 on."""
    both, pivots = factored(A)
    return both, pivots + 1


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


def _check_two(name: str, A: Tensor) -> None:
    if A.ndim < 2:
        size = list(A.shape)
        raise AutogradError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {size} instead", code="E301")


def _part(name: str, forward: Callable[..., Any]) -> Notation:
    write = call("lu", forward)
    return lambda operands, options: Attribute(write(operands, options), name)


def _grown(x: Any, shape: Shape) -> Any:
    """Return a triangle with zeros below and beside it, to the size of a matrix."""
    beside, below = shape[-1] - x.shape[-1], shape[-2] - x.shape[-2]
    return pad_constant(x, pad=(0, beside, 0, below), value=0) if beside or below else x


def _square(x: Any) -> Any:
    """Return a triangle of a wide or tall matrix with the further rows or columns of the identity."""
    shortest, size = sorted(x.shape[-2:])
    if shortest == size:
        return x
    return _grown(x, (size, size)) + np.diag(np.arange(size) >= shortest).astype(x.dtype)


def _of_lower(g: Any, L: Any) -> Any:
    return tril(times(transposed(_square(L)), g), diagonal=-1)


def _of_upper(g: Any, U: Any) -> Any:
    return triu(times(g, transposed(_square(U))), diagonal=0)


def _back(inner: Any, A: Any) -> Any:
    """Return the gradient of the matrix from the gradient between the triangles."""
    right = triangle(transposed(_square(upper(A))), inner, upper=False, left=False)
    return times(exchange(A), triangle(transposed(_square(lower(A))), right, upper=True, unitriangular=True))


exchange: Primitive = primitive("lu_P", _exchange, structured=True, notation=_part("P", _exchange))
lower: Primitive = primitive(
    "lu_L",
    _below,
    lambda g, out, A: _back(_of_lower(_grown(g, A.shape), out), A),
    node="LinalgLuBackward0",
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=_part("L", _below),
    says="The matrix is L times U; the product rule is solved with both factors kept triangular.",
    differential=change.lower,
)
upper: Primitive = primitive(
    "lu_U",
    _above,
    lambda g, out, A: _back(_of_upper(_grown(g, A.shape), out), A),
    node="LinalgLuBackward0",
    number=1,
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=_part("U", _above),
    says=lower.says,
    differential=change.upper,
)


@operation(
    "A = [[1, 2], [3, 5]]; lu(A).L",
    "A = [[1, 2], [3, 5]]; lu(A).U",
    "A = [[1, 2, 4], [3, 5, 1]]; lu(A).L",
    "A = [[1, 2, 4], [3, 5, 1]]; lu(A).U",
    "A = [[1, 2], [3, 5], [2, 7]]; lu(A).L",
    "A = [[1, 2], [3, 5], [2, 7]]; lu(A).U",
    method=False,
    only="linalg",
)
def lu(A: Real, *, pivot: bool = True) -> ReturnType:
    """The order of the rows, `.P`, the lower triangle, `.L`, and the upper one, `.U`."""
    _check_two("linalg.lu", A)
    if not pivot:
        raise AutogradError("linalg.lu: LU without pivoting is not implemented on the CPU")
    return factors("lu", P=exchange(A), L=lower(A), U=upper(A))


def _both_rule(g: Any, out: Any, A: Any) -> Any:
    below, above = _of_lower(tril(g, diagonal=-1), lower(A)), _of_upper(triu(g, diagonal=0), upper(A))
    return _back(below + above, A)


both = primitive(
    "lu_factor_LU",
    by_columns(lambda A: _eliminated(A)[0]),
    _both_rule,
    node="LinalgLuFactorExBackward0",
    copies=True,
    saves=(OUT,),
    structured=True,
    notation=lambda operands, options: Attribute(call("lu_factor", _above)(operands, options), "LU"),
    says=lower.says,
    differential=change.both,
)


@operation(
    "A = [[1, 2], [3, 5]]; lu_factor(A).LU",
    "A = [[1, 2, 4], [3, 5, 1]]; lu_factor(A).LU",
    "A = [[1, 2], [3, 5], [2, 7]]; lu_factor(A).LU",
    method=False,
)
def lu_factor(A: Real, *, pivot: bool = True) -> ReturnType:
    """Both triangles in one matrix, `.LU`, and with which row each was exchanged, `.pivots`."""
    _check_two("torch.lu_factor", A)
    if not pivot:
        raise AutogradError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    return factors("lu_factor", LU=both(A), pivots=Tensor(_eliminated(A.value)[1]))


def _check_pivots(LU: Tensor, pivots: Tensor, B: Tensor) -> None:
    """Refuse what is no result of `lu_factor`."""
    size, where, place = LU.shape[-1], "linalg.lu_solve: ", "Pivots given to lu_solve must all be"
    origin = "Did you properly pass the result of lu_factor?"
    types = [TYPE_NAMES[x.dtype] for x in (LU, B)]
    expected = f"Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape {list(pivots.shape)}"
    refusals = (
        (LU.dtype.kind == "f", f"torch.{where}Expected a floating point or complex tensor as input. Got {types[0]}"),
        (
            LU.dtype == B.dtype,
            f"{where}Expected LU and B to have the same dtype, but found LU of type {types[0]} and B of type "
            f"{types[1]} instead",
        ),
        (pivots.dtype == np.int32, f"{where}pivots should be a Tensor of scalar type torch.int32"),
        (
            pivots.shape[-1:] == (size,),
            f"{where}Number of pivots per batch should be same as the dimension of the matrix",
        ),
        (pivots.shape == LU.shape[:-1], f"{where}{expected} instead"),
        (np.all(pivots.value >= 1), f"{place} greater or equal to 1. {origin}"),
        (np.all(pivots.value <= size), f"{place} smaller or equal to LU.size(-2). {origin}"),
    )
    for holds, words in refusals:
        if not holds:
            raise AutogradError(words)


def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Any:
    """The solution X of `A @ X = B`, for the two results of `lu_factor(A)`; of `X @ A = B` where it is not `left`."""
    _check_square("torch.linalg.lu_solve", LU)
    _check_pivots(LU, pivots, B)
    check_system("linalg.lu_solve", LU.shape, B.shape, left=left)
    order, triangles = Tensor(_permutation(pivots.value, LU.shape[-1], LU.dtype)), LU
    turned = adjoint if left else not adjoint
    order, triangles = (transposed(order), transposed(triangles)) if turned else (order, triangles)
    found = B
    steps = [
        lambda x: solve(order, x),
        lambda x: triangle(triangles, x, upper=turned, unitriangular=True),
        lambda x: triangle(triangles, x, upper=not turned),
    ]
    found = found if left else transposed(found)
    for step in reversed(steps) if turned else steps:
        found = step(found)
    found = as_node(found if left else transposed(found), "LinalgLuSolveBackward0", saves=(OUT,))
    watch(found, LU)
    return found
