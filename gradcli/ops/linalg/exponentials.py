"""The exponential of a matrix, by scaling, its series, and squaring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.linalg.determinants import _check_square
from gradcli.ops.products.contractions import transposed
from gradcli.ops.shaping.joining import cat
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.surface import operation

TERMS = 24  # terms of the series, for a matrix whose norm is at most 1


def _exponential(A: Any) -> Any:
    """Halve a matrix until its norm is at most 1, sum the series, and square as often."""
    wide = np.asarray(A, np.float64)
    size = float(np.abs(wide).sum(axis=-1).max(initial=0))
    if not math.isfinite(size):
        return np.full_like(A, np.nan)
    halvings = min(max(math.ceil(math.log2(size)) if size > 0 else 0, 0), 1000)
    small = wide / 2.0**halvings
    term = np.broadcast_to(np.eye(wide.shape[-1]), wide.shape)
    total = term.copy()
    for k in range(1, TERMS):
        term = np.matmul(term, small) / k
        total += term
    for _ in range(halvings):
        total = np.matmul(total, total)
    return total.astype(A.dtype)


def _rule(g: Any, out: Any, A: Any) -> Any:
    """Use a block matrix: Najfeld and Havel, Derivatives of the matrix exponential (1995), section 4."""
    n, ndim = A.shape[-1], len(A.shape)
    turned = transposed(A)
    above = cat(turned, g, dim=ndim - 1)
    below = cat(turned * 0, turned, dim=ndim - 1)
    whole = matrix_exp(cat(above, below, dim=ndim - 2))
    return cut(cut(whole, dim=ndim - 2, start=0, stop=n), dim=ndim - 1, start=n, stop=2 * n)


matrix_exp: Primitive = primitive(
    "matrix_exp",
    _exponential,
    _rule,
    node="LinalgMatrixExpBackward0",
    structured=True,
    says="The derivative is the exponential of the transposed matrix, in the direction of the gradient.",
    differential=change.exponential,
)


@operation("A = [[0, 1], [-1, 0.5]]; matrix_exp(A)")
def matrix_exp_(A: Real) -> Any:
    """The exponential of a square matrix: the sum of `A**k/k!` with powers of matrices."""
    _check_square("linalg.matrix_exp", A)
    return matrix_exp(A)
