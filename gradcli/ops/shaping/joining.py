"""Putting tensors together, taking them apart, repeating and turning them around."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand, sum_to_size
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import broadcast_shapes, check_together, dimension, dimensions
from gradcli.engine.graph import join
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.symbolic.notation import Notation, literal, named, positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError, UnsupportedHere
from gradcli.language.tree import Argument, Call, Expression, List
from gradcli.ops.indexing.indexing import cut, select, selecting, slicing
from gradcli.ops.shaping.shaping import flat, reshape, unsqueeze
from gradcli.ops.support.arguments import Dims, Shape, Tensors, all_of, check_size
from gradcli.ops.support.constant_nodes import nothing
from gradcli.ops.support.surface import MOVED, OWN_PART, operation


def _of_list(name: str) -> Notation:
    """Write `cat([x, y])`, with `dim=` unless it is 0."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        tensors = List(tuple(x.tree for x in operands))
        return Call(name, (Argument(tensors), *named({"dim": options["dim"]}, dim=0)))

    return write


def _write_roll(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `roll(x, 1)`, `roll(x, 1, 0)`, `roll(x, (1, 2), (0, 1))`."""
    values = (options["shifts"], options.get("dims"))
    plain = [literal(value[0] if len(value) == 1 else value) for value in values if value is not None]
    return Call("roll", tuple(map(Argument, (operands[0].tree, *plain))))


def _is_left_out(x: Any, whole: Any) -> bool:
    """Tell whether it is the empty vector, which torch lets stand beside tensors of any shape."""
    return x.shape == (0,) and len(whole.shape) != 1


def _own_part(g: Carrier, out: Carrier, *inputs: Carrier, position: int, dim: int) -> Any:
    if _is_left_out(inputs[position], g):
        return nothing(inputs[position])
    ends = list(accumulate((0 if _is_left_out(x, g) else x.shape[dim] for x in inputs), initial=0))
    return cut(g, dim=dim, start=ends[position], stop=ends[position + 1])


cat: Primitive = primitive(
    "cat",
    # whatever the inputs' strides
    lambda *inputs, dim: np.ascontiguousarray(np.concatenate([x for x in inputs if x.shape != (0,)] or inputs, dim)),
    _own_part,
    structured=True,
    variadic=True,
    notation=_of_list("cat"),
    says=OWN_PART,
    index=ELSEWHERE,
)
stack: Primitive = primitive(
    "stack",
    lambda *inputs, dim: np.ascontiguousarray(np.stack(inputs, dim)),
    lambda g, out, *inputs, position, dim: select(g, dim=dim, index=position),
    structured=True,
    variadic=True,
    notation=_of_list("stack"),
    says=OWN_PART,
    index=ELSEWHERE,
)
# one application for each part, where torch has one node with many outputs, whose gradients it joins again
split_part = slicing("split_part", "SplitBackward0", "part")
split_part_with_sizes = slicing("split_part_with_sizes", "SplitWithSizesBackward0", "part")
unsafe_part = slicing("unsafe_split_part", "UnsafeSplitBackward0", view=False)
unbind_part = selecting("unbind_part", "UnbindBackward0", "part")


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


repeat: Primitive = primitive(
    "repeat",
    lambda x, *, repeats: np.asarray(np.tile(x, repeats), order="C"),
    _repeat_rule,
    structured=True,
    notation=positional("repeat"),
    says="The input was copied, so the gradients of all the copies are added.",
    index=ELSEWHERE,
)
flip: Primitive = primitive(
    "flip",
    lambda x, *, dims: np.flip(x, dims).copy(),
    lambda g, out, x, *, dims: flip(g, dims=dims),
    structured=True,
    notation=positional("flip"),
    says=MOVED,
    index=ELSEWHERE,
)
roll: Primitive = primitive(
    "roll",
    lambda x, *, shifts, dims=None: np.asarray(np.roll(x, shifts, dims), order="C"),
    lambda g, out, x, *, shifts, dims=None: roll(g, shifts=tuple(-shift for shift in shifts), dims=dims),
    structured=True,
    notation=_write_roll,
    says=MOVED,
    index=ELSEWHERE,
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
    own = (1,) * (len(counts) - input.ndim) + input.shape
    shape = tuple(n * m for n, m in zip(counts, own, strict=True))
    for count, size in zip(counts, shape, strict=True):
        if count < 0:
            raise AutogradError(f"Trying to create tensor with negative dimension {size}: {list(shape)}")
    check_size(tuple(n * (m or 1) for n, m in zip(counts, own, strict=True)))
    return repeat(input, repeats=counts)


@operation("x = [[1, 2], [3, 4]]; flip(x, 0)", "x = [[1, 2], [3, 4]]; x.flip(0, -1)")
def apply_flip(input: Tensor, *dims: Shape) -> Any:
    """The order reversed along the given dimensions."""
    axes = dimensions(flat(dims), input.ndim)
    return flip(input, dims=axes if input.ndim else ())


@operation("x = [1, 2, 3]; roll(x, 1)", "x = [[1, 2], [3, 4]]; roll(x, (1, 1), dims=(0, 1))")
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
