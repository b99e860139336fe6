"""The same entries in another shape: reshape, squeeze, expand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import dimension, dimensions
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.indices import same_entries
from gradcli.engine.symbolic.notation import positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.support.arguments import Dims, Shape, check_size
from gradcli.ops.support.folding import fold_reshape, fold_same, fold_squeeze
from gradcli.ops.support.surface import SAME, SHAPE, operation


def _reshaping(name: str, node: str, view: bool = True) -> Primitive:
    return primitive(
        name,
        lambda x, *, shape: np.reshape(x, shape),
        lambda g, out, x, *, shape: reshape(g, shape=x.shape),
        node=node,
        structured=True,
        view=view,
        notation=positional("reshape"),
        fold=fold_reshape,
        traits=("layout",),
        says=SHAPE,
        index=same_entries,
    )


# torch has a node for each case: contiguous memory, other memory that allows a view, and a copy.
reshape: Primitive = _reshaping("reshape", "ViewBackward0")
reshape_alias = _reshaping("reshape_alias", "ReshapeAliasBackward0")
unsafe_view = _reshaping("unsafe_view", "UnsafeViewBackward0", view=False)

unsqueeze: Primitive = primitive(
    "unsqueeze",
    lambda x, *, dim: np.expand_dims(x, dim),
    lambda g, out, x, *, dim: squeeze_dim(g, dim=dim),
    structured=True,
    view=True,
    notation=positional("unsqueeze"),
    node_in_place="UnsqueezeBackward1",
    traits=("layout",),
    says=SHAPE,
    index=same_entries,
)


def _squeezed(g: Carrier, out: Carrier, x: Carrier, **_: Any) -> Any:
    return g if g.shape == x.shape else reshape(g, shape=x.shape)


squeeze: Primitive = primitive(
    "squeeze",
    np.squeeze,
    _squeezed,
    structured=True,
    view=True,
    fold=fold_same,
    node_in_place="SqueezeBackward3",
    traits=("layout",),
    says=SHAPE,
    index=same_entries,
)


squeeze_dim: Primitive = primitive(
    "squeeze_dim",
    lambda x, *, dim: np.squeeze(x, dim) if x.shape and x.shape[dim] == 1 else x[...],  # others stay, as in torch
    _squeezed,
    node="SqueezeBackward1",
    structured=True,
    view=True,
    notation=positional("squeeze"),
    fold=fold_squeeze,
    node_in_place="SqueezeBackward4",
    traits=("layout",),
    says=SHAPE,
    index=same_entries,
)
squeeze_dims: Primitive = primitive(
    "squeeze_dims",
    lambda x, *, dim: np.squeeze(x, tuple(d for d in dim if x.shape and x.shape[d] == 1)),
    _squeezed,
    node="SqueezeBackward2",
    structured=True,
    view=True,
    notation=positional("squeeze"),
    fold=fold_same,
    node_in_place="SqueezeBackward5",
    traits=("layout",),
    says=SHAPE,
    index=same_entries,
)


def _clone(x: Any) -> Any:
    """Copy the entries in the order that they have in memory, unless several share a place."""
    return x.copy("K") if isinstance(x, np.ndarray) and 0 not in x.strides else x.copy()


clone = primitive("clone", _clone, lambda g, out, x: g, traits=("layout",), says=SAME)


def flat(sizes: tuple[Any, ...]) -> Shape:
    """Return sizes that users give, `(2, 3)` or `2, 3`, as one tuple."""
    found: list[int] = []
    for size in sizes:
        found.extend(size if isinstance(size, tuple | list) else (size,))
    return tuple(found)


def inferred(shape: Shape, size: int) -> Shape:
    """Return the shape with its -1 replaced by a size."""
    for position, length in enumerate(shape):
        if length < -1:
            raise AutogradError(f"invalid shape dimension {length} at index {position} of shape {list(shape)}")
    AutogradError.when(shape.count(-1) > 1, "only one dimension can be inferred")
    known = math.prod(length for length in shape if length != -1)
    if -1 in shape and size == known == 0:
        raise AutogradError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if known != size if -1 not in shape else (known == 0 or size % known):
        raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    lengths = tuple(size // known if length == -1 else length for length in shape)
    if not size:  # else there are as many entries as before
        check_size(lengths)
    return lengths


def reshaped(x: Any, shape: Shape) -> Any:
    """Reshape a tensor by the node that torch records for its memory."""
    if x.value.flags.c_contiguous:
        return reshape(x, shape=shape)
    if viewable(x, shape):
        return reshape_alias(x, shape=shape)
    return unsafe_view(clone(x), shape=shape)


def viewable(x: Tensor, shape: Shape) -> bool:
    """Return whether the memory allows a view of that shape."""
    return x.value.flags.c_contiguous or np.may_share_memory(x.value, x.value.reshape(shape))


@operation(
    "x = [[1, 2, 3], [4, 5, 6]]; reshape(x, (3, -1))",
    "A = [[1, 2, 3], [4, 5, 6]]; A.T.reshape(6)",
    "A = [[1, 2, 3], [4, 5, 6]]; A.T.reshape(3, 1, 2)",
)
def apply_reshape(input: Tensor, *shape: Shape) -> Any:
    """The same entries in a new shape; one size may be -1."""
    return reshaped(input, inferred(flat(shape), input.value.size))


APART = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead."
)


@operation("x = [[1, 2, 3], [4, 5, 6]]; x.view(3, 2)")
def view(input: Tensor, *size: Shape) -> Any:
    """The same memory in a new shape."""
    shape = inferred(flat(size), input.value.size)
    if not viewable(input, shape):
        raise ShapeError(APART)
    return reshape(input, shape=shape)


@operation("x = [[[1, 2], [3, 4]]]; flatten(x)", "x = [[[1, 2], [3, 4]]]; flatten(x, start_dim=1, end_dim=-1)")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Several dimensions as one."""
    start, end = dimension(start_dim, input.ndim), dimension(end_dim, input.ndim)
    AutogradError.when(start > end, "flatten() has invalid args: start_dim cannot come after end_dim")
    if not input.ndim:
        return reshape(input, shape=(1,))
    if start == end:
        return input
    sizes = input.shape
    return reshaped(input, (*sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :]))


