"""The primitives of `x[...]`, select, slice and index, with their adjoints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, literal
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Expression, Index
from gradcli.ops import formulas as places
from gradcli.ops.support.arguments import Array, Places, Shape
from gradcli.ops.support.folding import fold_same
from gradcli.ops.support.surface import PICKED, PLACED, operation, register_printed

EVERYTHING = slice(None)


def _before(dim: int) -> tuple[Any, ...]:
    if dim < 0:
        raise IndexError(dim)
    return (EVERYTHING,) * dim


def write_index(x: Formula, items: Sequence[Expression]) -> Expression:
    return Index(x.tree, tuple(items))


def _write_select(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    x, dim = operands[0], options["dim"]
    return write_index(x, [literal(item) for item in (*_before(dim), options["index"])])


def _write_slice(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write a slice without the bounds at the ends: `x[1:]`."""
    x, dim = operands[0], options["dim"]
    start, stop, step = options["start"], options["stop"], options.get("step", 1)
    bounds = (start or None, None if stop >= x.shape[dim] else stop, None if step == 1 else step)
    return write_index(x, [literal(item) for item in (*_before(dim), slice(*bounds))])


def _select_backward(g: Array, *, shape: Shape, dim: int, index: int) -> Any:
    """The gradient of `select`: zeros beside one index of a dimension."""
    out = np.zeros(shape, g.dtype)
    out[(*_before(dim), index)] = g
    return out


def _slice_backward(g: Array, *, shape: Shape, dim: int, start: int, stop: int, step: int = 1) -> Any:
    """The gradient of a slice: zeros outside a range of a dimension."""
    out = np.zeros(shape, g.dtype)
    out[(*_before(dim), slice(start, stop, step))] = g
    return out


def declare_select(name: str, node: str, *traits: str) -> Primitive:
    """Declare the selection of one index of a dimension: a view, even of a single entry."""
    return structured(
        name,
        lambda x, *, dim, index: x[(*_before(dim), index, ...)],
        lambda g, out, x, *, dim, index: select_backward(g, shape=x.shape, dim=dim, index=index),
        node=node,
        view=True,
        notation=_write_select,
        traits=traits,
        says=PICKED,
        index=ELSEWHERE,
        stacked=("dim",),
    )


def declare_slice(name: str, node: str, *traits: str, view: bool = True) -> Primitive:
    """Declare the slicing of one dimension; `index` is the number of the part, where it is one of several."""

    def forward(x: Array, *, dim: int, start: int, stop: int, step: int = 1, index: int = 0) -> Any:
        return x[(*_before(dim), slice(start, stop, step))]

    return structured(
        name,
        forward,
        lambda g, out, x, *, dim, start, stop, step=1, index=0: slice_backward(
            g, shape=x.shape, dim=dim, start=start, stop=stop, step=step
        ),
        node=node,
        view=view,
        notation=_write_slice,
        traits=traits,
        fold=fold_same,
        says=PICKED,
        index=ELSEWHERE,
        stacked=("dim",),
    )


select: Primitive = declare_select("select", "SelectBackward0")
select_backward: Primitive = adjoint(
    "select_backward",
    _select_backward,
    lambda g, out, x, *, shape, dim, index: select(g, dim=dim, index=index),
    traits=("linear",),
    node="SelectBackwardBackward0",
    says=PLACED,
    stacked=("shape", "dim"),
)
cut: Primitive = declare_slice("slice", "SliceBackward0")
slice_backward: Primitive = adjoint(
    "slice_backward",
    _slice_backward,
    lambda g, out, x, *, shape, dim, start, stop, step=1: cut(g, dim=dim, start=start, stop=stop, step=step),
    traits=("linear",),
    node="SliceBackwardBackward0",
    says=PLACED,
    stacked=("shape", "dim"),
)


def _items(indices: Sequence[Any], dims: Sequence[int]) -> tuple[Any, ...]:
    """Return the index arrays with full slices between them; a mask covers as many dimensions as it has."""
    items: list[Any] = []
    covered = 0
    for index, dim in zip(indices, dims, strict=True):
        items += [*_before(dim - covered), index if index.dtype.kind != "f" else index.astype(np.int64)]
        covered = dim + (index.ndim if index.dtype == np.bool_ else 1)
    return tuple(items)


