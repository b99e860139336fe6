"""The memory of a tensor read with other sizes and strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.memory.layout import owner
from gradcli.engine.memory.views import first_entry, writable
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.formulas import shaping as entries
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Shape, check_size
from gradcli.ops.support.sentences import PICKED, PLACED
from gradcli.ops.support.surface import operation

PART = "gradients of as_strided are only supported here for the whole of a contiguous tensor"


def _steps(stride: Shape, item: int) -> list[int]:
    return [step * item for step in stride]


def _entries(array: Array) -> Shape:
    """Return the strides in entries."""
    return tuple(step // array.itemsize for step in array.strides)


def _end(size: Shape, stride: Shape, offset: int) -> int:
    """Return the number of entries that the memory must have."""
    return 0 if 0 in size else offset + 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))


def _strided(flat: Any, size: Shape, stride: Shape, offset: int) -> Any:
    if _end(size, stride, offset) > flat.size:
        raise AutogradError(PART, code="E401", help="write the view with narrow, select and transpose")
    return np.lib.stride_tricks.as_strided(flat[offset:], size, _steps(stride, flat.itemsize))


def _read_memory(x: Any, *, size: Shape, stride: Shape, offset: int) -> Any:
    memory = owner(writable(x)).ravel("K")
    flat = np.ndarray((memory.nbytes // x.itemsize,), x.dtype, memory)  # the memory may hold numbers of another dtype
    if _end(size, stride, offset) > flat.size:  # a gradient in the place of the tensor may be one number, expanded
        flat = np.array(x, order="C").reshape(-1)
    return _strided(flat, size, stride, offset)


def _places(shape: Shape, size: Shape, stride: Shape, offset: int) -> Any:
    return _strided(flat_positions(shape).reshape(-1), size, stride, offset)


def _strided_backward(g: Array, *, shape: Shape, size: Shape, stride: Shape, offset: int) -> Any:
    """The gradient of `as_strided`: each entry added where it was read."""
    return scattered(g, _places(shape, size, stride, offset), shape)


strided: Primitive = primitive(
    "as_strided",
    _read_memory,
    lambda g, out, x, *, size, stride, offset: strided_back(g, shape=x.shape, size=size, stride=stride, offset=offset),
    gradients=({"AsStridedBackwardBackward0": "AsStridedBackward0"},),
    structured=True,
    view=True,
    notation=positional("as_strided"),
    node_in_place="AsStridedBackward1",
    says=PICKED,
    index=entries.strided,
)
strided_back: Primitive = primitive(
    "as_strided_backward",
    _strided_backward,
    lambda g, out, h, *, shape, size, stride, offset: strided(g, size=size, stride=stride, offset=offset),
    structured=True,
    says=PLACED,
    index="adjoint of as_strided",
)
printed(strided_back, "u = [[1, 2], [3, 4]]; as_strided_backward(u, shape=(3,), size=(2, 2), stride=(1, 1), offset=0)")


@operation(
    "x = [1, 2, 3, 4]; as_strided(x, (2, 2), (1, 2))",
    "x = [1, 2, 3, 4]; as_strided(x, (3, 2), (1, 1))",
    in_place="look",
)
def as_strided(input: Tensor, size: Shape, stride: Shape, storage_offset: int | None = None) -> Any:
    """The memory of the tensor read with other sizes and steps; refused where that leads out of it."""
    array = input.array
    if mode.examples is not None and mode.examples.holds(input):
        inside = _end(array.shape, _entries(array), 0)
        if storage_offset is not None or len(size) != len(stride) or _end(size, stride, 0) > inside:
            raise AutogradError("as_strided with an offset, or out of the example, is not supported here", code="E401")
    offset = first_entry(array) if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise AutogradError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise AutogradError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}"
        )
    if any(length < 0 for length in size):
        sizes, strides = list(size), list(stride)
        raise AutogradError(f"Storage size calculation overflowed with sizes={sizes} and strides={strides}")
    if offset < 0:
        raise AutogradError(f"Tensor: invalid storage offset {offset}")
    check_size(size)
    needed, there = _end(size, stride, offset) * array.itemsize, owner(array).nbytes
    if needed > there:
        raise AutogradError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{array.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {there}"
        )
    if input.requires_grad and not (array.flags.c_contiguous and owner(array).size == array.size):
        raise AutogradError(PART, code="E401", help="write the view with narrow, select and transpose")
    return strided(input, size=size, stride=stride, offset=offset)
