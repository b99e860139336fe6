"""The memory of a tensor read with other sizes and strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.memory.layout import owner
from gradcli.engine.memory.views import first_entry, writable
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.notation import positional
from gradcli.engine.tangents import tangents_of
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, UnsupportedHere
from gradcli.ops.formulas import shaping as entries
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Shape, check_size
from gradcli.ops.support.sentences import PICKED, PLACED
from gradcli.ops.support.surface import operation

PART = "as_strided of a tensor in the place of a larger one is not supported here"
SHARED = "gradients of as_strided are not supported here for a tensor whose entries share memory"
OUTSIDE = "a tangent of as_strided outside of a view is not supported here"


def _steps(stride: Shape, item: int) -> list[int]:
    return [step * item for step in stride]


def _entries(array: Array) -> Shape:
    """Return the strides in entries."""
    return tuple(step // array.itemsize for step in array.strides)


def _end(size: Shape, stride: Shape, offset: int) -> int:
    """Return the number of entries that the memory must have."""
    return 0 if 0 in size else offset + 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))


def _strided(flat: Any, size: Shape, stride: Shape, offset: int) -> Any:
    UnsupportedHere.when(
        _end(size, stride, offset) > flat.size, PART, help="write the view with narrow, select and transpose"
    )
    return np.lib.stride_tricks.as_strided(flat[offset:], size, _steps(stride, flat.itemsize))


def _read_memory(x: Any, *, size: Shape, stride: Shape, offset: int, lies: Shape = ()) -> Any:
    memory = owner(writable(x)).ravel("K")
    flat = np.ndarray((memory.nbytes // x.itemsize,), x.dtype, memory)  # the memory may hold numbers of another dtype
    if _end(size, stride, offset) > flat.size:  # a gradient in the place of the tensor may be one number, expanded
        flat = np.array(x, order="C").reshape(-1)
    return _strided(flat, size, stride, offset)


def _places(shape: Shape, size: Shape, stride: Shape, offset: int, lies: Shape) -> Any:
    """Return the positions that are read, counted in the tensor; -1 for memory outside of it.

    `lies` are the first entry and the strides of a tensor that is not the whole of its memory in order.
    """
    memory = flat_positions(shape)
    if lies:
        first, steps = lies[0], lies[1:]
        memory = np.full(max(_end(size, stride, offset), _end(shape, steps, first)), -1)
        _strided(memory, shape, steps, first)[...] = flat_positions(shape)
    return _strided(memory.reshape(-1), size, stride, offset)


def _strided_backward(g: Array, *, shape: Shape, size: Shape, stride: Shape, offset: int, lies: Shape = ()) -> Any:
    """The gradient of `as_strided`: each entry added where it was read."""
    places = _places(shape, size, stride, offset, lies)
    return scattered(g[places >= 0], places[places >= 0], shape)


def _read_apart(x: Array, *, size: Shape, stride: Shape, offset: int, lies: Shape) -> Any:
    """Read a tensor as if it lay in other memory, of zeros."""
    places = _places(x.shape, size, stride, offset, lies)
    return np.append(x, np.zeros(1, x.dtype))[places]


def _lying(lies: Shape) -> dict[str, Shape]:
    return {"lies": lies} if lies else {}


strided: Primitive = primitive(
    "as_strided",
    _read_memory,
    lambda g, out, x, *, size, stride, offset, lies=(): strided_back(
        g, shape=x.shape, size=size, stride=stride, offset=offset, **_lying(lies)
    ),
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
    lambda g, out, h, *, shape, size, stride, offset, lies=(): (strided_apart if lies else strided)(
        g, size=size, stride=stride, offset=offset, **_lying(lies)
    ),
    structured=True,
    says=PLACED,
    traits=("adjoint",),
)
strided_apart: Primitive = primitive(
    "as_strided_apart",
    _read_apart,
    lambda g, out, x, *, size, stride, offset, lies: strided_back(
        g, shape=x.shape, size=size, stride=stride, offset=offset, lies=lies
    ),
    node="AsStridedBackward0",
    structured=True,
    says=PICKED,
    index=entries.strided,
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
    offset = first_entry(array) if storage_offset is None else storage_offset
    AutogradError.when(len(size) != len(stride), "mismatch in length of strides and shape")
    AutogradError.when(
        any(step < 0 for step in stride),
        f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}",
    )
    if any(length < 0 for length in size):
        sizes, strides = list(size), list(stride)
        raise AutogradError(f"Storage size calculation overflowed with sizes={sizes} and strides={strides}")
    AutogradError.when(offset < 0, f"Tensor: invalid storage offset {offset}")
    check_size(size)
    needed, there = _end(size, stride, offset) * array.itemsize, owner(array).nbytes
    if needed > there:
        raise AutogradError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{array.itemsize} requiring a storage size of {needed} are out of bounds for storage of size {there}"
        )
    if array.flags.c_contiguous and owner(array).size == array.size:
        return strided(input, size=size, stride=stride, offset=offset)
    first, steps = first_entry(array), tuple(step // array.itemsize for step in array.strides)
    lies = (first, *steps)
    UnsupportedHere.when(
        input.requires_grad and len(np.unique(_places(array.shape, array.shape, steps, first, lies))) < array.size,
        SHARED,
        help="clone() the tensor first",
    )
    if input.base is not None and tangents_of(input) and (_places(array.shape, size, stride, offset, lies) < 0).any():
        raise UnsupportedHere(OUTSIDE, help="read the tensor that it is a view of")
    return strided(input, size=size, stride=stride, offset=offset, lies=lies)
