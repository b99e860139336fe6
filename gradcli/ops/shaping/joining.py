"""Putting tensors together, taking them apart, repeating and turning them around."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand, sum_to_size
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks import shapes
from gradcli.engine.checks.shapes import behind, broadcast_shapes, check_together, dimension, dimensions, in_front
from gradcli.engine.graph import join
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, Notation, literal, named, positional
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.language.tree import Argument, Call, Expression, List
from gradcli.ops.indexing.gathering import index_select
from gradcli.ops.indexing.indexing import cut, declare_select, declare_slice, flat_positions, select, sum_at
from gradcli.ops.shaping.shaping import apply_reshape, clone, flat, flatten, reshape, unsqueeze, view
from gradcli.ops.support.arguments import Array, Dims, Shape, Tensors, all_of, check_size
from gradcli.ops.support.constant_nodes import constant_zeros
from gradcli.ops.support.surface import MOVED, OWN_PART, PICKED, PLACED, operation, register_printed


def _of_list(name: str) -> Notation:
    """Write `cat([x, y])`, with `dim=` unless it is 0."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        tensors = List(tuple(x.tree for x in operands))
        return Call(name, (Argument(tensors), *named({"dim": options["dim"]}, dim=0)))

    return write


def _write_roll(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `roll(x, 1)`, `roll(x, 1, 0)`, `roll(x, (1, 2), (0, 1))`."""
    values = (options["shifts"], options.get("dims"))
    arguments = [literal(value[0] if len(value) == 1 else value) for value in values if value is not None]
    return Call("roll", tuple(map(Argument, (operands[0].tree, *arguments))))


def _is_left_out(x: Any, result: Any) -> bool:
    """Tell whether `x` is an empty vector, which torch joins to tensors of any shape."""
    return x.shape == (0,) and len(result.shape) != 1


def _own_part(g: Carrier, out: Carrier, *inputs: Carrier, position: int, dim: int) -> Any:
    if _is_left_out(inputs[position], g):
        return constant_zeros(inputs[position])
    ends = list(accumulate((0 if _is_left_out(x, g) else x.shape[dim] for x in inputs), initial=0))
    return cut(g, dim=dim, start=ends[position], stop=ends[position + 1])


def _stacked_roll(x: Array, *, shifts: Shape, dims: Shape | None = None) -> Any:
    if dims is None:
        return np.roll(x.reshape(len(x), -1), sum(shifts), 1).reshape(x.shape)
    return np.roll(x, shifts, behind(dims, x.ndim - 1))


cat: Primitive = structured(
    "cat",
    # whatever the inputs' strides
    lambda *inputs, dim: np.ascontiguousarray(np.concatenate([x for x in inputs if x.shape != (0,)] or inputs, dim)),
    _own_part,
    variadic=True,
    notation=_of_list("cat"),
    says=OWN_PART,
    index=ELSEWHERE,
    stacked=("dim",),
)
stack: Primitive = structured(
    "stack",
    lambda *inputs, dim: np.ascontiguousarray(np.stack(inputs, dim)),
    lambda g, out, *inputs, position, dim: select(g, dim=dim, index=position),
    variadic=True,
    notation=_of_list("stack"),
    says=OWN_PART,
    index=ELSEWHERE,
    stacked=lambda *inputs, dim: np.ascontiguousarray(np.stack(inputs, dim + 1)),
)
# one application for each part, where torch has one node with many outputs, whose gradients it joins again
split_part = declare_slice("split_part", "SplitBackward0", "part")
split_part_with_sizes = declare_slice("split_part_with_sizes", "SplitWithSizesBackward0", "part")
unsafe_part = declare_slice("unsafe_split_part", "UnsafeSplitBackward0", view=False)
unbind_part = declare_select("unbind_part", "UnbindBackward0", "part")


def _repeat_rule(g: Carrier, out: Carrier, x: Carrier, *, repeats: Shape) -> Any:
    """Split each dimension into copies and size, then sum over the copies."""
    if repeats == (1,) * len(x.shape):
        return g
    if 0 in repeats and isinstance(g, Tensor):  # a gradient of torch that depends on nothing
        return Tensor(np.zeros(x.shape, g.dtype)[()])
    sizes = (1,) * (len(repeats) - len(x.shape)) + x.shape
    copies = reshape(g, shape=tuple(chain(*zip(repeats, sizes, strict=True))))
    once = sum_to_size(copies, size=tuple(chain(*((1, size) for size in sizes))))
    return reshape(once, shape=x.shape)


repeat: Primitive = structured(
    "repeat",
    lambda x, *, repeats: np.asarray(np.tile(x, repeats), order="C"),
    _repeat_rule,
    notation=positional("repeat"),
    says="The input was copied, so the gradients of all the copies are added.",
    index=ELSEWHERE,
    stacked=lambda x, *, repeats: np.asarray(
        np.tile(x.reshape(len(x), *in_front(x.shape[1:], len(repeats))), (1, *repeats)), order="C"
    ),
)
flip: Primitive = structured(
    "flip",
    lambda x, *, dims: np.flip(x, dims).copy(),
    lambda g, out, x, *, dims: flip(g, dims=dims),
    notation=positional("flip"),
    traits=("ranked",),
    says=MOVED,
    index=ELSEWHERE,
    stacked=("dims",),
)
roll: Primitive = structured(
    "roll",
    lambda x, *, shifts, dims=None: np.asarray(np.roll(x, shifts, dims), order="C"),
    lambda g, out, x, *, shifts, dims=None: roll(g, shifts=tuple(-shift for shift in shifts), dims=dims),
    notation=_write_roll,
    traits=("ranked",),
    says=MOVED,
    index=ELSEWHERE,
    stacked=_stacked_roll,
)


@operation(
    "x = [1, 2]; y = [3]; cat((x, y))",
    "A = [[1, 2]]; B = [[3, 4]]; cat([A, B], dim=1)",
    aliases=["concat", "concatenate"],
)
def apply_cat(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """The tensors one after the other, along a dimension they have."""
    if not tensors:
        raise AutogradError("torch.cat(): expected a non-empty list of Tensors")
    for position, x in enumerate(tensors):
        if not x.ndim:
            raise ShapeError(
                f"zero-dimensional tensor (at position {position}) cannot be concatenated",
                help="stack() makes a vector of numbers",
            )
    parts = [x for x in tensors if x.shape != (0,)]  # torch lets an empty vector stand beside anything
    if not parts:
        return cat(*tensors, dim=0)
    first = parts[0]
    axis = dimension(dim, first.ndim)
    for position, x in enumerate(parts):
        if x.ndim != first.ndim:
            raise ShapeError(f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}")
        for other, (expected, size) in enumerate(zip(first.shape, x.shape, strict=True)):
            if other != axis and size != expected:
                raise ShapeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {expected} but got size "
                    f"{size} for tensor number {position} in the list."
                )
    return cat(*tensors, dim=axis)


@operation("a = 1; b = 2; stack([a, b, 3])", "x = [1, 2]; y = [3, 4]; stack((x, y), dim=-1)")
def apply_stack(tensors: Sequence[Tensor], dim: int = 0) -> Any:
    """The tensors side by side, along a new dimension."""
    AutogradError.when(not tensors, "stack expects a non-empty TensorList")
    first = tensors[0]
    for position, x in enumerate(tensors):
        if x.shape != first.shape:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 and "
                f"{list(x.shape)} at entry {position}"
            )
    return stack(*tensors, dim=dimension(dim, first.ndim + 1))


def _axis(x: Tensor, dim: int, name: str) -> int:
    ShapeError.when(not x.ndim, f"{name} expects at least a 1-dimensional tensor")
    return dimension(dim, x.ndim)


@operation("x = [1, 2, 3]; split(x, 2)[0]", "x = [[1, 2, 3], [4, 5, 6]]; split(x, [1, 2], dim=1)[1]")
def split(tensor: Tensor, split_size_or_sections: Dims, dim: int = 0) -> tuple[Any, ...]:
    """Parts of the given size, or of the given sizes."""
    step = split_size_or_sections
    if isinstance(step, int) and step < 0 and tensor.ndim:
        raise AutogradError(f"split expects split_size be non-negative, but got split_size={step}")
    axis = _axis(tensor, dim, "split")
    size = tensor.shape[axis]
    if isinstance(step, int):
        if not step and size:
            raise AutogradError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        starts = range(0, max(size, 1), max(step, 1))
        ends = ((i, min(i + step, size)) for i in starts)
        return join(split_part(tensor, dim=axis, start=i, stop=j, index=n) for n, (i, j) in enumerate(ends))
    sections = list(step or ())
    if any(section < 0 for section in sections):
        raise AutogradError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sections}"
        )
    if sum(sections) != size:
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {axis}), "
            f"but got split_sizes={sections}"
        )
    bounds = enumerate(pairwise(accumulate(sections, initial=0)))
    return join(split_part_with_sizes(tensor, dim=axis, start=i, stop=j, index=n) for n, (i, j) in bounds)


@operation("x = [1, 2, 3]; chunk(x, 2)[1]", "x = [[1, 2, 3]]; chunk(x, 3, dim=1)[2]")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """At most `chunks` parts, of equal size but for the last."""
    AutogradError.when(input.ndim and chunks < 1, f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = _axis(input, dim, "chunk")
    size = input.shape[axis]
    if not size:  # then torch keeps the number of parts
        return split(input, (0,) * chunks, dim)
    return split(input, -(-size // chunks), dim)


@operation("x = [[1, 2], [3, 4]]; unbind(x)[0]", "x = [[1, 2], [3, 4]]; unbind(x, dim=1)[1]")
def apply_unbind(input: Tensor, dim: int = 0) -> tuple[Any, ...]:
    """All slices along a dimension."""
    ShapeError.when(not input.ndim, f"Dimension specified as {dim} but tensor has no dimensions")
    axis = dimension(dim, input.ndim)
    return join(unbind_part(input, dim=axis, index=index) for index in range(input.shape[axis]))


@operation("x = [[1, 2]]; repeat(x, (2, 3))", "x = [1, 2]; x.repeat(2, 1)")
def apply_repeat(input: Tensor, *repeats: Shape) -> Any:
    """Copies beside each other, `repeats` of them along each dimension."""
    counts = flat(repeats)
    if len(counts) < input.ndim:
        raise ShapeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    padded = (1,) * (len(counts) - input.ndim) + input.shape
    shape = tuple(n * m for n, m in zip(counts, padded, strict=True))
    for count, size in zip(counts, shape, strict=True):
        if count < 0:
            raise AutogradError(f"Trying to create tensor with negative dimension {size}: {list(shape)}")
    check_size(tuple(n * (m or 1) for n, m in zip(counts, padded, strict=True)))
    return repeat(input, repeats=counts)


@operation("x = [[1, 2], [3, 4]]; flip(x, 0)", "x = [[1, 2], [3, 4]]; x.flip(0, -1)", traits=("rearranging",))
def apply_flip(input: Tensor, *dims: Shape) -> Any:
    """The order reversed along the given dimensions."""
    axes = dimensions(flat(dims), input.ndim)
    return flip(input, dims=axes if input.ndim else ())


@operation("x = [1, 2, 3]; roll(x, 1)", "x = [[1, 2], [3, 4]]; roll(x, (1, 1), dims=(0, 1))", traits=("rearranging",))
def apply_roll(input: Tensor, shifts: Dims, dims: Dims = None) -> Any:
    """The entries moved along; an entry that falls off at the end comes back at the start."""
    moves = flat((shifts,))
    AutogradError.when(not moves, "`shifts` required")
    axes = () if dims is None else flat((dims,))
    if not axes and len(moves) == 1:
        return roll(input, shifts=moves)
    if len(moves) != len(axes):
        raise AutogradError(f"shifts and dimensions must align. shifts: {len(moves)}, dims:{len(axes)}")
    if axes and not input.ndim:
        raise ShapeError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
    return roll(input, shifts=moves, dims=tuple(dimension(dim, input.ndim) for dim in axes))


def _raised(x: Any, ndim: int) -> Any:
    """Add dimensions of size 1 where torch adds them."""
    if x.ndim >= ndim:
        return x
    if not x.ndim:
        return reshape(x, shape=(1,) * ndim)
    if x.ndim == 1 and ndim >= 2:
        x = unsqueeze(x, dim=0)
    return unsqueeze(x, dim=2) if ndim == 3 and x.ndim == 2 else x


def _some(name: str, tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    AutogradError.when(not tensors, f"{name} expects a non-empty TensorList")
    return tensors


@operation("x = [1, 2]; y = [3]; hstack((x, y))", "A = [[1], [2]]; B = [[3], [4]]; hstack([A, B])", method=False)
def hstack(tensors: Sequence[Tensor]) -> Any:
    """The tensors side by side, column after column; vectors one after the other."""
    parts = [_raised(x, 1) for x in _some("hstack", tensors)]
    return apply_cat(parts, 0 if parts[0].ndim == 1 else 1)


@operation("x = [1, 2]; y = [3, 4]; vstack((x, y))", method=False)
def vstack(tensors: Sequence[Tensor]) -> Any:
    """The tensors below each other; vectors as rows."""
    return apply_cat([_raised(x, 2) for x in _some("vstack", tensors)], 0)


@operation(
    "x = [1, 2]; y = 3; broadcast_tensors(x, y)[1]", "x = [1, 2]; y = 3; broadcast_tensors(x, y)[0]*x", method=False
)
def broadcast_tensors(*tensors: Tensors) -> tuple[Any, ...]:
    """The tensors, each expanded to the shape of all."""
    parts = all_of(tensors)
    check_together(*(x.value for x in parts))
    shape = broadcast_shapes(*(x.shape for x in parts))
    check_size(shape)
    return tuple(x if x.shape == shape else expand(x, size=shape) for x in parts)


@operation(
    "x = [1, 2]; y = [3, 4, 5]; meshgrid(x, y, indexing='ij')[0]",
    "x = [1, 2]; y = [3, 4, 5]; meshgrid(x, y, indexing='xy')[1]",
    method=False,
)
def meshgrid(*tensors: Tensors, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of the points of a grid; 'xy' lets the first vary along the columns."""
    parts = all_of(tensors)
    AutogradError.when(
        indexing not in ("ij", "xy"), f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
    )
    AutogradError.when(not parts, "meshgrid expects a non-empty TensorList")
    for x in parts:
        UnsupportedHere.when(x.ndim > 1, f"a grid of a tensor of {x.ndim} dimensions is not supported here")
    axes = list(range(len(parts)))
    if indexing == "xy" and len(parts) > 1:
        axes[:2] = 1, 0
    sizes = {axis: x.value.size for axis, x in zip(axes, parts, strict=True)}
    shape = tuple(sizes[axis] for axis in range(len(parts)))
    check_size(shape)
    return tuple(
        expand(reshape(x, shape=tuple(size if at == axis else 1 for at, size in enumerate(shape))), size=shape)
        for axis, x in zip(axes, parts, strict=True)
    )


def _windows(x: Any, *, dimension: int, size: int, step: int) -> Any:
    if not np.ndim(x):
        return np.reshape(x, (1,) * size)[:size]
    views = np.lib.stride_tricks.sliding_window_view(x, size, dimension, writeable=True)
    return views[(slice(None),) * dimension + (slice(None, None, step),)]


def _windows_back(g: Array, *, shape: Shape, dimension: int, size: int, step: int) -> Any:
    """The gradient of `unfold`: the entries of windows added where they overlap."""
    return sum_at(g, _windows(flat_positions(shape), dimension=dimension, size=size, step=step), shape)


unfold: Primitive = structured(
    "unfold",
    _windows,
    lambda g, out, x, **o: unfold_backward(g, shape=x.shape, **o),
    view=True,
    says=PICKED,
    index=ELSEWHERE,
)
unfold_backward: Primitive = adjoint(
    "unfold_backward",
    _windows_back,
    lambda g, out, h, *, shape, **o: unfold(g, **o),
    node="UnfoldBackwardBackward0",
    says=PLACED,
)
register_printed(unfold_backward, "u = [[1, 2], [3, 4]]; unfold_backward(u, shape=(3,), dimension=0, size=2, step=1)")


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
    size, product = input.shape[axis], math.prod(length for length in sizes if length != -1)
    if not (product and size % product == 0 if -1 in sizes else product == size):
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
