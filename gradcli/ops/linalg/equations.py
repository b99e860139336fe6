"""Square matrices: determinants, inverses, and systems of equations that have one solution."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import check_together
from gradcli.engine.numerics import lapack
from gradcli.engine.numerics.lapack import first_of, zero_pivot
from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.symbolic.formula import part
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops import formulas as change
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.elementwise import zero
from gradcli.ops.pointwise.selection import unless, where
from gradcli.ops.products.contractions import outer, swap_last_dims, times
from gradcli.ops.shaping.diagonals import tril, triu
from gradcli.ops.shaping.shaping import align_reduced, unsqueeze
from gradcli.ops.support.arguments import Real, ReturnType, Shape
from gradcli.ops.support.surface import SOLVED, operation


def _over(g: Any, A: Any) -> Any:
    """Reshape numbers, one for each matrix, to broadcast over the matrices."""
    return align_reduced(g, A.shape, (len(A.shape) - 2, len(A.shape) - 1))


def _inverse(A: Any) -> Any:
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        raise AutogradError(
            f"linalg.inv: {first_of(A, lambda x: zero_pivot(x) > 0)}The diagonal element "
            f"{zero_pivot(A) or A.shape[-1]} is zero, the inversion could not be "
            "completed because the input matrix is singular."
        ) from None


inverse: Primitive = structured(
    "inverse",
    _inverse,
    lambda g, out, A: -times(swap_last_dims(out), times(g, swap_last_dims(out))),
    node="LinalgInvExBackward0",
    says="A change of the matrix passes through the inverse on both sides, with a minus sign.",
    differential=change.INVERSE,
    stacked=(),
)


det: Primitive = structured(
    "det",
    np.linalg.det,
    lambda g, out, A: unless(equal(out, 0), lambda: zero(A), lambda: _over(g * out, A) * swap_last_dims(inverse(A))),
    node="LinalgDetBackward0",
    saves=(0,),
    kinks=lambda A: np.equal(np.linalg.det(A), 0),
    traits=("lenient",),
    convention="at determinant 0 the gradient is 0, as if the matrix had no cofactors",
    says="The derivative of a determinant is the determinant times the inverse, transposed.",
    differential=change.DETERMINANT,
    stacked=(),
)


def _singular(A: Any) -> AutogradError:
    where = first_of(A, lambda x: zero_pivot(x) > 0)
    return AutogradError(f"torch.linalg.solve: {where}The solver failed because the input matrix is singular.")


sign_of = structured(
    "slogdet_sign",
    lambda A: np.linalg.slogdet(A)[0][()],
    notation=part("sign", "slogdet", det.forward),
    stacked=(),
)
log_of = structured(
    "slogdet_logabsdet",
    lambda A: np.linalg.slogdet(A)[1][()],
    lambda g, out, A: _over(g, A) * swap_last_dims(inverse(A)),
    node="LinalgSlogdetBackward0",
    number=1,
    notation=part("logabsdet", "slogdet", det.forward),
    says="The derivative of the logarithm of a determinant is the inverse, transposed.",
    differential=change.LOGARITHM,
    stacked=(),
)


def _check_square(name: str, A: Tensor) -> None:
    ShapeError.when(A.ndim < 2, f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise ShapeError(
            f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} matrices"
        )


@operation(
    "A = [[1, 2], [3, 5]]; det(A)",
    "A = [[[1, 2], [3, 5]], [[2, 1], [0, 3]]]; A.det()",
    integers_stay=True,
    kernel="linalg.det: Expected a floating point or complex tensor as input. Got {}",
    traits=("reducing",),
)
def apply_det(input: Real) -> Any:
    """The determinant of a square matrix, or of each of a batch."""
    _check_square("linalg.det", input)
    return det(input)


@operation(
    "A = [[1, 2], [3, 5]]; slogdet(A).logabsdet",
    integers_stay=True,
    kernel="linalg.slogdet: Expected a floating point or complex tensor as input. Got {}",
)
def slogdet(input: Real) -> ReturnType:
    """The sign of the determinant, `.sign`, and the logarithm of its size, `.logabsdet`."""
    _check_square("linalg.slogdet", input)
    return ReturnType("slogdet", sign=sign_of(input), logabsdet=log_of(input))


@operation(
    "A = [[3, 2], [1, 5]]; logdet(A)", kernel="logdet: Expected a floating point or complex tensor as input. Got {}"
)
def logdet(input: Real) -> Any:
    """The logarithm of the determinant; nan where that is negative."""
    sign, size = slogdet(input)
    return where(equal(sign, -1), float("nan"), size)


@operation(
    "A = [[1, 2], [3, 5]]; inverse(A)",
    "A = [[[1, 2], [3, 5]]]; inv(A)",
    aliases=["inv"],
    integers_stay=True,
    kernel="linalg.inv: Expected a floating point or complex tensor as input. Got {}",
)
def apply_inverse(input: Real) -> Any:
    """The inverse of a square matrix, or of each of a batch."""
    _check_square("linalg.inv", input)
    return inverse(input)


def _of_vectors(A: Any, B: Any) -> bool:
    """Tell whether each matrix has one right side, a vector."""
    return len(B.shape) == 1 or B.shape == A.shape[:-1]


def _solve(A: Any, B: Any, *, left: bool = True) -> Any:
    if not left:
        return _solve(A.swapaxes(-2, -1), B.swapaxes(-2, -1)).swapaxes(-2, -1)
    vectors = _of_vectors(A, B)
    try:
        solution = np.linalg.solve(A, B[..., None] if vectors else B)
    except np.linalg.LinAlgError:
        raise _singular(A) from None
    return solution[..., 0] if vectors else solution


def _stacked_solve(A: Any, B: Any, *, left: bool = True) -> Any:
    return _solve(A, B[..., None])[..., 0] if A.ndim == B.ndim + 1 == 3 else _solve(A, B, left=left)


def _matrix_rule(g: Carrier, out: Carrier, A: Carrier, B: Carrier, *, left: bool = True) -> Any:
    h = solve(swap_last_dims(A), g, left=left)
    if len(out.shape) == 1:
        return -outer(h, out)
    if _of_vectors(A, B):
        axis = len(out.shape)
        return -times(unsqueeze(h, dim=axis), unsqueeze(out, dim=axis - 1))
    return -times(h, swap_last_dims(out)) if left else -times(swap_last_dims(out), h)


solve: Primitive = structured(
    "solve",
    _solve,
    _matrix_rule,
    lambda g, out, A, B, *, left=True: solve(swap_last_dims(A), g, left=left),
    node="LinalgSolveExBackward0",
    says=SOLVED,
    differential=change.solution,
    stacked=_stacked_solve,
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
    triangle = _one_triangle(A, upper=upper, unitriangular=unitriangular)
    if not lapack.is_finite(triangle, B):  # each row on its own, as in torch
        return lapack.substitute_rows(triangle, B, upper)
    try:
        return np.linalg.solve(triangle, B)
    except np.linalg.LinAlgError:
        return lapack.substitute_rows(triangle, B, upper)


def _triangle_rule(
    g: Carrier, out: Carrier, A: Carrier, B: Carrier, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    h = triangle(swap_last_dims(A), g, upper=not upper, left=left, unitriangular=unitriangular)
    change = -times(h, swap_last_dims(out)) if left else -times(swap_last_dims(out), h)
    return (triu if upper else tril)(change, diagonal=(1 if upper else -1) if unitriangular else 0)


triangle: Primitive = structured(
    "solve_triangular",
    _solve_triangle,
    _triangle_rule,
    lambda g, out, A, B, *, upper, left=True, unitriangular=False: triangle(
        swap_last_dims(A), g, upper=not upper, left=left, unitriangular=unitriangular
    ),
    node="LinalgSolveTriangularBackward0",
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
