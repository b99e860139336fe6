"""Writing to tensors: `x[items] = value`, `x.fill_(2)`, `x.copy_(y)`, and `x.name_()` for the other operations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.promotion import fitting, overflow
from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, mismatch
from gradcli.engine.dtypes import TYPE_NAMES, type_name
from gradcli.engine.graph import Node, Unversioned
from gradcli.engine.memory.in_place import change, check_in_place, check_overlap, write_over
from gradcli.engine.memory.views import is_view, take_over
from gradcli.engine.memory.writing import copy, fill, fill_tensor, zero
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.saved import keep_former_shape
from gradcli.engine.symbolic.indices import flat, written_over
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.ops.indexing.indexing import _items, take
from gradcli.ops.indexing.subscript import located
from gradcli.ops.shaping.shaping import expanded, reshape
from gradcli.ops.support.calling import ops
from gradcli.ops.support.sentences import REPLACED
from gradcli.ops.support.surface import OPERATIONS


def _put(x: Any, value: Any, *indices: Any, dims: tuple[int, ...], accumulate: bool = False) -> Any:
    whole = np.array(x)
    places = _items(indices, dims)
    if accumulate:
        np.add.at(whole, places, value)
    else:
        whole[places] = value
    return whole


def _kept(
    g: Carrier,
    out: Carrier,
    x: Carrier,
    value: Carrier,
    *indices: Carrier,
    dims: tuple[int, ...],
    accumulate: bool = False,
) -> Any:
    return g if accumulate else index_put(g, 0, *indices, dims=dims)


def _index(out: Any, x: Any, value: Any, *indices: Any, dims: tuple[int, ...], accumulate: bool = False) -> Any:
    place = flat(x)[_items(indices, dims)]
    return written_over(x, place, "value", value, adds=accumulate)


index_put: Primitive = primitive(
    "index_put",
    _put,
    _kept,
    lambda g, out, x, value, *indices, dims, accumulate=False: take(g, *indices, dims=dims),
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
    part, arrays = located(x, None if items is True else items)
    if arrays:
        check_bytes(items, value)
        if isinstance(value, Tensor) and value.shape[:1] == (1,):
            value = _without_leading_ones(value)
        put(part, value, arrays)
    elif isinstance(value, Tensor) and value.shape == part.shape:
        change(part, copy, value)
    elif isinstance(value, Tensor) and value.ndim:
        change(part, copy, _spread(_without_leading_ones(value), part.shape))
    else:
        change(part, fill_tensor if part.ndim else copy, _constant(value))


def check_bytes(items: Any, value: Any) -> None:
    """Refuse one number for the places of a mask of bytes, as torch does."""
    masks = [x for x in (items if isinstance(items, tuple) else (items,)) if isinstance(x, Tensor)]
    AutogradError.when(
        any(x.dtype == np.uint8 and x.ndim for x in masks) and (not isinstance(value, Tensor) or value.value.size == 1),
        "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char",
    )


def _constant(value: Any) -> Tensor:
    """Return a number as a 0-dimensional tensor; a tensor stays as it is."""
    return value if isinstance(value, Tensor) else Tensor(np.asarray(value)[()])


def _without_leading_ones(value: Tensor) -> Tensor:
    first = next((axis for axis, size in enumerate(value.shape) if size != 1), value.ndim)
    return reshape(value, shape=value.shape[first:])  # type: ignore[no-any-return]


def _spread(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    sizes = expanded(value, shape)
    return value if value.shape == sizes else expand(value, size=sizes)


def put(x: Tensor, value: Any, arrays: dict[int, Tensor], accumulate: bool = False) -> Tensor:
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
    if not places:
        words = "index_put without indices is not supported here"
        raise UnsupportedHere(words, help="write x.copy_(values)")
    options = {"accumulate": True} if accumulate else {}
    check_overlap(x)
    return write_over(x, index_put(x, value, *places, dims=tuple(arrays), **options), "index_put")


def index_put_(x: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Carry out `x[indices] = values`; with `accumulate`, add the values to the entries."""
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    if len(indices) > x.ndim:
        raise ShapeError(f"too many indices for tensor of dimension {x.ndim} (got {len(indices)})")
    part, arrays = located(x, tuple(indices), selects=False)
    return put(part, values, arrays, accumulate)


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


def _refuse_shape(stem: str, shape: tuple[int, ...], gradients: tuple[Any, ...]) -> None:
    """Refuse a gradient in the shape that a result has had since it changed under no_grad, unknown to its node."""
    if any(g is not None and g.shape != shape for g in gradients):
        raise UnsupportedHere(
            f"a gradient through {stem}_() under no_grad is not supported here", help=f"write x = x.{stem}(...)"
        )


def _reshaped(x: Tensor, stem: str, *arguments: Any, **keywords: Any) -> Tensor:
    """Carry out an in-place change of shape, such as `x.t_()` or `x.unsqueeze_(0)`, over the same memory."""
    if isinstance(x.history, Unversioned):
        x.history.check()
    check_in_place(x)
    result = getattr(ops, stem)(x, *arguments, **keywords)
    node = result.node
    if not mode.grad_enabled and isinstance(x.node, Node) and result.shape != x.shape:
        x.node.register_prehook(partial(_refuse_shape, stem, x.shape))
    if isinstance(node, Node) and node.inputs is not None:
        node.primitive = node.primitive.in_place
        node.inputs = (Tensor(x.value, x.node),)
        take_over(x.node, node)
        x.node = node
    before, x.value = x.value, result.value
    keep_former_shape(x, before, x.changed())
    if is_view(x):
        x.look_along(result.path)
    return x


def fill_diagonal_(x: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Write one number along the diagonal of a matrix; with `wrap` the diagonal starts again down a tall one."""
    AutogradError.when(x.ndim < 2, "dimensions must larger than 1")
    if wrap and x.ndim == 2 and x.shape[0] > x.shape[1]:
        for start in range(0, x.shape[0], x.shape[1] + 1):
            fill_(ops.diagonal(x, -start), fill_value)
        return x
    fill_(ops.diagonal(x), fill_value)
    return x


OWN: dict[str, Callable[..., Tensor]] = {
    "copy_": copy_,
    "fill_": fill_,
    "fill_diagonal_": fill_diagonal_,
    "index_put_": index_put_,
    "zero_": zero_,
}


def in_place_method(name: str) -> Callable[..., Tensor] | None:
    """Return the in-place method of that name as a function that takes the tensor first; None if there is none."""
    stem = name.removesuffix("_")
    if name in OWN:
        return OWN[name]
    if stem == name or stem not in OPERATIONS or not OPERATIONS[stem].in_place:
        return None
    if OPERATIONS[stem].in_place == "look":
        return lambda x, *arguments, **keywords: _reshaped(x, stem, *arguments, **keywords)
    return lambda x, *arguments, **keywords: change(x, getattr(ops, stem), *arguments, **keywords)
