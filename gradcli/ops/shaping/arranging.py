"""The same entries repeated, turned, cut into overlapping parts, or in the shape of another tensor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks import shapes
from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.gathering import index_select
from gradcli.ops.indexing.indexing import flat_positions, scattered
from gradcli.ops.shaping.joining import apply_repeat
from gradcli.ops.shaping.shaping import apply_reshape, clone, flat, flatten, reshape, unsqueeze, view
from gradcli.ops.support.arguments import Array, Shape, check_size
from gradcli.ops.support.surface import PICKED, PLACED, operation, printed


def _windows(x: Any, *, dimension: int, size: int, step: int) -> Any:
    if not np.ndim(x):
        return np.reshape(x, (1,) * size)[:size]
    views = np.lib.stride_tricks.sliding_window_view(x, size, dimension, writeable=True)
    return views[(slice(None),) * dimension + (slice(None, None, step),)]


def _windows_back(g: Array, *, shape: Shape, dimension: int, size: int, step: int) -> Any:
    """The gradient of `unfold`: the entries of windows added where they overlap."""
    return scattered(g, _windows(flat_positions(shape), dimension=dimension, size=size, step=step), shape)


unfold: Primitive = primitive(
    "unfold",
    _windows,
    lambda g, out, x, **o: unfold_backward(g, shape=x.shape, **o),
    structured=True,
    view=True,
    says=PICKED,
    index=ELSEWHERE,
)
unfold_backward: Primitive = primitive(
    "unfold_backward",
    _windows_back,
    lambda g, out, h, *, shape, **o: unfold(g, **o),
    node="UnfoldBackwardBackward0",
    structured=True,
    says=PLACED,
    traits=("adjoint",),
)
printed(unfold_backward, "u = [[1, 2], [3, 4]]; unfold_backward(u, shape=(3,), dimension=0, size=2, step=1)")


@operation("x = [[1, 2]]; tile(x, (2, 3))", "x = [[1, 2], [3, 4]]; x.tile(2)")
def tile(input: Tensor, *dims: Shape) -> Any:
    """Copies beside each other, as `repeat`; dimensions that are not named are kept."""
    counts = flat(dims)
    return apply_repeat(input, (1,) * (input.ndim - len(counts)) + counts)


@operation(
    "x = [1, 2]; repeat_interleave(x, 2)",
    "x = [[1, 2], [3, 4]]; repeat_interleave(x, 2, dim=0)",
    "x = [1, 2]; repeat_interleave(x, [1, 3])",
)
def repeat_interleave(input: Tensor, repeats: int | Tensor | None = None, dim: int | None = None) -> Any:
    """Each entry `repeats` times in a row; without `dim`, of the flattened tensor; the input alone counts places."""
    if repeats is None:
        AutogradError.when(input.ndim != 1, "repeat_interleave only accept 1D vector as repeat")
        input, repeats = Tensor(np.arange(input.value.size, dtype=input.dtype)), input
    if dim is not None and not input.ndim and isinstance(repeats, Tensor):
        raise ShapeError(f"Dimension specified as {dim} but tensor has no dimensions")
    x = flatten(input) if dim is None or not input.ndim else input
    axis = dimension(0 if dim is None else dim, x.ndim)
    counts = np.asarray(repeats.value if isinstance(repeats, Tensor) else repeats)
    AutogradError.when(
        counts.ndim > 1 or (is_floating(counts) and not np.all(counts == np.trunc(counts))),
        "repeats must be 0-dim or 1-dim tensor",
    )
    if np.any(counts < 0):
        raise AutogradError("Repeats must be non-negative" if not counts.ndim else "repeats can not be negative")
    size = x.shape[axis]
    if counts.size == 1:
        count = int(counts.reshape(()))
        check_size((*x.shape, count))
        shape = (*x.shape[: axis + 1], count, *x.shape[axis + 1 :])
        copies = clone(expand(unsqueeze(x, dim=axis + 1), size=shape))
        return reshape(copies, shape=(*x.shape[:axis], size * count, *x.shape[axis + 1 :]))
    if counts.size != size:
        raise ShapeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
            f"input.size({axis}) = {size}"
        )
    check_size((int(counts.sum()), *x.shape[:axis], *x.shape[axis + 1 :]))
    return index_select(x, Tensor(np.repeat(np.arange(size), counts.astype(np.int64))), dim=axis)


@operation("x = [[1, 2, 3, 4]]; unflatten(x, 1, (2, -1))")
def unflatten(input: Tensor, dim: int, sizes: Shape) -> Any:
    """One dimension as several; one size may be -1."""
    axis = dimension(dim, input.ndim)
    ShapeError.when(not input.ndim, f"Dimension specified as {dim} but tensor has no dimensions")
    ShapeError.when(not sizes, "unflatten: sizes must be non-empty")
    ShapeError.when(sizes.count(-1) > 1, "unflatten: only one dimension can be inferred")
    size, known = input.shape[axis], math.prod(length for length in sizes if length != -1)
    if not (known and size % known == 0 if -1 in sizes else known == size):
        raise ShapeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {axis} ({size}) in the "
            "input tensor"
        )
    return view(input, (*input.shape[:axis], *sizes, *input.shape[axis + 1 :]))


@operation("A = [[1, 2, 3], [4, 5, 6]]; ravel(A.T)")
def ravel(input: Tensor) -> Any:
    """All entries in one row."""
    return reshape(contiguous(input), shape=(input.value.size,))


@operation("A = [[1, 2, 3], [4, 5, 6]]; contiguous(A.T)*2", "x = [1, 2]; contiguous(x)*x")
def contiguous(input: Tensor) -> Any:
    """The tensor itself where its memory is in order, else a copy."""
    if input.value.flags.c_contiguous:
        return input
    copied = clone(input)  # keeps the order of the memory
    copied.value = np.ascontiguousarray(copied.value)
    return copied


@operation("x = [1, 2, 3, 4]; view_as(x, [[0, 0], [0, 0]])")
def view_as(input: Tensor, other: Tensor) -> Any:
    """The same memory in the shape of `other`."""
    return view(input, other.shape)


@operation("A = [[1, 2], [3, 4]]; reshape_as(A.T, [0, 0, 0, 0])")
def reshape_as(input: Tensor, other: Tensor) -> Any:
    """The same entries in the shape of `other`."""
    return apply_reshape(input, other.shape)


@operation("x = [1, 2, 3, 4]; x.unfold(0, 2, 1)", "x = [[1, 2, 3, 4, 5]]; x.unfold(1, 3, 2)")
def apply_unfold(input: Tensor, dimension: int, size: int, step: int) -> Any:
    """Overlapping parts of one dimension, each as entries of a new last dimension."""
    axis = shapes.dimension(dimension, input.ndim)
    length = input.shape[axis] if input.ndim else 1
    AutogradError.when(size < 0, f"size is {size} but must be >= 0")
    ShapeError.when(size > length, f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    AutogradError.when(step <= 0, f"step is {step} but must be > 0")
    return unfold(input, dimension=axis, size=size, step=step)
