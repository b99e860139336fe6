"""Decompositions of matrices: singular values, and what all decompositions share.

Each factor is a primitive of its own under torch's one node name; its rule computes the other factors again, from a
copy of the matrix, for torch's node saves all factors and no matrix. The rules are from Giles, An extended collection
of matrix derivative results (2008), and Seeger and others, Auto-differentiating linear algebra (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics import lapack
from gradcli.engine.primitive import OUT, Primitive, primitive
from gradcli.engine.symbolic.notation import Notation, call
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.language.tree import Attribute
from gradcli.ops.formulas import decompositions as change
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.pointwise.arithmetic import div
from gradcli.ops.products.contractions import times, transposed
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Real
from gradcli.ops.support.pairs import ReturnType
from gradcli.ops.support.surface import operation


def part_of(function: str, name: str, forward: Callable[..., Any]) -> Notation:
    """Return the notation of one factor of a decomposition: `svd(A).S`."""
    write = call(function, forward)
    return lambda operands, options: Attribute(write(operands, options), name)


def factor(function: str, name: str, forward: Callable[..., Any], rule: Any, **facts: Any) -> Primitive:
    """Declare one factor of a decomposition; a change in place of any of them disturbs the gradients of all."""
    return primitive(
        f"{function}_{name}",
        forward,
        rule,
        structured=True,
        notation=part_of(function, name, forward),
        copies=True,
        saves=(OUT,),
        **facts,
    )


def across(values: Any) -> Any:
    """Reshape numbers, one for each column, to broadcast over the rows."""
    return unsqueeze(values, dim=len(values.shape) - 1)


def gaps(values: Any) -> Any:
    """Return `1/(values[j] - values[i])` at each (i, j), and 0 on the diagonal."""
    size = values.shape[-1]
    own = np.eye(size, dtype=values.dtype)
    return div(1 - own, across(values) - unsqueeze(values, dim=len(values.shape)) + own)


def _singular(part: int) -> Callable[..., Any]:
    def forward(A: Any, *, full_matrices: bool = True) -> Any:
        return lapack.singular(A, full_matrices=full_matrices)[part]

    return forward


def _thin(A: Any) -> tuple[Any, Any, Any]:
    return svd_u(A, full_matrices=False), svd_s(A, full_matrices=False), svd_v(A, full_matrices=False)


def _side(g: Any, U: Any, S: Any, V: Any) -> Any:
    """Return the gradient of the matrix given that of its left factor U; for V the roles are exchanged."""
    inner = times(transposed(U), g)
    turn = (inner - transposed(inner)) * gaps(S * S)
    found = times(U, turn) * across(S)
    if U.shape[-2] > U.shape[-1]:
        found = found + (g - times(U, inner)) / across(S)
    return times(found, V)


def _left_rule(g: Any, out: Any, A: Any, *, full_matrices: bool) -> Any:
    """Return the gradient by way of the vectors that have a singular value; torch gives the others none."""
    own = cut(g, dim=len(A.shape) - 1, start=0, stop=min(A.shape[-2:])) if full_matrices else g
    return _side(own, *_thin(A))


def _right_rule(g: Any, out: Any, A: Any, *, full_matrices: bool) -> Any:
    own = cut(g, dim=len(A.shape) - 2, start=0, stop=min(A.shape[-2:])) if full_matrices else g
    U, S, V = _thin(A)
    return transposed(_side(transposed(own), transposed(V), S, transposed(U)))


def _values_rule(g: Any, out: Any, A: Any, *, full_matrices: bool) -> Any:
    U, _, V = _thin(A)
    return times(U * across(g), V)


SVD = "LinalgSvdBackward0"
TURNS = "A singular vector turns towards the others, the faster the closer their singular values are."
svd_u: Primitive = factor(
    "svd",
    "U",
    lapack.by_columns(_singular(0)),
    _left_rule,
    node=SVD,
    says=TURNS,
    differential=change.LEFT,
)
svd_s: Primitive = factor(
    "svd",
    "S",
    _singular(1),
    _values_rule,
    node=SVD,
    number=1,
    says="A singular value changes as the matrix does between its two singular vectors.",
    differential=change.SINGULAR_VALUES,
)
svd_v: Primitive = factor(
    "svd",
    "Vh",
    lapack.by_columns(_singular(2)),
    _right_rule,
    node=SVD,
    number=2,
    says=TURNS,
    differential=change.RIGHT,
)


def cleared(x: Any) -> Any:
    """Replace entries that differ from 0 by rounding in double precision only."""
    return np.where(np.abs(x) < 1e-14 * np.max(np.abs(x), initial=0), 0, x)


def _check_matrix(name: str, A: Tensor) -> None:
    ShapeError.when(A.ndim < 2, f"{name}: The input tensor A must have at least 2 dimensions.")


@operation(
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).S",
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).U**2",
    "A = [[1, 2], [3, 5], [0, 1]]; svd(A, full_matrices=False).Vh[0]",
    method=False,
    only="linalg",
)
def svd(A: Real, full_matrices: bool = True) -> ReturnType:
    """The singular values, `.S`, between orthogonal matrices: `A = U @ diag(S) @ Vh`."""
    _check_matrix("linalg.svd", A)
    parts = (("U", svd_u), ("S", svd_s), ("Vh", svd_v))
    return ReturnType("svd", **{name: part(A, full_matrices=full_matrices) for name, part in parts})


@operation("A = [[1, 2], [3, 5], [0, 1]]; svdvals(A)", method=False)
def svdvals(A: Real) -> Any:
    """The singular values, the largest first."""
    _check_matrix("linalg.svd", A)
    return svd_s(A, full_matrices=False)
