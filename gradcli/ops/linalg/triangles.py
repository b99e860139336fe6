"""Systems of equations whose matrix is a triangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive, primitive
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.determinants import _check_square
from gradcli.ops.linalg.equations import check_system
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.sentences import SOLVED
from gradcli.ops.support.surface import operation


def _one_triangle(A: Any, *, upper: bool, unitriangular: bool) -> Any:
    kept = (triu if upper else tril)(A, diagonal=0)
    if not unitriangular:
        return kept
    inner = (triu if upper else tril)(A, diagonal=1 if upper else -1)
    return inner + np.broadcast_to(np.eye(A.shape[-1], dtype=A.dtype), A.shape)


@lapack.by_columns
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
    g: Any, out: Any, A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
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
