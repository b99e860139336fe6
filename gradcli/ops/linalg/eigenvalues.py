"""Eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import Primitive
from gradcli.errors import AutogradError, UnsupportedHere
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.linalg.decompositions import across, factor, gaps
from gradcli.ops.linalg.determinants import _check_square
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def _symmetric(part: int) -> Callable[..., Any]:
    def forward(A: Any, *, UPLO: str = "L") -> Any:
        if not lapack.is_finite(A):  # where they stand decides what torch gives or says
            words = "eigenvalues of a matrix with entries that are not finite are not supported here"
            raise UnsupportedHere(words)
        return lapack.symmetric(A, UPLO=UPLO)[part]

    return forward


def _eigenvalues_rule(g: Any, out: Any, A: Any, *, UPLO: str) -> Any:
    V = eigh_vectors(A, UPLO=UPLO)
    return times(V * across(g), transposed(V))


def _eigenvectors_rule(g: Any, out: Any, A: Any, *, UPLO: str) -> Any:
    inner = times(transposed(out), g)
    turn = (inner - transposed(inner)) / 2 * gaps(eigh_values(A, UPLO=UPLO))
    return times(out, times(turn, transposed(out)))


EIGH = "LinalgEighBackward0"
eigh_values: Primitive = factor(
    "eigh",
    "eigenvalues",
    _symmetric(0),
    _eigenvalues_rule,
    node=EIGH,
    says="An eigenvalue changes as the matrix does along its own eigenvector.",
    differential=change.EIGENVALUES,
)
eigh_vectors: Primitive = factor(
    "eigh",
    "eigenvectors",
    lapack.by_columns(_symmetric(1)),
    _eigenvectors_rule,
    node=EIGH,
    number=1,
    says="An eigenvector turns towards the others, the faster the closer their eigenvalues are.",
    differential=change.EIGENVECTORS,
)


@operation(
    "A = [[2, 1], [0.5, 3]]; eigh(A + A.T).eigenvalues", "A = [[2, 1], [0.5, 3]]; eigh(A + A.T)[1]**2", method=False
)
def eigh(A: Real, UPLO: str = "L") -> ReturnType:
    """The eigenvalues of a symmetric matrix in order, and the eigenvectors as columns; reads one triangle alone."""
    _check_square("linalg.eigh", A)
    _check_triangle(UPLO)
    options = {"UPLO": UPLO.upper()}
    return ReturnType("eigh", eigenvalues=eigh_values(A, **options), eigenvectors=eigh_vectors(A, **options))


def _check_triangle(UPLO: str) -> None:
    AutogradError.when(UPLO.upper() not in ("L", "U"), f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")


@operation("A = [[2, 1], [0.5, 3]]; eigvalsh(A + A.T)", method=False)
def eigvalsh(A: Real, UPLO: str = "L") -> Any:
    """The eigenvalues of a symmetric matrix in order."""
    _check_square("linalg.eigh", A)
    _check_triangle(UPLO)
    return eigh_values(A, UPLO=UPLO.upper())
