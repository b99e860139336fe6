"""Diagonals and triangles of matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, call, literal
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.language.tree import Argument, Binary, Call, Expression
from gradcli.ops.support.arguments import Array, Shape, check_size
from gradcli.ops.support.surface import PICKED, PLACED, operation, register_printed


def _diagonal(x: Any, *, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return np.diagonal(x, _inside(offset, x.shape[dim1], x.shape[dim2]), dim1, dim2)


def _inside(offset: int, rows: int, columns: int) -> int:
    """Return the offset, or the nearest one beside the matrix; numpy reads other memory at -2**31."""
    return max(-rows, min(columns, offset))


def _diagonal_backward(g: Array, *, shape: Shape, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The gradient of `diagonal`: zeros beside the entries of a diagonal."""
    out = np.zeros(shape, g.dtype)
    offset = _inside(offset, shape[dim1], shape[dim2])
    rows = np.arange(g.shape[-1]) + max(-offset, 0)
    np.moveaxis(out, (dim1, dim2), (-2, -1))[..., rows, rows + offset] = g
    return out


def _diag(x: Any, *, diagonal: int = 0) -> Any:
    return _diagonal(x, offset=diagonal).copy()


diagonal: Primitive = structured(
    "diagonal",
    _diagonal,
    lambda g, out, x, *, offset, dim1, dim2: diagonal_backward(g, shape=x.shape, offset=offset, dim1=dim1, dim2=dim2),
    view=True,
    says=PICKED,
    index=ELSEWHERE,
    stacked=("dim1", "dim2"),
)
diagonal_backward: Primitive = adjoint(
    "diagonal_backward",
    _diagonal_backward,
    lambda g, out, x, *, shape, offset=0, dim1=0, dim2=1: diagonal(g, offset=offset, dim1=dim1, dim2=dim2),
    node="DiagonalBackwardBackward0",
    says=PLACED,
    stacked=("shape", "dim1", "dim2"),
)
register_printed(diagonal_backward, "u = [1, 2]; diagonal_backward(u, shape=(2, 3), offset=1)")
diag: Primitive = structured(
    "diag_copy",
    _diag,
    lambda g, out, x, *, diagonal: diagonal_backward(g, shape=x.shape, offset=diagonal, dim1=0, dim2=1),
    node="DiagonalBackward0_copy",
    notation=call("diag", _diag),
    says=PICKED,
    index=ELSEWHERE,
)


