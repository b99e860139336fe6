"""The memory of a tensor read with other sizes and strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.memory.layout import owner
from gradcli.engine.memory.views import writable
from gradcli.engine.modes import mode
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, UnsupportedHere
from gradcli.ops.formulas import shaping as entries
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Shape, check_size
from gradcli.ops.support.sentences import PICKED, PLACED
from gradcli.ops.support.surface import operation

APART = "as_strided of a tensor that is not the whole of its memory, in order, is not supported here"


def _end(size: Shape, stride: Shape, offset: int) -> int:
    """Return the number of entries that the memory must have."""
    return 0 if 0 in size else offset + 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))


def _strided(flat: Any, size: Shape, stride: Shape, offset: int) -> Any:
    if _end(size, stride, offset) > flat.size:
        raise UnsupportedHere(APART, help="write the view with narrow, select and transpose")
    return np.lib.stride_tricks.as_strided(flat[offset:], size, [step * flat.itemsize for step in stride])


def _read_memory(x: Any, *, size: Shape, stride: Shape, offset: int) -> Any:
    memory = owner(writable(x)).ravel("K")
    flat = np.ndarray((memory.nbytes // x.itemsize,), x.dtype, memory)  # the memory may hold numbers of another dtype
    if _end(size, stride, offset) > flat.size:  # a gradient in the place of the tensor may be one number, expanded
        flat = np.array(x, order="C").reshape(-1)
    return _strided(flat, size, stride, offset)


def _strided_backward(g: Array, *, shape: Shape, size: Shape, stride: Shape, offset: int) -> Any:
    """The gradient of `as_strided`: each entry added where it was read."""
    return scattered(g, _strided(flat_positions(shape).reshape(-1), size, stride, offset), shape)


strided: Primitive = primitive(
    "as_strided",
    _read_memory,
    lambda g, out, x, **o: strided_back(g, shape=x.shape, **o),
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
    lambda g, out, h, *, shape, **o: strided(g, **o),
    structured=True,
    says=PLACED,
    traits=("adjoint",),
)
printed(strided_back, "u = [[1, 2], [3, 4]]; as_strided_backward(u, shape=(3,), size=(2, 2), stride=(1, 1), offset=0)")


@operation(
    "x = [1, 2, 3, 4]; as_strided(x, (2, 2), (1, 2))",
    "x = [1, 2, 3, 4]; as_strided(x, (3, 2), (1, 1))",
    in_place="look",
)
def as_strided(input: Tensor, size: Shape, stride: Shape, storage_offset: int = 0) -> Any:
    """The memory of the tensor read with other sizes and steps; refused where that leads out of it."""
    array = input.array
    UnsupportedHere.when(
        mode.examples is not None and mode.examples.holds(input), "as_strided is not supported in vmap"
    )
    AutogradError.when(len(size) != len(stride), "mismatch in length of strides and shape")
    if min((*size, *stride, storage_offset), default=0) < 0:
        raise AutogradError("as_strided: negative sizes, strides and offsets are not supported")
    check_size(size)
    needed, there = _end(size, stride, storage_offset) * array.itemsize, owner(array).nbytes
    if needed > there:
        raise AutogradError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {storage_offset}, and itemsize "
            f"{array.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {there}"
        )
    if not array.flags.c_contiguous or owner(array).size != array.size:
        raise UnsupportedHere(APART, help="clone() the tensor first")
    return strided(input, size=size, stride=stride, offset=storage_offset)
