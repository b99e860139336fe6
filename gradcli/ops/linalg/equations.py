"""Systems of equations that have one solution, of any matrix and of a triangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import check_together
from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive, primitive
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops import formulas as change
from gradcli.ops.linalg.determinants import _check_square, _singular
from gradcli.ops.products.contractions import outer, times, transposed
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Real, Shape
from gradcli.ops.support.surface import SOLVED, operation


def _of_vectors(A: Any, B: Any) -> bool:
    """Tell whether each matrix has one right side, a vector."""
    return len(B.shape) == 1 or B.shape == A.shape[:-1]


def _solve(A: Any, B: Any, *, left: bool = True) -> Any:
    if not left:
        return _solve(A.swapaxes(-2, -1), B.swapaxes(-2, -1)).swapaxes(-2, -1)
    vectors = _of_vectors(A, B)
    try:
        found = np.linalg.solve(A, B[..., None] if vectors else B)
    except np.linalg.LinAlgError:
        raise _singular(A) from None
    return found[..., 0] if vectors else found


def _matrix_rule(g: Carrier, out: Carrier, A: Carrier, B: Carrier, *, left: bool = True) -> Any:
    h = solve(transposed(A), g, left=left)
    if len(out.shape) == 1:
        return -outer(h, out)
    if _of_vectors(A, B):
        axis = len(out.shape)
        return -times(unsqueeze(h, dim=axis), unsqueeze(out, dim=axis - 1))
    return -times(h, transposed(out)) if left else -times(transposed(out), h)


solve: Primitive = primitive(
    "solve",
    _solve,
    _matrix_rule,
    lambda g, out, A, B, *, left=True: solve(transposed(A), g, left=left),
    node="LinalgSolveExBackward0",
    structured=True,
    says=SOLVED,
    differential=change.solution,
)


def check_system(name: str, matrix: Shape, right: Shape, *, left: bool) -> None:
    """Refuse right sides of a shape that does not fit that of the matrices."""
    ShapeError.when(len(right) < 2, f"{name}: The input tensor B must have at least 2 dimensions.")
    if right[-2 if left else -1] != matrix[-1]:
        raise ShapeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
            f"({matrix[-2]}x{matrix[-1]} and {right[-2]}x{right[-1]})"
        )
    batches = [np.empty(shape[:-2]) for shape in (right, matrix)]
    check_together(*batches)


@operation(
    "A = [[1, 2], [3, 5]]; b = [1, 4]; solve(A, b)",
    "A = [[1, 2], [3, 5]]; B = [[1, 0, 2], [4, 1, 1]]; solve(A, B)",
    method=False,
    only="linalg",
    alike="linalg.solve: Expected A and B to have the same dtype, but found A of type {0} and B of type {1} instead",
)
def apply_solve(A: Real, B: Real, *, left: bool = True) -> Any:
    """The solution X of `A @ X = B`, for a vector or each column of a matrix; without `left` of `X @ A = B`."""
    _check_square("linalg.solve", A)
    vectors = _of_vectors(A, B)
    check_system("linalg.solve", A.shape, (*B.shape, 1) if vectors else B.shape, left=left)
    AutogradError.when(
        vectors and not left,
        "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
        "linalg.solve is equivalent to B / A.squeeze(-1)",
    )
    return solve(A, B) if vectors else solve(A, B, left=left)


def _one_triangle(A: Any, *, upper: bool, unitriangular: bool) -> Any:
    kept = (triu if upper else tril)(A, diagonal=0)
    if not unitriangular:
        return kept
    inner = (triu if upper else tril)(A, diagonal=1 if upper else -1)
    return inner + np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)


def _solve_triangle(A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    if not left:
        A, B, upper = A.swapaxes(-2, -1), B.swapaxes(-2, -1), not upper
        return _solve_triangle(A, B, upper=upper, unitriangular=unitriangular).swapaxes(-2, -1)
    one = _one_triangle(A, upper=upper, unitriangular=unitriangular)
    if not lapack.is_finite(one, B):  # each row on its own, as in torch
        return lapack.substituted(one, B, upper)
    try:
        return np.linalg.solve(one, B)
    except np.linalg.LinAlgError:
        return lapack.substituted(one, B, upper)


def _triangle_rule(
    g: Carrier, out: Carrier, A: Carrier, B: Carrier, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    h = triangle(transposed(A), g, upper=not upper, left=left, unitriangular=unitriangular)
    change = -times(h, transposed(out)) if left else -times(transposed(out), h)
    return (triu if upper else tril)(change, diagonal=(1 if upper else -1) if unitriangular else 0)


triangle: Primitive = primitive(
    "solve_triangular",
    _solve_triangle,
    _triangle_rule,
    lambda g, out, A, B, *, upper, left=True, unitriangular=False: triangle(
        transposed(A), g, upper=not upper, left=left, unitriangular=unitriangular
    ),
    node="LinalgSolveTriangularBackward0",
    structured=True,
    says=SOLVED,
    differential=change.triangle,
)


@operation(
    "A = [[2, 0], [1, 3]]; B = [[1, 2], [3, 4]]; solve_triangular(A, B, upper=False)",
    "A = [[2, 1], [0, 3]]; B = [[1, 2], [3, 4]]; solve_triangular(A, B, upper=True, unitriangular=True)",
    "A = [[2, 1], [0, 3]]; B = [[1, 2]]; solve_triangular(A, B, upper=True, left=False)",
    method=False,
)
def solve_triangular(A: Real, B: Real, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """The solution X of `A @ X = B` for a triangle; of `X @ A = B` where it is not to be `left`."""
    _check_square("linalg.solve_triangular", A)
    check_system("linalg.solve_triangular", A.shape, B.shape, left=left)
    return triangle(A, B, upper=upper, left=left, unitriangular=unitriangular)