@operation("x = [1, 2]; y = x.clone(); x*y")
def apply_clone(input: Tensor) -> Any:
    """A copy in memory of its own."""
    return clone(input)


@operation("x = [1, 2]; x*detach(x)", in_place="")
def detach(input: Tensor) -> Any:
    """The same value outside the graph: a constant."""
    return input.detach()


@operation("x = [1, 2, 3]; unsqueeze(x, 0)", in_place="")
def apply_unsqueeze(input: Tensor, dim: int) -> Any:
    """A new dimension of size 1."""
    return unsqueeze(input, dim=dimension(dim, input.ndim + 1))


@operation(
    "x = [[1, 2, 3]]; squeeze(x)",
    "x = [[1, 2, 3]]; squeeze(x, 0)",
    "x = [[[1, 2, 3]]]; squeeze(x, (0, -2))",
    in_place="",
)
def apply_squeeze(input: Tensor, dim: Dims = None) -> Any:
    """Without the dimensions of size 1: all of them, or the given one."""
    if dim is None:
        return squeeze(input)
    if isinstance(dim, int):
        return squeeze_dim(input, dim=dimension(dim, input.ndim))
    return squeeze_dims(input, dim=dimensions(dim, input.ndim))


@operation("x = [[1], [2]]; expand(x, (2, 3))", "x = [[1], [2]]; x.expand(3, -1, 2)", aliases=["broadcast_to"])
def apply_expand(input: Tensor, *size: Shape) -> Any:
    """Dimensions of size 1 repeated without a copy; -1 keeps a size."""
    sizes = expanded(input, flat(size))
    check_size(sizes)  # a view takes no memory, but results computed from it do
    return expand(input, size=sizes)


@operation("x = [1, 2]; expand_as(x, [[3, 4], [5, 6]])")
def expand_as(input: Tensor, other: Tensor) -> Any:
    """The input expanded to the shape of `other`."""
    return apply_expand(input, other.shape)


def expanded(x: Tensor, size: Shape) -> Shape:
    """Return the sizes of an expand, each -1 replaced by the size that stays."""
    shape = x.shape
    new = len(size) - len(shape)
    if shape == size[new:] and min(size, default=0) >= 0:
        return size
    if new < 0:
        raise ShapeError(
            f"expand(torch.{TYPE_NAMES.get(x.dtype, 'Double')}Tensor{{{list(x.shape)}}}, size={list(size)}): the "
            f"number of sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({x.ndim})"
        )
    found = tuple(own if length == -1 else length for own, length in zip((0,) * new + x.shape, size, strict=True))
    for dim, (own, length) in reversed(list(enumerate(zip(x.shape, found[new:], strict=True)))):
        if own not in (1, length) or length < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({length}) must match the existing size ({own}) at non-singleton "
                f"dimension {dim + new}.  Target sizes: {list(size)}.  Tensor sizes: {list(x.shape)}"
            )
    for dim, length in reversed(list(enumerate(size[:new]))):
        if length < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({length}) isn't allowed in a leading, non-existing dimension {dim}"
            )
    return found