def sum_at(values: Any, positions: Any, shape: tuple[int, ...]) -> Any:
    """Add each value to zeros at its flat position, one after the other."""
    sums = np.zeros(math.prod(shape), values.dtype)
    np.add.at(sums, positions.ravel(), values.ravel())
    return sums.reshape(shape)


def flat_positions(shape: tuple[int, ...]) -> Any:
    return np.arange(math.prod(shape)).reshape(shape)


def _write_index(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    x, *indices = operands
    items: list[Expression] = []
    covered = 0
    for index, dim in zip(indices, options["dims"], strict=True):
        items += [*map(literal, _before(dim - covered)), index.tree]
        covered = dim + (len(index.shape) if index.dtype == np.bool_ else 1)
    return write_index(x, items)


def _index_backward(g: Array, *indices: Places, shape: Shape, dims: Shape) -> Any:
    """The gradient of indexing with tensors: each entry added where it was taken from."""
    return sum_at(g, flat_positions(shape)[_items(indices, dims)], shape)


take: Primitive = structured(
    "index",
    lambda x, *indices, dims: np.ascontiguousarray(x[_items(indices, dims)]),
    lambda g, out, x, i, *more, dims: index_backward(g, i, *more, shape=x.shape, dims=dims),
    notation=_write_index,
    says=PICKED,
    index=places.indexed,
    traits=("counting", "masking"),
)
index_backward: Primitive = adjoint(
    "index_backward",
    _index_backward,
    lambda g, out, x, i, *more, shape, dims: take(g, i, *more, dims=dims),
    traits=("linear",),
    node="IndexPutImplBackward0",
    says=PLACED,
)
register_printed(select_backward, "u = [1, 2]; select_backward(u, shape=(2, 3), dim=1, index=2)")
register_printed(slice_backward, "u = [1, 2]; slice_backward(u, shape=(4,), dim=0, start=0, stop=4, step=2)")
register_printed(index_backward, "u = [1, 2, 3]; index_backward(u, [0, 2, 0], shape=(3,), dims=(0,))")


def index_from_front(index: int, size: int, dim: int) -> int:
    """Return an index counted from the front; refuse one out of bounds."""
    ShapeError.when(not -size <= index < size, f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index % size


def slice_dim(x: Tensor, bounds: slice, dim: int) -> Any:
    AutogradError.when(bounds.step == 0, "slice step cannot be zero", help="leave it out for every entry")
    if bounds.step is not None and bounds.step < 1:
        raise AutogradError("step must be greater than zero", help="flip(x, 0) reverses a dimension")
    start, stop, step = bounds.indices(x.shape[dim])
    return cut(x, dim=dim, start=start, stop=max(start, stop), step=step)


@operation(
    "x = [[1, 2, 3], [4, 5, 6]]; select(x, 1, -1)",
    "x = [[1, 2, 3], [4, 5, 6]]; x[1]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[:, 0]",
)
def apply_select(input: Tensor, dim: int, index: int) -> Any:
    """One index of one dimension."""
    ShapeError.when(not input.ndim, "select() cannot be applied to a 0-dim tensor.")
    axis = dimension(dim, input.ndim)
    size = input.shape[axis]
    if not -size <= index < size:
        raise ShapeError(
            f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
        )
    return select(input, dim=axis, index=index % size)


@operation(
    "x = [[1, 2, 3], [4, 5, 6]]; narrow(x, 1, 1, 2)",
    "x = [1, 2, 3, 4]; x[1:3]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[:, ::2]",
)
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Any:
    """`length` indices of one dimension, from `start` on."""
    if isinstance(start, Tensor):
        AutogradError.when(start.ndim or start.dtype.kind not in "iu", "start must be an 0-dim integral Tensor.")
        start = int(start.value)
    return cut(input, **narrow_options(input, dim, start, length))


def narrow_options(input: Tensor, dim: int, start: int, length: int) -> dict[str, int]:
    """Return the options of a slice of `length` indices from `start` on. Raises AutogradError where there are fewer."""
    ShapeError.when(not input.ndim, "narrow() cannot be applied to a 0-dim tensor.")
    ShapeError.when(length < 0, "narrow(): length must be non-negative.")
    axis = dimension(dim, input.ndim)
    size = input.shape[axis]
    if not -size <= start <= size:
        raise AutogradError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    ShapeError.when(first + length > size, f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return {"dim": axis, "start": first, "stop": first + length}
