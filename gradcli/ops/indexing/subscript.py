"""The subscript: `x[items]` is read, checked, and lowered from left to right; `x[items] = value` writes to it.

In-place methods, `x.fill_(2)`, `x.copy_(y)` and `x.name_()` of other operations, write to it too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.promotion import overflow, wrap_integer
from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.memory.in_place import change, check_in_place, check_overlap, write_over
from gradcli.engine.memory.views import copy, fill, fill_tensor, zero
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.symbolic.indices import flat, overwrite_formula
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.ops.indexing.indexing import EVERYTHING, _items, index_from_front, select, slice_dim, take
from gradcli.ops.shaping.shaping import alias, expanded_sizes, reshape, unsqueeze
from gradcli.ops.support.arguments import indices
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS, REPLACED, operation

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
        return slice_dim(input, single, 0)  # torch has a slice node here, even for `x[:]`
    x, arrays = split_subscript(input, items)
    if arrays:
        return take(x, *arrays.values(), dims=tuple(arrays))
    return alias(x) if x is input else x


def split_subscript(input: Tensor, items: Any) -> tuple[Any, dict[int, Tensor]]:
    """Return the view that the other items of `input[items]` select, and the index tensors by its dimensions."""
    parsed_items = tuple(_item(item) for item in (items if isinstance(items, tuple) else (items,)))
    covered = sum(_covers(item) for item in parsed_items)
    if covered > input.ndim:
        raise ShapeError(_too_many(input, parsed_items))
    parsed_items = tuple(_number(item) for item in parsed_items)
    x: Any = input
    dim = 0  # the current dimension of the view
    arrays: dict[int, Tensor] = {}
    for position, item in enumerate(parsed_items):
        if item is ...:
            dim += input.ndim - covered
        elif item is None or isinstance(item, bool):
            x = unsqueeze(x, dim=dim)
            if item is not None:
                arrays[dim] = Tensor(np.zeros(int(item), np.int64))
            dim += 1
        elif isinstance(item, int):
            x = select(x, dim=dim, index=index_from_front(item, x.shape[dim], position))  # torch names it so
        elif isinstance(item, slice):
            if item.step == 0 or item.indices(x.shape[dim]) != EVERYTHING.indices(x.shape[dim]):
                x = slice_dim(x, item, dim)
            dim += 1
        else:
            arrays[dim] = item
            dim += _covers(item)
    if arrays:
        _check(x, arrays)
    return x, arrays


def torch_items(items: Any) -> Any:
    """Return the items of a subscript in Python, which torch reads more strictly than an expression is read.

    A short list with more than numbers in it is a tuple; other lists have their numbers truncated to integers.
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
    """Truncate the numbers of a list to integers; torch does so in lists and nowhere else."""
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
    for index_and_size in beyond:  # torch looks at the entries once the shapes fit
        index_from_front(*index_and_size)


def _put(x: Any, value: Any, *indices: Any, dims: tuple[int, ...]) -> Any:
    result = np.array(x)
    result[_items(indices, dims)] = value
    return result


def _index(out: Any, x: Any, value: Any, *indices: Any, dims: tuple[int, ...]) -> Any:
    place = flat(x)[_items(indices, dims)]
    return overwrite_formula(x, place, "value", value)


index_put: Primitive = structured(
    "index_put",
    _put,
    lambda g, out, x, value, *indices, dims: index_put(g, 0, *indices, dims=dims),
    lambda g, out, x, value, *indices, dims: take(g, *indices, dims=dims),
    says=REPLACED,
    index=_index,
)


def assign(x: Tensor, items: Any, value: Any) -> None:
    """Carry out `x[items] = value` for a number or a tensor that broadcasts to the selected part.

    Raises TypeError for values of other types, AutogradError for incompatible shapes or dtypes.
    """
    if not isinstance(value, Tensor | int | float):
        raise TypeError(f"can't assign a {type_name(value)} to a torch.{TYPE_NAMES[x.dtype]}Tensor")
    if isinstance(value, float) and not np.isfinite(value) and x.dtype.kind in "iu":
        raise overflow(x.dtype)
    if type(value) is int and x.dtype.kind in "iu":
        value = int(wrap_integer(value, x.dtype))
    if items is False:  # selects nothing
        return
    part, arrays = split_subscript(x, None if items is True else torch_items(items))
    if arrays:
        if isinstance(value, Tensor) and value.shape[:1] == (1,):
            value = _without_leading_ones(value)
        put(part, value, arrays)
    elif isinstance(value, Tensor) and value.shape == part.shape:
        change(part, copy, value)
    elif isinstance(value, Tensor) and value.ndim:
        change(part, copy, _spread(_without_leading_ones(value), part.shape))
    else:
        change(part, fill_tensor if part.ndim else copy, _constant(value))


