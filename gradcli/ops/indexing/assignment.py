"""Writing to tensors: `x[items] = value`, `x.fill_(2)`, `x.copy_(y)`, and `x.name_()` for the other operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.promotion import fitting, overflow
from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.memory.in_place import change, check_in_place, check_overlap, write_over
from gradcli.engine.memory.writing import copy, fill, fill_tensor, zero
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.indices import flat, written_over
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.indexing import _items, take
from gradcli.ops.indexing.subscript import located, torch_items
from gradcli.ops.shaping.shaping import expanded, reshape
from gradcli.ops.support.calling import ops
from gradcli.ops.support.surface import OPERATIONS, REPLACED


def _put(x: Any, value: Any, *indices: Any, dims: tuple[int, ...]) -> Any:
    whole = np.array(x)
    whole[_items(indices, dims)] = value
    return whole


def _index(out: Any, x: Any, value: Any, *indices: Any, dims: tuple[int, ...]) -> Any:
    place = flat(x)[_items(indices, dims)]
    return written_over(x, place, "value", value)


index_put: Primitive = primitive(
    "index_put",
    _put,
    lambda g, out, x, value, *indices, dims: index_put(g, 0, *indices, dims=dims),
    lambda g, out, x, value, *indices, dims: take(g, *indices, dims=dims),
    structured=True,
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
        value = int(fitting(value, x.dtype))
    if items is False:  # selects nothing
        return
    part, arrays = located(x, None if items is True else torch_items(items))
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
    sizes = expanded(value, shape)
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
        value = int(fitting(value, x.dtype))
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
