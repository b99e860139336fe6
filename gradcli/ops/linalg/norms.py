"""Norms of matrices, and the norm of `torch.linalg`, of a vector or a matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimensions
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.reducing.extremes import apply_amax, apply_amin
from gradcli.ops.reducing.norms import norm
from gradcli.ops.reducing.reductions import apply_sum
from gradcli.ops.shaping.axes import wrapped
from gradcli.ops.shaping.permutations import permute
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import Dims, Real
from gradcli.ops.support.surface import operation


@operation(
    "A = [[1, -2], [3, 0.5]]; matrix_norm(A)",
    "A = [[1, -2], [3, 0.5]]; matrix_norm(A, 1)",
    "A = [[1, -2], [3, 0.5]]; matrix_norm(A, ord=-inf, keepdim=True)",
    "A = [[1, -2], [3, 0.5]]; matrix_norm(A, 2)",
    "A = [[1, -2], [3, 0.5]]; matrix_norm(A, 'nuc')",
    method=False,
)
def matrix_norm(input: Real, ord: Any = "fro", dim: Dims = (-2, -1), keepdim: bool = False) -> Any:
    """The norm of matrices: 'fro' of all entries; the largest sum of a column (1) or row (inf), or the smallest."""
    ShapeError.when(input.ndim < 2, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    given = dim if isinstance(dim, tuple) else (dim,)
    if len(given) != 2:
        raise AutogradError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, given))}")
    if given[0] == given[1]:
        raise AutogradError(f"linalg.matrix_norm: dims must be different. Got ({given[0]}, {given[1]})")
    rows, columns = dimensions([axis for axis in given if axis is not None], input.ndim)
    if not isinstance(ord, str | int | float):
        raise AutogradError(f"linalg.matrix_norm: Order {str(ord)[:40]} not supported.")
    if ord == "fro":
        return norm(input, dim=(rows, columns), keepdim=keepdim)
    if ord in (2, -2, "nuc"):
        from gradcli.ops.linalg.decompositions import svd_s

        order = [axis for axis in range(input.ndim) if axis not in (rows, columns)]
        values = svd_s(permute(input, dims=(*order, rows, columns)), full_matrices=False)
        last = values.ndim - 1
        found = (apply_sum if ord == "nuc" else apply_amin if ord == -2 else _largest)(values, last, keepdim)
        back = tuple(int(axis) for axis in np.argsort((*order, rows, columns)))
        return permute(unsqueeze(found, dim=last + 1), dims=back) if keepdim else found
    if isinstance(ord, str) or ord not in (1, -1, math.inf, -math.inf):
        raise AutogradError(
            f"linalg.matrix_norm: Order {ord} not supported.",
            help="'fro', 'nuc', 1, 2, inf, -1, -2 and -inf are the orders there are",
        )
    over, left = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = norm(input, p=1, dim=over, keepdim=keepdim)
    if not keepdim and left > over:
        left -= 1
    return (_largest if ord > 0 else apply_amin)(sums, left, keepdim)


def _largest(sizes: Any, dim: int, keepdim: bool) -> Any:
    """The largest of sizes along a dimension: 0, a constant, where there are none."""
    if sizes.shape[dim]:
        return apply_amax(sizes, dim, keepdim)
    return Tensor(np.max(sizes.value, axis=dim, keepdims=keepdim, initial=0))


@operation(
    "x = [1, -2, 5]; linalg_norm(x, 1)",
    "A = [[1, -2], [3, 0.5]]; linalg_norm(A)",
    "A = [[1, -2], [3, 0.5]]; linalg_norm(A, inf)",
    "A = [[1, -2], [3, 0.5]]; linalg_norm(A, 3, dim=1)",
    method=False,
    torch=["linalg.norm"],
)
def linalg_norm(input: Real, ord: Any = None, dim: Dims = None, keepdim: bool = False) -> Any:
    """The norm in `torch.linalg`: of a vector, or with an order that of a matrix."""
    if isinstance(dim, tuple) and len(dim) not in (1, 2):
        raise ShapeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}")
    if ord is None:
        return norm(input, dim=wrapped(dim, input.ndim), keepdim=keepdim)
    if dim is None and input.ndim not in (1, 2):
        raise ShapeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {input.ndim}D."
        )
    dims = (0, 1)[: input.ndim] if dim is None else (dim,) if isinstance(dim, int) else dim
    if len(dims) == 2 or isinstance(ord, str):
        return matrix_norm(input, ord, dims, keepdim)
    if not isinstance(ord, int | float):
        raise AutogradError(f"linalg.norm: Order {str(ord)[:40]} not supported.")
    return norm(input, p=ord, dim=wrapped(dims, input.ndim), keepdim=keepdim)
