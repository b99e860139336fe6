"""Torch's older `triangular_solve`: one node of two results, the solution and a copy of the matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcastable, mismatch
from gradcli.engine.numerics.lapack import by_columns
from gradcli.engine.primitive import Primitive
from gradcli.engine.saved import watch, watch_beside
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Attribute, Call, Expression
from gradcli.ops.linalg.triangles import triangle
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.support.forgetting import nothing
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.sentences import SOLVED
from gradcli.ops.support.several import bound

NODE = "TriangularSolveBackward0"


def _solution(b: Any, A: Any, *, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    matrix, above = (transposed(A), not upper) if transpose else (A, upper)
    return triangle.forward(matrix, b, upper=above, unitriangular=unitriangular)


def _right_rule(g: Any, out: Any, b: Any, A: Any, *, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    return solution(g, A, upper=upper, transpose=not transpose, unitriangular=unitriangular)


def _matrix_rule(g: Any, out: Any, b: Any, A: Any, *, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    h = _right_rule(g, out, b, A, upper=upper, transpose=transpose, unitriangular=unitriangular)
    change = -times(out, transposed(h)) if transpose else -times(h, transposed(out))
    return (triu if upper else tril)(change, diagonal=(1 if upper else -1) * unitriangular)


def _write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write the newer function, whose operands come the other way round."""
    b, A = (x.tree for x in operands)
    turned = options["transpose"]
    named = {"upper": options["upper"] != turned, "unitriangular": options["unitriangular"]}
    arguments = [Argument(Attribute(A, "mT") if turned else A), Argument(b)]
    return Call("solve_triangular", (*arguments, *(Argument(literal(x), name) for name, x in named.items())))


def _coefficient(b: Any, A: Any) -> Any:
    return np.array(np.broadcast_to(A, (*np.broadcast_shapes(b.shape[:-2], A.shape[:-2]), *A.shape[-2:])))


solution = Primitive(
    "triangular_solve", _solution, (_right_rule, _matrix_rule), NODE, _write, says=SOLVED, structured=True
)
coefficient = Primitive(
    "triangular_solve_coefficient",
    by_columns(_coefficient),
    (lambda g, out, b, A: nothing(b), lambda g, out, b, A: g),
    NODE,
    lambda operands, options: operands[1].tree,
    structured=True,
    number=1,
)


def triangular_solve(b: Tensor, A: Tensor, *, upper: bool, transpose: bool, unitriangular: bool) -> ReturnType:
    """Solve `A @ X = b`, for the triangle of A alone."""
    for name, x in (("b", b), ("A", A)):
        if x.ndim < 2:
            raise AutogradError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x.ndim} "
                "dimensions instead",
                code="E301",
            )
    (rows, columns), (height, width) = A.shape[-2:], b.shape[-2:]
    if rows != columns:
        raise AutogradError(
            f"A must be batches of square matrices, but they are {rows} by {columns} matrices", code="E301"
        )
    if rows != height:
        raise AutogradError(
            f"Incompatible matrix sizes for triangular_solve: each A matrix is {rows} by {rows} but each b matrix is "
            f"{height} by {width}",
            code="E301",
        )
    batches = [np.empty(x.shape[:-2], np.void) for x in (b, A)]
    if not broadcastable(batches):
        raise mismatch(batches)
    found = solution(b, A, upper=upper, transpose=transpose, unitriangular=unitriangular), coefficient(b, A)
    for x in found:
        watch(x, b, A)
    watch_beside(found[1], found[0])
    return ReturnType("triangular_solve", **dict(zip(("solution", "cloned_coefficient"), bound(found), strict=True)))
