"""Rare methods that work on the memory of tensors: strides, new sizes, entries at places of the flat tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES, type_name
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.memory.in_place import change, check_in_place
from gradcli.engine.memory.layout import owner
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.ops.indexing.indexing import take
from gradcli.ops.shaping.shaping import reshape
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.formats import lies, name_of, strides_of, suggested
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, FORMATS
from gradcli.script.torch.tensor.options import checked_shape, made, read_options
from gradcli.script.torch.tensor.storage import Typed, Untyped


def resize_(x: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Resize in place; the values of new entries are not defined, here they are 0."""
    if x.requires_grad and not mode.inference:
        raise RuntimeError("cannot resize variables that require grad")
    if tangents_of(x):
        raise RuntimeError("cannot resize variables that has a forward grad")
    if mode.examples is not None:
        raise UnsupportedError("resize_ inside of vmap is not supported here")
    given = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    shape = checked_shape("resize_", given)
    name = name_of(memory_format)
    name = "contiguous_format" if name == "preserve_format" else name
    if shape == x.shape and (memory_format is None or lies(x, name)):
        return x
    old = np.ascontiguousarray(owner(x.array)).reshape(-1)
    new = np.zeros(math.prod(shape), x.dtype)
    kept = min(old.size, new.size)
    new[:kept] = old[:kept]
    numbers = old if old.size >= new.size else new
    x.value = np.lib.stride_tricks.as_strided(numbers, shape, strides_of(shape, name, x.dtype.itemsize))
    x.changed()
    return x


def resize_as_(x: Tensor, other: Tensor, memory_format: Any = None) -> Tensor:
    kept = memory_format is FORMATS["preserve_format"]
    return resize_(x, other.shape, memory_format=FORMATS[suggested(other)] if kept else memory_format)


