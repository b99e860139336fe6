"""Square matrices: determinants, inverses, powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import first_of, zero_pivot
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import part
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops import formulas as change
from gradcli.ops.pointwise.comparisons import equal
from gradcli.ops.pointwise.scalars import zero
from gradcli.ops.pointwise.selection import unless, where
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.axes import aligned
from gradcli.ops.support.arguments import Real, ReturnType
from gradcli.ops.support.surface import operation


def _over(g: Any, A: Any) -> Any:
    """Reshape numbers, one for each matrix, to broadcast over the matrices."""
    return aligned(g, A.shape, (len(A.shape) - 2, len(A.shape) - 1))


def _inverse(A: Any) -> Any:
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        raise AutogradError(
            f"linalg.inv: {first_of(A, lambda x: zero_pivot(x) > 0)}The diagonal element "
            f"{zero_pivot(A) or A.shape[-1]} is zero, the inversion could not be "
            "completed because the input matrix is singular."
        ) from None


inverse: Primitive = primitive(
    "inverse",
    _inverse,
    lambda g, out, A: -times(transposed(out), times(g, transposed(out))),
    node="LinalgInvExBackward0",
    structured=True,
    says="A change of the matrix passes through the inverse on both sides, with a minus sign.",
    differential=change.INVERSE,
)


det: Primitive = primitive(
    "det",
    np.linalg.det,
    lambda g, out, A: unless(equal(out, 0), lambda: zero(A), lambda: _over(g * out, A) * transposed(inverse(A))),
    node="LinalgDetBackward0",
    saves=(0,),
    structured=True,
    kinks=lambda A: np.equal(np.linalg.det(A), 0),
    traits=("lenient",),
    convention="at determinant 0 the gradient is 0, as if the matrix had no cofactors",
    says="The derivative of a determinant is the determinant times the inverse, transposed.",
    differential=change.DETERMINANT,
)


def _singular(A: Any) -> AutogradError:
    where = first_of(A, lambda x: zero_pivot(x) > 0)
    return AutogradError(f"torch.linalg.solve: {where}The solver failed because the input matrix is singular.")


sign_of = primitive(
    "slogdet_sign",
    lambda A: np.linalg.slogdet(A)[0][()],
    structured=True,
    notation=part("sign", "slogdet", det.forward),
)
log_of = primitive(
    "slogdet_logabsdet",
    lambda A: np.linalg.slogdet(A)[1][()],
    lambda g, out, A: _over(g, A) * transposed(inverse(A)),
    node="LinalgSlogdetBackward0",
    number=1,
    structured=True,
    notation=part("logabsdet", "slogdet", det.forward),
    says="The derivative of the logarithm of a determinant is the inverse, transposed.",
    differential=change.LOGARITHM,
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
