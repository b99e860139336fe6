"""Formats of memory: rows one after the other, or images pixel by pixel, the channels of each beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.tensor.dtypes import FORMATS

OUTERMOST_FIRST = {"channels_last": (0, 2, 3, 1), "channels_last_3d": (0, 2, 3, 4, 1)}
NAMES = {form: name for name, form in FORMATS.items()}


def name_of(memory_format: Any) -> str:
    return "preserve_format" if memory_format is None else NAMES[memory_format]


def lies(x: Tensor, name: str) -> bool:
    """Return whether the entries lie one beside the other in a format."""
    order = OUTERMOST_FIRST.get(name, tuple(range(x.ndim)))
    return len(order) == x.ndim and bool(x.array.transpose(order).flags.c_contiguous)


def suggested(x: Tensor) -> str:
    """Return the format whose order the strides have; there may be gaps."""
    for name, order in OUTERMOST_FIRST.items():
        if len(order) == x.ndim and x.value.size and _descends(x.array, order):
            return name
    return "contiguous_format"


def _descends(array: Any, order: tuple[int, ...]) -> bool:
    least = 0
    if not array.strides[1]:
        return False
    for dim in reversed(order):
        step = array.strides[dim]
        if step < least or (dim == 0 and least == array.strides[1]):
            return False
        least = step * max(array.shape[dim], 1)
    return True


def order_of(name: str, count: int) -> tuple[int, ...]:
    """Return the dimensions from the outermost on; RuntimeError for another number of them than the format has."""
    order = OUTERMOST_FIRST.get(name, tuple(range(count)))
    if len(order) != count:
        raise RuntimeError(f"required rank {len(order)} tensor to use {name} format")
    return order


def strides_of(shape: tuple[int, ...], name: str, step: int) -> list[int]:
    """Return the strides of a shape in a format, in bytes, for entries of `step` bytes."""
    strides = [0] * len(shape)
    for dim in reversed(order_of(name, len(shape))):
        strides[dim], step = step, step * max(shape[dim], 1)
    return strides


def lay(found: Tensor, name: str) -> Tensor:
    """Lay the entries of a new tensor in a format."""
    order = order_of(name, found.ndim)
    row = np.ascontiguousarray(found.value.transpose(order))
    strides = strides_of(found.shape, name, found.value.itemsize)
    found.value = np.lib.stride_tricks.as_strided(row, found.shape, strides)  # numpy has its own where a length is 1
    return found


def in_format(found: Tensor, x: Tensor | None, memory_format: Any) -> Tensor:
    """Return the result of a cast of `x`, which may be `x`, in a format."""
    name = name_of(memory_format)
    if name == "preserve_format" or (found is x and suggested(found) == name):
        return found
    return lay(to_copy(found, dtype=found.dtype) if found is x else found, name)


def contiguous(input: Tensor, *, memory_format: Any = FORMATS["contiguous_format"]) -> Any:
    name = name_of(memory_format)
    if lies(input, name):
        return input
    if name == "preserve_format":
        raise RuntimeError("preserve memory format is unsupported by the contiguous operator")
    return ops.contiguous(input) if name == "contiguous_format" else lay(ops.clone(input), name)


def clone(input: Tensor, *, memory_format: Any = None) -> Any:
    name = name_of(memory_format)
    if name == "contiguous_format" and not lies(input, name):
        return ops.contiguous(input)
    return ops.clone(input) if name in ("preserve_format", "contiguous_format") else lay(ops.clone(input), name)


def cat(tensors: Any, dim: int = 0) -> Any:
    """The tensors one after the other, in the format that all of them have."""
    found, names = ops.cat(tensors, dim), {suggested(x) for x in tensors}
    return found if len(names) > 1 or found.ndim != tensors[0].ndim else lay(found, *names)