def set_(
    x: Tensor, source: Tensor | Typed | None = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Take the memory and the sizes of another tensor, or the memory of a storage, whole or in steps."""
    check_in_place(x)
    if source is None:
        source = Tensor(np.empty(0, x.dtype))
    if isinstance(source, Typed):
        numbers = _numbers(source, x.dtype)
        source = Tensor(numbers if size is None else _stepped(numbers, storage_offset, tuple(size), stride))
    elif source.dtype != x.dtype:
        kinds = (C_NAMES[TYPE_NAMES[each.dtype]] for each in (source, x))
        raise RuntimeError("Could not set tensor of type {} to a tensor of type {}".format(*kinds))
    elif size is not None:
        raise UnsupportedError("set_ to a part of a tensor is not supported here", help="use as_strided")
    if mode.grad_enabled and source.requires_grad:
        raise UnsupportedError("set_ to a tensor that requires grad is not supported here", help="detach() it")
    x.data = source
    x.changed()
    if isinstance(x.node, AccumulateGrad):
        x.node = AccumulateGrad(x)
    return x


def _stepped(numbers: Any, start: int, size: tuple[int, ...], stride: Any) -> Any:
    """Return a view of a row of numbers with these sizes and strides."""
    steps = tuple(stride) if stride is not None else tuple(math.prod(size[at + 1 :]) for at in range(len(size)))
    last = start + sum((length - 1) * step for length, step in zip(size, steps, strict=True))
    if not 0 <= start <= last < len(numbers):
        raise UnsupportedError("set_ to more than the storage holds is not supported here")
    width = numbers.itemsize
    return np.lib.stride_tricks.as_strided(numbers[start:], size, [step * width for step in steps])


def _numbers(source: Typed, dtype: np.dtype[Any]) -> Any:
    """Return the numbers of a storage, of which an untyped one holds bytes."""
    if isinstance(source, Untyped):
        return source.row.view(dtype)
    if source.row.dtype != dtype:
        kinds = [C_NAMES[TYPE_NAMES[dtype]], TYPE_NAMES[source.row.dtype]]
        raise RuntimeError(
            f"Expected a Storage of type {kinds[0]} or an UntypedStorage, but got type {kinds[1]} for argument 1 "
            "'storage'"
        )
    return source.row


def is_set_to(x: Tensor, other: Tensor) -> bool:
    """Return whether both have the same memory, sizes and strides."""
    a, b = x.array, other.array
    return (a.ctypes.data, a.shape, a.strides) == (b.ctypes.data, b.shape, b.strides)


def dim_order(x: Tensor) -> tuple[int, ...]:
    """Return the dimensions from the largest stride to the smallest."""
    return tuple(int(dim) for dim in np.argsort([-step for step in x.array.strides], kind="stable"))


def empty_strided(size: Any, stride: Any, **keywords: Any) -> Tensor:
    """Make a tensor with the given strides."""
    options = read_options("empty_strided", keywords)
    shape = checked_shape("empty_strided", size)
    if len(shape) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError("empty_strided: negative strides are not supported")
    if 0 in shape and not any(stride):
        raise UnsupportedError("a tensor without entries whose strides are all 0 is not supported here")
    count = 1 if 0 in shape else 1 + sum((length - 1) * step for length, step in zip(shape, stride, strict=True))
    running.machine.budget.fits(count, "the tensor")
    memory = np.zeros(max(count, 0), options.real)
    return made(np.lib.stride_tricks.as_strided(memory, shape, [step * memory.itemsize for step in stride]), options)


def new_empty_strided(x: Tensor, size: Any, stride: Any, **keywords: Any) -> Tensor:
    return empty_strided(size, stride, **{"dtype": BY_NUMPY[x.dtype], **keywords})


def empty_permuted(size: Any, physical_layout: Any, **keywords: Any) -> Tensor:
    """Make a tensor whose dimensions lie in memory in the given order."""
    options, shape = read_options("empty_permuted", keywords), checked_shape("empty_permuted", size)
    count = len(shape)
    if len(physical_layout) != count:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{count} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for at, dim in enumerate(physical_layout):
        if not 0 <= dim < count:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {count - 1}, but got {dim} at index {at}).  NB: "
                "negative dims not currently supported; file an issue if you want it."
            )
    if len(set(physical_layout)) < count:
        raise RuntimeError("Duplicate dim not allowed")
    laid = np.zeros([shape[dim] for dim in physical_layout], options.real)
    return made(laid.transpose(np.argsort(physical_layout)), options)


def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> Any:
    return ops.split(input, tuple(split_sizes), dim)


def _put(x: Any, source: Any, index: Any, *, accumulate: bool = False) -> Any:
    flat = np.array(x).reshape(-1)
    (np.add.at if accumulate else np.put)(flat, np.ravel(index), np.ravel(source))
    return flat.reshape(np.shape(x))[()]


def _kept(g: Any, out: Any, x: Any, source: Any, index: Any, *, accumulate: bool = False) -> Any:
    return g if accumulate else _putting(g, 0, index)


def _arrived(g: Any, out: Any, x: Any, source: Any, index: Any, *, accumulate: bool = False) -> Any:
    flat = reshape(g, shape=(math.prod(g.shape),))
    return reshape(take(flat, index, dims=(0,)), shape=source.shape)


_putting = Primitive("put", _put, (_kept, _arrived), "PutBackward0", call("put", _put), "", structured=True)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:
    """Return a copy with entries written at places of the flattened tensor."""
    if index.dtype != np.int64:
        name = TYPE_NAMES[index.dtype]
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {name}")
    if source.dtype != input.dtype:
        names = [TYPE_NAMES[x.dtype] for x in (input, source)]
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {names[0]} and "
            f"source.dtype = {names[1]}"
        )
    places, size = index.value, input.value.size
    if source.value.size != places.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.value.size}, index.numel() = {places.size}"
        )
    if places.size and not size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    beyond = places[(places < -size) | (places >= size)]
    if beyond.size:
        raise IndexError(f"out of range: tried to access index {beyond.flat[0]} on a tensor of {size} elements.")
    return _putting(input, source, index, **({"accumulate": True} if accumulate else {}))


def put_(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Write entries at places of the flattened tensor."""
    return change(x, put, index, source, accumulate)


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    """Return a copy with entries written at indices."""
    from gradcli.ops.indexing.assignment import index_put_

    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"index_put(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    return index_put_(ops.clone(input), indices, values, accumulate)


def apply_(x: Tensor, function: Any) -> Tensor:
    """Replace each entry by the result of a Python function."""
    if x.requires_grad:
        raise RuntimeError("Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead.")
    return _filled(x, [function(value) for value in x.value.ravel().tolist()])


def _filled(x: Tensor, found: list[Any]) -> Tensor:
    """Write what a Python function gave for each entry."""
    wrong = next((value for value in found if not isinstance(value, int | float | np.number | np.bool_ | Tensor)), None)
    if wrong is not None:
        kind = type_name(wrong)
        whole = f"'{kind}' object cannot be interpreted as an integer"
        raise TypeError(f"must be real number, not {kind}" if x.dtype.kind == "f" else whole)
    x.array[...] = np.array(found, np.float64).astype(x.dtype).reshape(x.shape)
    x.changed()
    return x


def map_(x: Tensor, other: Tensor, function: Any) -> Tensor:
    """Replace each entry by the result of a Python function of it and the entry of another tensor."""
    return _mapped("map_", x, other, function=function)


def map2_(x: Tensor, other: Tensor, third: Tensor, function: Any) -> Tensor:
    """Replace each entry by the result of a Python function of it and the entries of two other tensors."""
    return _mapped("map2_", x, other, third, function=function)


def _mapped(name: str, x: Tensor, *others: Tensor, function: Any) -> Tensor:
    if any(one.requires_grad for one in (x, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    entries = [ops.expand(one, x.shape).value.ravel().tolist() for one in (x, *others)]
    return _filled(x, [function(*each) for each in zip(*entries, strict=True)])


def adjoint(input: Tensor) -> Any:
    """Exchange the last two dimensions."""
    if input.ndim < 2:
        raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return ops.transpose(input, -2, -1)
