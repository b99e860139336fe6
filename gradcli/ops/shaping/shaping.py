"""The same entries in another shape or with the dimensions in another order; dimensions that a reduction removes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import WRAPPER_ASSIGNMENTS, wraps
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.carrier import Carrier
from gradcli.engine.checks.shapes import behind, dimension, dimensions
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.hidden import layout
from gradcli.engine.primitive import Primitive, primitive, structured
from gradcli.engine.symbolic.formula import Formula, attribute, positional
from gradcli.engine.symbolic.indices import ELSEWHERE, same_entries
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Attribute, Call, Expression, Index, Literal
from gradcli.ops.support.arguments import Dims, Shape, check_size
from gradcli.ops.support.folding import fold_reshape, fold_same, fold_squeeze
from gradcli.ops.support.surface import MOVED, SAME, SHAPE, operation


def _view(name: str, forward: Any, rule: Any, **facts: Any) -> Primitive:
    """Declare a view of the same entries in the same order."""
    facts = {"view": True, "says": SHAPE, "index": same_entries, "traits": ("layout",), **facts}
    return structured(name, forward, rule, **facts)


def _turn(name: str, forward: Any, rule: Any, **facts: Any) -> Primitive:
    """Declare a view with the dimensions in another order."""
    return _view(name, forward, rule, says=MOVED, index=ELSEWHERE, traits=("layout", "ranked", "turning"), **facts)


def _reshaping(name: str, node: str, view: bool = True) -> Primitive:
    return _view(
        name,
        lambda x, *, shape: np.reshape(x, shape),
        lambda g, out, x, *, shape: reshape(g, shape=x.shape),
        node=node,
        view=view,
        notation=positional("reshape"),
        fold=fold_reshape,
        traits=("layout", "turning"),
        stacked=("shape",),
    )


# torch has a node for each case: contiguous memory, other memory that allows a view, and a copy.
reshape: Primitive = _reshaping("reshape", "ViewBackward0")
reshape_alias = _reshaping("reshape_alias", "ReshapeAliasBackward0")
unsafe_view = _reshaping("unsafe_view", "UnsafeViewBackward0", view=False)

unsqueeze: Primitive = _view(
    "unsqueeze",
    lambda x, *, dim: np.expand_dims(x, dim),
    lambda g, out, x, *, dim: squeeze_dim(g, dim=dim),
    notation=positional("unsqueeze"),
    node_in_place="UnsqueezeBackward1",
    stacked=lambda x, *, dim: np.expand_dims(x, dim + 1),
)


def _squeezed(g: Carrier, out: Carrier, x: Carrier, **_: Any) -> Any:
    return g if g.shape == x.shape else reshape(g, shape=x.shape)


squeeze: Primitive = _view(
    "squeeze",
    np.squeeze,
    _squeezed,
    fold=fold_same,
    node_in_place="SqueezeBackward3",
    stacked=lambda x: x.reshape(len(x), *(size for size in x.shape[1:] if size != 1)),
)


squeeze_dim: Primitive = _view(
    "squeeze_dim",
    lambda x, *, dim: np.squeeze(x, dim) if x.shape and x.shape[dim] == 1 else x[...],  # others stay, as in torch
    _squeezed,
    node="SqueezeBackward1",
    notation=positional("squeeze"),
    fold=fold_squeeze,
    node_in_place="SqueezeBackward4",
    stacked=("dim",),
)
squeeze_dims: Primitive = _view(
    "squeeze_dims",
    lambda x, *, dim: np.squeeze(x, tuple(d for d in dim if x.shape and x.shape[d] == 1)),
    _squeezed,
    node="SqueezeBackward2",
    notation=positional("squeeze"),
    fold=fold_same,
    node_in_place="SqueezeBackward5",
    stacked=("dim",),
)


alias: Primitive = structured(
    "alias",
    lambda x: x[...],
    lambda g, out, x: g,
    view=True,
    notation=lambda operands, _: Index(operands[0].tree, (Literal(...),)),
    says=SAME,
    index=same_entries,
    stacked=(),
)


def _clone(x: Any) -> Any:
    """Copy the entries in the order that they have in memory, unless several share a place."""
    return x.copy("K") if isinstance(x, np.ndarray) and 0 not in x.strides else x.copy()


clone = primitive("clone", _clone, lambda g, out, x: g, traits=("layout",), says=SAME)


def flat(sizes: tuple[Any, ...]) -> Shape:
    """Return sizes that users give, `(2, 3)` or `2, 3`, as one tuple."""
    flat_sizes: list[int] = []
    for size in sizes:
        flat_sizes.extend(size if isinstance(size, tuple | list) else (size,))
    return tuple(flat_sizes)


def infer_size(shape: Shape, size: int) -> Shape:
    """Return the shape with its -1 replaced by a size."""
    for position, length in enumerate(shape):
        if length < -1:
            raise AutogradError(f"invalid shape dimension {length} at index {position} of shape {list(shape)}")
    AutogradError.when(shape.count(-1) > 1, "only one dimension can be inferred")
    product = math.prod(length for length in shape if length != -1)
    if -1 in shape and size == product == 0:
        raise AutogradError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if product != size if -1 not in shape else (product == 0 or size % product):
        raise ShapeError(f"shape '{list(shape)}' is invalid for input of size {size}")
    lengths = tuple(size // product if length == -1 else length for length in shape)
    if not size:  # else there are as many entries as before
        check_size(lengths)
    return lengths


def reshape_in_memory(x: Any, shape: Shape) -> Any:
    """Reshape a tensor by the node that torch records for its memory."""
    if x.value.flags.c_contiguous:
        return reshape(x, shape=shape)
    if viewable(x, shape):
        return reshape_alias(x, shape=shape)
    return unsafe_view(clone(x), shape=shape)


def viewable(x: Tensor, shape: Shape) -> bool:
    """Return whether the memory allows a view of that shape."""
    value = layout(x.value)
    return value.flags.c_contiguous or np.may_share_memory(value, value.reshape(shape))


@operation(
    "x = [[1, 2, 3], [4, 5, 6]]; reshape(x, (3, -1))",
    "A = [[1, 2, 3], [4, 5, 6]]; A.T.reshape(6)",
    "A = [[1, 2, 3], [4, 5, 6]]; A.T.reshape(3, 1, 2)",
    traits=("linear", "rearranging"),
)
def apply_reshape(input: Tensor, *shape: Shape) -> Any:
    """The same entries in a new shape; one size may be -1."""
    return reshape_in_memory(input, infer_size(flat(shape), input.value.size))


APART = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead."
)


@operation("x = [[1, 2, 3], [4, 5, 6]]; x.view(3, 2)")
def view(input: Tensor, *size: Shape) -> Any:
    """The same memory in a new shape."""
    shape = infer_size(flat(size), input.value.size)
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
    return reshape_in_memory(input, (*sizes[:start], math.prod(sizes[start : end + 1]), *sizes[end + 1 :]))


@operation("x = [1, 2]; y = x.clone(); x*y")
def apply_clone(input: Tensor) -> Any:
    """A copy in memory of its own."""
    return clone(input)


@operation("x = [1, 2]; x*detach(x)", in_place="")
def detach(input: Tensor) -> Any:
    """The same value outside the graph: a constant."""
    return input.detach()


@operation("x = [1, 2, 3]; unsqueeze(x, 0)", in_place="", traits=("linear", "rearranging"))
def apply_unsqueeze(input: Tensor, dim: int) -> Any:
    """A new dimension of size 1."""
    return unsqueeze(input, dim=dimension(dim, input.ndim + 1))


@operation(
    "x = [[1, 2, 3]]; squeeze(x)",
    "x = [[1, 2, 3]]; squeeze(x, 0)",
    "x = [[[1, 2, 3]]]; squeeze(x, (0, -2))",
    in_place="",
    traits=("linear", "rearranging"),
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
    sizes = expanded_sizes(input, flat(size))
    check_size(sizes)  # a view takes no memory, but results computed from it do
    return expand(input, size=sizes)


@operation("x = [1, 2]; expand_as(x, [[3, 4], [5, 6]])")
def expand_as(input: Tensor, other: Tensor) -> Any:
    """The input expanded to the shape of `other`."""
    return apply_expand(input, other.shape)


def expanded_sizes(x: Tensor, size: Shape) -> Shape:
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
    sizes = tuple(old if length == -1 else length for old, length in zip((0,) * new + x.shape, size, strict=True))
    for dim, (old, length) in reversed(list(enumerate(zip(x.shape, sizes[new:], strict=True)))):
        if old not in (1, length) or length < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({length}) must match the existing size ({old}) at non-singleton "
                f"dimension {dim + new}.  Target sizes: {list(size)}.  Tensor sizes: {list(x.shape)}"
            )
    for dim, length in reversed(list(enumerate(size[:new]))):
        if length < 0:
            raise ShapeError(
                f"The expanded size of the tensor ({length}) isn't allowed in a leading, non-existing dimension {dim}"
            )
    return sizes


def _write_transpose(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `A.T` for a matrix, `A.mT` for a batch of matrices."""
    x = operands[0]
    if {options["dim0"], options["dim1"]} == {len(x.shape) - 2, len(x.shape) - 1}:
        return Attribute(x.tree, "T" if len(x.shape) == 2 else "mT")
    return positional("transpose")(operands, options)