def _constant(value: Any) -> Tensor:
    """Return a number as a 0-dimensional tensor; a tensor stays as it is."""
    return value if isinstance(value, Tensor) else Tensor(np.asarray(value)[()])


def _without_leading_ones(value: Tensor) -> Tensor:
    first = next((axis for axis, size in enumerate(value.shape) if size != 1), value.ndim)
    return reshape(value, shape=value.shape[first:])  # type: ignore[no-any-return]


def _spread(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    sizes = expanded_sizes(value, shape)
    return value if value.shape == sizes else expand(value, size=sizes)


def put(x: Tensor, value: Any, arrays: dict[int, Tensor]) -> Tensor:
    """Write the value at the positions that `arrays` gives: index tensors and masks by dimension."""
    check_in_place(x, requires_grad=x.requires_grad or (isinstance(value, Tensor) and value.requires_grad))
    places = tuple(arrays.values())
    masks = all(index.dtype == np.bool_ for index in places)
    if not isinstance(value, Tensor):
        value = Tensor(x.dtype.type(value))
    if value.dtype != x.dtype and not (masks and not value.ndim):
        raise ShapeError(
            f"Index put requires the source and destination dtypes match, got {TYPE_NAMES[x.dtype]} for the "
            f"destination and {TYPE_NAMES[value.dtype]} for the source."
        )
    shape = x.value[_items([index.value for index in places], tuple(arrays))].shape
    ShapeError.when(
        not broadcastable([value.value, np.broadcast_to(0, shape)]) or broadcast_shapes(value.shape, shape) != shape,
        f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
        f"shape {list(shape)}",
    )
    check_overlap(x)
    return write_over(x, index_put(x, value, *places, dims=tuple(arrays)), "index_put")


def zero_(x: Tensor) -> Tensor:
    """Write zeros in place, also where several entries share memory."""
    check_in_place(x)
    return write_over(x, zero(x), "zero")


def fill_(x: Tensor, value: Any) -> Tensor:
    """Write one number to every entry, given as a number or as a 0-dimensional tensor."""
    check_in_place(x)
    if isinstance(value, Tensor) and value.ndim:
        raise AutogradError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    if isinstance(value, Tensor):
        return change(x, fill_tensor, value)
    if type(value) is int and x.dtype.kind in "iu":
        value = int(wrap_integer(value, x.dtype))
    return write_over(x, fill(x, value), "fill", (value,))


def copy_(x: Tensor, other: Any, non_blocking: bool = False) -> Tensor:
    """Write the entries of another tensor, which may broadcast and have another dtype."""
    source = _constant(other)
    check_in_place(x, requires_grad=x.requires_grad or source.requires_grad)
    shapes = [x.value, source.value]
    if not broadcastable(shapes) or broadcast_shapes(x.shape, source.shape) != x.shape:
        if broadcastable(shapes):
            raise ShapeError(
                f"output with shape {list(x.shape)} doesn't match the broadcast shape "
                f"{list(broadcast_shapes(x.shape, source.shape))}"
            )
        raise mismatch(shapes)
    return change(x, copy, source)


OWN: dict[str, Callable[..., Tensor]] = {
    "copy_": copy_,
    "fill_": fill_,
    "zero_": zero_,
}


def in_place_method(name: str) -> Callable[..., Tensor] | None:
    """Return the in-place method of that name as a function that takes the tensor first; None if there is none."""
    stem = name.removesuffix("_")
    if name in OWN:
        return OWN[name]
    if stem == name or stem not in OPERATIONS or not OPERATIONS[stem].in_place:
        return None
    return lambda x, *arguments, **keywords: change(x, getattr(ops, stem), *arguments, **keywords)