def _embedded(x: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    shape = list(x.shape[:-1])
    for dim in sorted(axis % (x.ndim + 1) for axis in (dim1, dim2)):
        shape.insert(dim, x.shape[-1] + abs(offset))
    return _diagonal_backward(x, shape=tuple(shape), offset=offset, dim1=dim1, dim2=dim2)


def _write_embed(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write a vector on the diagonal of a matrix as `diag(x)`."""
    if len(operands[0].shape) == 1:
        return call("diag", _diag)(operands, {"diagonal": options["offset"]})
    return call("diag_embed", _embedded)(operands, options)


diag_embed: Primitive = structured(
    "diag_embed",
    _embedded,
    lambda g, out, x, **o: diagonal(g, **o),
    notation=_write_embed,
    says=PLACED,
    index=ELSEWHERE,
)


def _triangle(name: str, keep: Callable[[Any, int], Any], where_others: str) -> Primitive:
    """Declare the lower or upper triangle of matrices, which is its own adjoint."""
    kept: Primitive = structured(
        name,
        lambda x, *, diagonal=0: keep(x, _inside(diagonal, *x.shape[-2:])),
        lambda g, out, x, *, diagonal: kept(g, diagonal=diagonal),
        says=f"Only the kept triangle has gradients: the entries {where_others} it get 0.",
        index=ELSEWHERE,
        stacked=(),
    )
    return kept


tril, triu = _triangle("tril", np.tril, "above"), _triangle("triu", np.triu, "below")
trace: Primitive = structured(
    "trace",
    lambda x: np.trace(x, dtype=x.dtype if x.dtype.kind == "f" else np.int64),
    lambda g, out, x: trace_backward(g, shape=x.shape),
    says="A trace adds the diagonal, so each entry of the diagonal gets the gradient and the others get 0.",
    index="out = Σi x[i,i]",
    stacked=lambda x: np.trace(x, axis1=1, axis2=2),
)
trace_backward: Primitive = adjoint(
    "trace_backward",
    lambda g, *, shape: g * np.eye(*shape, dtype=g.dtype),
    lambda g, out, x, *, shape: trace(g),
    notation=lambda operands, options: Binary(
        "*", operands[0].tree, Call("eye", tuple(Argument(literal(size)) for size in options["shape"]))
    ),
    says="One number stands along the whole diagonal, so the gradients there are added.",
    stacked=lambda g, *, shape: g[:, None, None] * np.eye(*shape, dtype=g.dtype),
)


@operation("A = [[1, 2], [3, 4]]; trace(A)", "A = [[1, 2, 3], [4, 5, 6]]; A.trace()", traits=("linear", "reducing"))
def apply_trace(input: Tensor) -> Any:
    """The sum of the diagonal of a matrix."""
    ShapeError.when(input.ndim != 2, f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    return trace(input)


@operation("A = [[1, 2], [3, 4]]; tril(A)", "A = [[1, 2], [3, 4]]; tril(A, diagonal=-1)")
def apply_tril(input: Tensor, diagonal: int = 0) -> Any:
    """The lower triangle, zeros above."""
    ShapeError.when(input.ndim < 2, "tril: input tensor must have at least 2 dimensions")
    return tril(input, diagonal=diagonal)


@operation("A = [[1, 2], [3, 4]]; triu(A)", "A = [[1, 2], [3, 4]]; triu(A, diagonal=1)")
def apply_triu(input: Tensor, diagonal: int = 0) -> Any:
    """The upper triangle, zeros below."""
    ShapeError.when(input.ndim < 2, "triu: input tensor must have at least 2 dimensions")
    return triu(input, diagonal=diagonal)


@operation(
    "A = [[1, 2], [3, 4]]; diagonal(A)",
    "A = [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]; diagonal(A, offset=1, dim1=-1, dim2=0)",
)
def apply_diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The diagonal of two dimensions, as the last dimension."""
    first, second = dimension(dim1, input.ndim), dimension(dim2, input.ndim)
    ShapeError.when(first == second, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return diagonal(input, offset=offset, dim1=first, dim2=second)


@operation(
    "x = [1, 2]; diag(x)",
    "x = [1, 2]; diag(x, diagonal=1)",
    "A = [[1, 2], [3, 4]]; diag(A, diagonal=-1)",
    traits=("linear",),
)
def apply_diag(input: Tensor, diagonal: int = 0) -> Any:
    """The matrix with this diagonal, or the diagonal of a matrix."""
    ShapeError.when(input.ndim not in (1, 2), f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")
    if input.ndim == 2:
        return diag(input, diagonal=diagonal)
    size = len(input.value) + abs(diagonal)
    check_size((size, size))
    return diag_embed(input, offset=diagonal, dim1=0, dim2=1)


@operation("A = [[1, 2], [3, 4]]; diag_embed(A)", "A = [[1, 2], [3, 4]]; diag_embed(A, offset=1, dim1=0, dim2=2)")
def apply_diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """The last dimension as the diagonals of matrices."""
    ShapeError.when(not input.ndim, "Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    first, second = dimension(dim1, input.ndim + 1), dimension(dim2, input.ndim + 1)
    ShapeError.when(first == second, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = input.shape[-1] + abs(offset)
    check_size((*input.shape[:-1], size, size))
    return diag_embed(input, offset=offset, dim1=first, dim2=second)
