"""The subscript `x[items]`: its items are read, checked, and lowered from left to right."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import broadcast_shapes
from gradcli.engine.modes import refuse_examples
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.ops.indexing.indexing import EVERYTHING, alias, bounded, select, sliced, take
from gradcli.ops.shaping.shaping import unsqueeze
from gradcli.ops.support.arguments import indices
from gradcli.ops.support.surface import operation

NARROW = (np.int8, np.int16)  # which torch takes as one index alone
NOT_WHOLE = "tensors used as indices must be long, int, byte or bool tensors"
ALLOWED = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"


@operation(
    "x = [[1, 2, 3], [4, 5, 6]]; x[0, 1]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[..., None, 1:]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[[0, 1, 0]]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[:, [[0, 2], [2, 2]]]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[[0, 1], [2, 2]]",
    "x = [[1, -2, 3], [4, 5, -6]]; x[x > 0]",
    "x = [[1, 2, 3], [4, 5, 6]]; x[...]",
    method=False,
)
def index(input: Tensor, items: Any) -> Any:
    """The entries that `x[items]` names: numbers, slices, None, `...`, lists of indices and masks."""
    single = items[0] if isinstance(items, tuple) and len(items) == 1 else items
    if isinstance(single, slice) and input.ndim:
        return sliced(input, single, 0)  # torch has a slice node here, even for `x[:]`
    x, arrays = located(input, items)
    if arrays:
        return take(x, *arrays.values(), dims=tuple(arrays))
    return alias(x) if x is input else x


def located(input: Tensor, items: Any) -> tuple[Any, dict[int, Tensor]]:
    """Return the view that the other items of `input[items]` select, and the index tensors by its dimensions."""
    given = tuple(_item(item) for item in (items if isinstance(items, tuple) else (items,)))
    covered = sum(_covers(item) for item in given)
    if covered > input.ndim:
        raise ShapeError(_too_many(input, given))
    given = tuple(_number(item) for item in given)
    x: Any = input
    dim = 0  # the current dimension of the view
    arrays: dict[int, Tensor] = {}
    for position, item in enumerate(given):
        if item is ...:
            dim += input.ndim - covered
        elif item is None or isinstance(item, bool):
            x = unsqueeze(x, dim=dim)
            if item is not None:
                arrays[dim] = Tensor(np.zeros(int(item), np.int64))
            dim += 1
        elif isinstance(item, int):
            x = select(x, dim=dim, index=bounded(item, x.shape[dim], position))  # torch names it so
        elif isinstance(item, slice):
            if item.step == 0 or item.indices(x.shape[dim]) != EVERYTHING.indices(x.shape[dim]):
                x = sliced(x, item, dim)
            dim += 1
        else:
            arrays[dim] = item
            dim += _covers(item)
    if arrays:
        _check(x, arrays)
    return x, arrays


def torch_items(items: Any) -> Any:
    """Return the items of a subscript in Python, which torch reads more strictly than an expression is read.

    A short list with more than numbers in it is a tuple, and the numbers of others are cut to whole ones.
    """
    if isinstance(items, list) and len(items) < 32 and any(map(_is_no_number, items)):
        items = tuple(items)
    return tuple(map(_torch_item, items)) if isinstance(items, tuple) else _torch_item(items)


def _is_no_number(item: Any) -> bool:
    return item is None or item is ... or isinstance(item, list | tuple | slice | Tensor | range)


def _torch_item(item: Any) -> Any:
    if isinstance(item, Tensor) and (item.dtype.kind == "f" or (item.ndim and item.dtype in NARROW)):
        raise AutogradError(NOT_WHOLE)
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    return _whole(item) if isinstance(item, list) else item


def _item(item: Any) -> Any:
    """Read an index as an int, a bool, a slice, None, `...`, or a constant tensor of indices or of booleans."""
    if item is None or item is ... or isinstance(item, slice | bool | int):
        return item
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, Tensor) and item.dtype == np.bool_:
        refuse_examples("mask", item)
    if isinstance(item, Tensor) and item.dtype == np.uint8:
        raise UnsupportedHere("bytes as a mask are not supported here", help="write mask.bool()")
    if isinstance(item, float | str | dict | set):
        raise AutogradError(f"{ALLOWED} (got {type(item).__name__})")
    try:
        read = indices(list(item) if isinstance(item, range | tuple) else item)
    except (TypeError, ValueError):
        raise AutogradError(NOT_WHOLE) from None
    return _number(read) if not isinstance(item, Tensor) or read.dtype == np.bool_ else read


def _number(item: Any) -> Any:
    return item.value.item() if isinstance(item, Tensor) and not item.ndim else item


def _whole(items: list[Any]) -> list[Any]:
    """Cut the numbers of a list to whole ones, as torch does to those of lists alone."""
    return [_whole(x) if isinstance(x, list) else int(x) if type(x) is float and np.isfinite(x) else x for x in items]


def _covers(item: Any) -> int:
    """Return the number of dimensions that an item consumes."""
    if isinstance(item, Tensor):
        return item.ndim if item.dtype == np.bool_ else 1
    return int(item is not None and item is not ... and not isinstance(item, bool))


def _too_many(x: Tensor, items: tuple[Any, ...]) -> str:
    if not x.ndim and len(items) == 1 and isinstance(items[0], int):
        if items[0]:
            return f"index {items[0]} is out of bounds for dimension 0 with size 0"
        return (
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    if not x.ndim and len(items) == 1 and isinstance(items[0], slice):
        return "slice() cannot be applied to a 0-dim tensor."
    return f"too many indices for tensor of dimension {x.ndim}"


def _check(x: Tensor, arrays: dict[int, Tensor]) -> None:
    """Refuse masks of the wrong shape, indices out of bounds, and index tensors that do not broadcast."""
    shapes: list[tuple[int, ...]] = []
    beyond: list[tuple[int, int, int]] = []
    place = 0  # of a tensor of indices among them: torch moves their dimensions to the front
    for dim, index in arrays.items():
        if index.dtype == np.bool_:
            for axis, size in enumerate(index.shape):
                if size != x.shape[dim + axis]:
                    raise ShapeError(
                        f"The shape of the mask {list(index.shape)} at index {axis} does not match the shape of the "
                        f"indexed tensor {list(x.shape)} at index {dim + axis}"
                    )
            shapes.append((int(np.count_nonzero(index.value)),))
            place += index.ndim
        else:
            size = x.shape[dim]
            if not size and index.value.size:
                raise ShapeError("index is out of bounds for dimension with size 0")
            outside = index.value[(index.value < -size) | (index.value >= size)]
            beyond.extend((int(i), size, place) for i in outside.flat[:1])
            shapes.append(index.shape)
            place += 1
    try:
        broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(str(list(shape)) for shape in shapes)
        raise ShapeError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {listed}"
        ) from None
    for found in beyond:  # torch looks at the entries once the shapes fit
        bounded(*found)