def _write_permute(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    backwards = options["dims"] == tuple(reversed(range(len(options["dims"]))))
    return attribute("T")(operands, options) if backwards else positional("permute")(operands, options)


def _fold_twice(x: Formula, *, value: Any, **options: Any) -> Formula | None:
    """Fold `A.T.T` to `A`, and `outer(x, y).T` to `outer(y, x)`."""
    if isinstance(x.tree, Call) and x.tree.function == "outer":
        return Formula(Call("outer", x.tree.arguments[::-1]), value, x.size)
    matrix = len(x.shape) == 2 and isinstance(x.tree, Attribute) and x.tree.name == "T"
    return Formula(x.tree.value, value, x.size - 1) if matrix else None  # type: ignore[attr-defined]


t: Primitive = _turn(
    "t",
    lambda x: x.T,
    lambda g, out, x: t(g),
    notation=attribute("T"),
    fold=_fold_twice,
    node_in_place="TBackward1",
    stacked=lambda x: x.swapaxes(1, -1),
)
transpose: Primitive = _turn(
    "transpose",
    lambda x, *, dim0, dim1: np.swapaxes(x, dim0, dim1) if x.shape else x,
    lambda g, out, x, *, dim0, dim1: transpose(g, dim0=dim0, dim1=dim1),
    notation=_write_transpose,
    node_in_place="TransposeBackward1",
    stacked=("dim0", "dim1"),
)
permute: Primitive = _turn(
    "permute",
    lambda x, *, dims: np.transpose(x, dims),
    lambda g, out, x, *, dims: permute(g, dims=tuple(map(dims.index, range(len(dims))))),
    notation=_write_permute,
    stacked=lambda x, *, dims: x.transpose(0, *behind(dims, x.ndim - 1)),
)


@operation("A = [[1, 2, 3], [4, 5, 6]]; A.t()", "A = [[1, 2], [3, 4]]; t(A)", in_place="")
def apply_t(input: Tensor) -> Any:
    """The transpose of a matrix; a vector stays as it is."""
    if input.ndim > 2:
        raise AutogradError(f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D")
    return t(input)


@operation("A = [[1, 2, 3], [4, 5, 6]]; A.T", method=False)
def T(input: Tensor) -> Any:
    """The dimensions in reverse, written `A.T`."""
    return permute(input, dims=tuple(reversed(range(input.ndim))))


@operation("A = [[[1, 2, 3], [4, 5, 6]]]; A.mT", method=False)
def mT(input: Tensor) -> Any:
    """The last two dimensions exchanged, written `A.mT`."""
    if not input.ndim:
        return input
    if input.ndim < 2:
        raise AutogradError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return transpose(input, dim0=input.ndim - 2, dim1=input.ndim - 1)


@operation(
    "x = [[[1, 2], [3, 4]]]; transpose(x, 0, -1)", aliases=["swapaxes", "swapdims"], in_place="", traits=("linear",)
)
def apply_transpose(input: Tensor, dim0: int, dim1: int) -> Any:
    """Two dimensions exchanged."""
    return transpose(input, dim0=dimension(dim0, input.ndim), dim1=dimension(dim1, input.ndim))


@operation("x = [[[1, 2], [3, 4]]]; permute(x, (1, 2, 0))", traits=("linear", "rearranging"))
def apply_permute(input: Tensor, *dims: Shape) -> Any:
    """The dimensions in a new order."""
    order = flat(dims)
    if len(order) != input.ndim:
        raise AutogradError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {input.ndim} is not equal to len(dims) = {len(order)}"
        )
    wrapped = tuple(dimension(dim, input.ndim) for dim in order)
    AutogradError.when(len(set(wrapped)) < len(wrapped), "permute(): duplicate dims are not allowed.")
    return permute(input, dims=wrapped)


def _once(name: str, dims: Dims, ndim: int) -> tuple[int, ...]:
    """Return dimensions counted from the front, after the check that none is named twice."""
    named = flat((dims,))
    dimensions = tuple(dimension(dim, ndim) for dim in named)
    if len(set(dimensions)) < len(dimensions):
        raise AutogradError(f"movedim: repeated dim in `{name}` ({list(named)})")
    return dimensions


@operation("x = [[[1, 2], [3, 4]]]; movedim(x, 0, -1)", aliases=["moveaxis"])
def movedim(input: Tensor, source: Dims, destination: Dims) -> Any:
    """Some dimensions at new places, the others in their order."""
    froms, tos = (_once(name, dims, input.ndim) for name, dims in (("source", source), ("destination", destination)))
    if len(froms) != len(tos):
        raise AutogradError(
            "movedim: Invalid source or destination dims: source "
            f"({list(froms)} dims) should contain the same number of dims as destination ({list(tos)} dims)"
        )
    if not input.ndim:  # a scalar has a dimension to name, and none to move
        return alias(input)
    order = [dim for dim in range(input.ndim) if dim not in froms]
    for to, dim in sorted(zip(tos, froms, strict=True)):
        order.insert(to, dim)
    return permute(input, dims=tuple(order))


Axes = int | tuple[int, ...] | None  # dimensions of a primitive, counted from the front; None or () for all


def dims_from_front(dim: Dims, ndim: int) -> Axes:
    """Return dimensions that users give, counted from the front."""
    if dim is None:
        return None
    return dimension(dim, ndim) if isinstance(dim, int) else dimensions(dim, ndim)


def axes(dim: Axes, ndim: int) -> tuple[int, ...]:
    """Return the dimensions as a tuple; a scalar has none."""
    if dim is None or dim == () or ndim == 0:
        return tuple(range(ndim))
    return (dim,) if isinstance(dim, int) else dim


def kept_shape(shape: Shape, dim: Axes) -> Shape:
    """Return the shape with size 1 in the reduced dimensions."""
    reduced = axes(dim, len(shape))
    return tuple(1 if axis in reduced else size for axis, size in enumerate(shape))


def count(shape: Shape, dim: Axes) -> int:
    """Return the number of entries that go into one entry of the result."""
    return math.prod(shape[axis] for axis in axes(dim, len(shape)))


def align_reduced(x: Any, shape: Shape, dim: Axes, keepdim: bool = False) -> Any:
    """Reshape the result of a reduction so that it broadcasts over `shape`, the shape before the reduction."""
    reduced = axes(dim, len(shape))
    if keepdim or sorted(reduced) == list(range(len(reduced))):
        return x  # broadcasting adds dimensions in front by itself
    return unsqueeze(x, dim=reduced[0]) if len(reduced) == 1 else reshape(x, shape=kept_shape(shape, dim))


def in_rows(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Return the reduction, whose results lie row by row, as torch's do; numpy's keep the order of the input."""

    @wraps(reduce, assigned=(*WRAPPER_ASSIGNMENTS, "__kwdefaults__"))  # which say what a formula leaves out
    def call(*inputs: Any, **options: Any) -> Any:
        result = reduce(*inputs, **options)
        if not isinstance(result, np.ndarray) or lies_in_rows(result):
            return result
        return result.copy("C")

    return call


def lies_in_rows(x: Any) -> bool:
    """Tell whether an array lies row by row, dimensions of one entry included, whose steps numpy leaves open."""
    step = x.itemsize
    for length, stride in zip(x.shape[::-1], x.strides[::-1], strict=True):
        if stride != step:
            return False
        step *= max(length, 1)
    return True
