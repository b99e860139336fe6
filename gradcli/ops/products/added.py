"""A sum with a product of matrices or vectors, in one node."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import extent
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.indices import entry, spread
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.products.contractions import bmm, mv, outer, scaled, transposed
from gradcli.ops.products.factors import ADDMV, check_bmm, listed, same_dtype
from gradcli.ops.shaping.permutations import t
from gradcli.ops.shaping.shaping import expanded
from gradcli.ops.support.sentences import MATRIX_SUM
from gradcli.ops.support.surface import operation


def _plus(product: Any) -> Any:
    """Return the forward of `beta*c + alpha*product(a, b)`; where beta is 0 torch leaves `c` out, even nan."""

    def forward(c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> Any:
        found = scaled(product(a, b), alpha)
        return scaled(c, beta) + found if beta else found

    return forward


def _added(
    name: str, product: Any, first: Any, second: Any, index: str, *traits: str, factors: str, says: str = MATRIX_SUM
) -> Primitive:
    """Declare a sum with a product in one node; `first` and `second` give the gradients of its `factors`."""

    def formula(out: Any, c: Any, a: Any, b: Any, *, beta: float = 1, alpha: float = 1) -> str:
        places, product = index.split(" = ")
        return f"{entry('out', places)} = {beta}·{spread('c', np.shape(c), places, np.shape(out))} + {alpha}·{product}"

    return primitive(
        name,
        _plus(product),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(g, beta),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(first(g, a, b), alpha),
        lambda g, out, c, a, b, *, beta=1, alpha=1: scaled(second(g, a, b), alpha),
        says=says,
        structured=True,
        traits=traits,
        inputs=("self", *factors.split()),
        index=formula,
    )


baddbmm = _added(
    "baddbmm",
    np.matmul,
    lambda g, a, b: bmm(g, transposed(b)),
    lambda g, a, b: bmm(transposed(a), g),
    "nik = Σj a[n,i,j]·b[n,j,k]",
    "matrix",
    factors="batch1 batch2",
)


addmv = _added(
    "addmv",
    np.matmul,
    lambda g, a, x: outer(g, x),
    lambda g, a, x: mv(t(a), g),
    "i = Σj a[i,j]·b[j]",
    "matrix",
    factors="mat vec",
)


@operation("C = [[[1, 1], [0, 2]]]; A = [[[1, 2], [3, 4]]]; B = [[[5, 6], [7, 8]]]; baddbmm(C, A, B, alpha=2)")
def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """`beta*input + alpha*bmm(batch1, batch2)`."""
    expanded(input, (extent(batch1.shape, 0), extent(batch1.shape, 1), extent(batch2.shape, 2)))
    check_bmm(batch1, batch2)
    tensors = (input, batch1, batch2)
    return baddbmm(*same_dtype(*tensors, refusal="expected scalar type {1} but found {2}"), beta=beta, alpha=alpha)


@operation("b = [1, 2]; A = [[1, 2], [3, 4]]; x = [5, 6]; addmv(b, A, x)")
def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *, beta: float = 1, alpha: float = 1) -> Any:
    """`beta*input + alpha*(mat @ vec)`."""
    ShapeError.when(
        mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1,
        f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}",
    )
    rows = input.shape[0] if input.ndim else mat.shape[0]
    if mat.shape[1] != vec.shape[0] or rows not in (1, mat.shape[0]):
        raise ShapeError(f"size mismatch, got input ({rows}), mat ({listed(mat)}), vec ({listed(vec)})")
    return addmv(*same_dtype(input, mat, vec, refusal=ADDMV), beta=beta, alpha=alpha)
