"""Entries read and written by index along one dimension: gather, scatter, index_select, index_add.

`entries` reads at flat places of the last dimensions, and `entries_backward` adds there; padding and resizing are
built on them. The entry at place -1 is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, check_together, dimension
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import Primitive, adjoint, structured
from gradcli.engine.symbolic.formula import Formula, Notation, literal, number
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas
from gradcli.ops.indexing.indexing import cut, flat_positions, index_backward, sum_at
from gradcli.ops.shaping.shaping import reshape_in_memory
from gradcli.ops.support.arguments import Array, Indices, Operand, Places, Shape, check_size
from gradcli.ops.support.constant_nodes import constant_node
from gradcli.ops.support.surface import ADDED_AT, PICKED, PLACED, REPLACED, operation, register_printed
from gradcli.ops.windows.windows import count

# Checks of tensors of indices and of what is scattered to them: types, shapes, and that they are in bounds.


def _outside(index: Tensor, size: int) -> int | None:
    """Return the first index out of bounds, or None; a negative index is out of bounds here."""
    bad = index.value[(index.value < 0) | (index.value >= size)]
    return int(bad.reshape(-1)[0]) if bad.size else None


def check_places(name: str, x: Tensor, dim: int, index: Tensor) -> None:
    AutogradError.when(
        index.dtype == np.bool_ or (index.dtype.itemsize < 4 and index.value.size),
        f"{name}(): Expected dtype int32/int64 for index",
    )
    if max(index.ndim, 1) != max(x.ndim, 1):
        owner = "self" if name.startswith("scatter") else "input"
        raise ShapeError(f"Index tensor must have the same number of dimensions as {owner} tensor")
    for axis, (length, size) in enumerate(zip(x.shape, index.shape, strict=False)):
        ShapeError.when(
            axis != dim and size > length,
            f"Size does not match at dimension {axis} expected index {list(index.shape)} to be no larger than "
            f"self {list(x.shape)} apart from dimension {dim}",
        )
    size = x.shape[dim] if x.ndim else 1
    bad = _outside(index, size)
    ShapeError.when(bad is not None, f"index {bad} is out of bounds for dimension {dim} with size {size}")


def _bounds_message(name: str, index: int, x: Tensor, dim: int) -> str:
    """Return torch's message for an index out of bounds, which depends on the operation's kernel."""
    if name in ("index_select", "index_add") and (dim == 0 if name == "index_select" else x.ndim == 1):
        return "index out of range in self"
    if name == "index_select":
        return f"INDICES element is out of DATA bounds, id={index} axis_dim={x.shape[dim]}"
    return f"index {index} is out of bounds for dimension {dim} with size {x.shape[dim] if x.ndim else 1}"


def vector_of(name: str, x: Tensor, dim: int, index: Tensor) -> Tensor:
    ShapeError.when(index.ndim > 1, f"{name}(): Index is supposed to be a vector")
    AutogradError.when(
        index.dtype == np.bool_ or is_floating(index.value), f"{name}(): Expected dtype int32 or int64 for index"
    )
    bad = _outside(index, x.shape[dim] if x.ndim else 1)
    if bad is not None:
        raise ShapeError(_bounds_message(name, bad, x, dim))
    if not x.ndim:
        return _only(name, index)
    return index if index.ndim else Tensor(index.value.reshape(1))


def _only(name: str, index: Tensor) -> Tensor:
    """Return the index for a 0-dimensional tensor, as a 0-dimensional tensor; it must hold one number."""
    if index.value.size != 1:
        raise AutogradError(f"{name}(): Index to scalar can have only 1 value, got {index.value.size} value(s)")
    return Tensor(index.value.reshape(()))


def shape_index(x: Tensor, index: Tensor) -> Tensor:
    """Return the index; an empty one gets as many dimensions as `x`."""
    return index if index.value.size else Tensor(np.zeros((0,) * max(x.ndim, 1), np.int64))


def fit_source(x: Tensor, axis: int, index: Tensor, src: Any) -> Any:
    """Return the entries of `src` in the shape of the index, after torch's checks; a scalar counts as a vector."""
    if not max(index.ndim, 1) == max(src.ndim, 1) == max(x.ndim, 1):
        other = "src" if max(index.ndim, 1) == max(x.ndim, 1) else "self"
        raise ShapeError(f"Index tensor must have the same number of dimensions as {other} tensor")
    wanted, available = index.shape or (1,), src.shape or (1,)
    fits = 0 in wanted or all(m <= n for m, n in zip(wanted, available, strict=True))
    beside = all(m <= n for at, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)) if at != axis)
    ShapeError.when(
        not (fits and beside),
        f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension "
        f"{axis} and to be no larger size than src {list(src.shape)}",
    )
    check_places("scatter", x, axis, index)
    entries = src if src.ndim or not index.ndim else reshape_in_memory(src, (1,))
    for dim, (size, length) in enumerate(zip(wanted, available, strict=True)):
        if size < length:
            entries = cut(entries, dim=dim, start=0, stop=size)
    return entries if entries.shape == index.shape else reshape_in_memory(entries, index.shape)


def _taken(x: Array, places: Places, *, dims: int) -> Any:
    """The entries at flat places of the last dimensions; -1 gives 0."""
    lead = x.shape[: x.ndim - dims]
    flat = x.reshape(*lead, count(x.shape[x.ndim - dims :]))
    if (places < 0).any():
        flat = np.concatenate([flat, np.zeros((*lead, 1), x.dtype)], axis=-1)
    return np.take(flat, np.maximum(places, -1), axis=-1)


def _added(g: Array, places: Places, *, shape: Shape, dims: int) -> Any:
    """The gradient of `entries`: each entry is added to the place that it was taken from."""
    lead, size = shape[: len(shape) - dims], count(shape[len(shape) - dims :])
    rows = np.arange(count(lead)).reshape((*lead, *[1] * places.ndim))
    cells = np.where(places < 0, size, places) + rows * (size + 1)
    sums = sum_at(g, cells, (count(lead), size + 1))
    return np.ascontiguousarray(sums[:, :size]).reshape(shape)


entries: Primitive = structured(
    "entries",
    _taken,
    lambda g, out, x, places, *, dims: entries_backward(g, places, shape=x.shape, dims=dims),
    says=PICKED,
    index=ELSEWHERE,
)
entries_backward: Primitive = adjoint(
    "entries_backward",
    _added,
    lambda g, out, h, places, *, shape, dims: entries(g, places, dims=dims),
    says=PLACED,
)


@cache
def with_node_name(taking: Primitive, node: str, **facts: Any) -> Primitive:
    """Return the primitive under the node name that torch gives to one of its uses."""
    return replace(taking, node=node, **facts)


@cache
def _reading(node: str, saves: tuple[int, ...] | None) -> Primitive:
    return replace(entries, node=node, saves=saves)


def take_entries(x: Tensor, places: Any, dims: int, node: str, saves: tuple[int, ...] | None = None) -> Any:
    """Return the entries at an array of places, recorded as a node of the given name; torch saves no places."""
    check_size((*x.shape[: x.ndim - dims], *places.shape))
    return _reading(node, saves)(x, Tensor(places), dims=dims)


def add_entries(x: Tensor, places: Any, shape: Shape, dims: int, node: str) -> Any:
    """Add entries to zeros at an array of places, recorded as a node of the given name."""
    check_size(shape)
    return with_node_name(entries_backward, node, saves=None)(x, Tensor(places), shape=shape, dims=dims)


register_printed(
    entries,
    "x = [[1, 2], [3, 4]]; entries(x, [[3, -1, 0]], dims=2)",
    "x = [[1, 2], [3, 4]]; entries(x, [1, 1], dims=1)",
)
register_printed(entries_backward, "u = [1, 2, 3]; entries_backward(u, [3, -1, 3], shape=(2, 2), dims=2)")


def gather_entries(x: Any, index: Any, *, dim: int) -> Any:
    # torch allows an index smaller than the input, and reads a scalar as a vector of one entry
    rows, places = np.atleast_1d(x), np.atleast_1d(index)
    within = tuple(slice(None) if axis == dim else slice(size) for axis, size in enumerate(places.shape))
    return np.asarray(np.take_along_axis(rows[within], places, dim), order="C").reshape(index.shape)


def _scatter(g: Any, index: Any, *, shape: tuple[int, ...], dim: int) -> Any:
    return sum_at(g, gather_entries(flat_positions(shape), index, dim=dim), shape)


def _spread(g: Any, index: Any, *, shape: tuple[int, ...], dim: int) -> Any:
    return sum_at(g, np.take(np.atleast_1d(flat_positions(shape)), index, dim), shape)


def dim_second(name: str) -> Notation:
    """Return the notation of a call with `dim` second, as in torch: `gather(x, dim, index)`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, *others = (operand.tree for operand in operands)
        return Call(name, tuple(map(Argument, (x, literal(options["dim"]), *others))))

    return write


def _onto_zeros(name: str) -> Notation:
    """Return the notation of an adjoint in torch's functions: `scatter_add(zeros((2, 3)), dim, index, g)`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        g, index = (operand.tree for operand in operands)
        zeros = Call("zeros", (Argument(literal(options["shape"])),))
        return Call(name, tuple(map(Argument, (zeros, literal(options["dim"]), index, g))))

    return write


def _by_index(
    name: str,
    adding: str,
    read_at: Callable[..., Any],
    add_at: Callable[..., Any],
    node: str,
    is_stacked: bool = False,
    **facts: Any,
) -> tuple[Primitive, Primitive, Primitive]:
    """Declare the reading of entries at indices, its adjoint, and the addition of entries at indices."""
    read: Primitive = structured(
        name,
        read_at,
        lambda g, out, x, index, *, dim: back(g, index, shape=x.shape, dim=dim),
        notation=dim_second(name),
        says=PICKED,
        stacked=("dim",) if is_stacked else None,
        **facts,
    )
    back: Primitive = adjoint(
        f"{name}_backward",
        add_at,
        lambda g, out, x, index, *, shape, dim: read(g, index, dim=dim),
        node=node,
        notation=_onto_zeros(adding),
        says=PLACED,
        stacked=("shape", "dim") if is_stacked else None,
    )
    added_to = structured(
        adding,
        lambda x, index, src, *, dim: x + add_at(src, index, shape=x.shape, dim=dim),
        lambda g, out, x, index, src, *, dim: g,
        None,
        lambda g, out, x, index, src, *, dim: read(g, index, dim=dim),
        notation=dim_second(adding),
        says=ADDED_AT,
    )
    return read, back, added_to


gather, gather_backward, scatter_add = _by_index(
    "gather",
    "scatter_add",
    gather_entries,
    _scatter,
    "ScatterAddBackward0",
    is_stacked=True,
    saves=(0,),
    inputs=("self", "index"),
    index=formulas.gathered,
)
index_select, _, index_add = _by_index(
    "index_select",
    "index_add",
    lambda x, index, *, dim: np.take(np.atleast_1d(x), index, dim),
    _spread,
    "IndexAddBackward0",
    index=formulas.index_selected,
)
masked_select: Primitive = structured(
    "masked_select",
    lambda x, mask: x[mask],
    lambda g, out, x, mask: index_backward(g, mask, shape=x.shape, dims=(0,)),
    saves=(0,),
    says=PICKED,
    index=ELSEWHERE,
    traits=("counting", "masking"),
)


@operation("x = [[1, 2], [3, 4]]; gather(x, 1, [[0, 0], [1, 0]])", integers_stay=True)
def apply_gather(input: Tensor, dim: int, index: Indices) -> Any:
    """Entries by index along one dimension: `out[i][j] = input[i][index[i][j]]` for `dim=1`."""
    axis = dimension(dim, input.ndim)
    if not index.value.size:  # of which torch looks at nothing
        return constant_node("GatherBackward0", np.zeros(index.shape, input.dtype), input, saves=(0,))
    check_places("gather", input, axis, index)
    return gather(input, index, dim=axis)


@operation("x = [[1, 2, 3]]; y = [[4, 5]]; scatter_add(x, 1, [[2, 2]], y)", integers_stay=True)
def apply_scatter_add(input: Tensor, dim: int, index: Indices, src: Tensor) -> Any:
    """Entries of `src` added to the input at the indices."""
    axis, places = dimension(dim, input.ndim), shape_index(input, index)
    return scatter_add(input, places, fit_source(input, axis, places, src), dim=axis)


@operation("x = [[1, 2], [3, 4]]; index_select(x, 0, [1, 1, 0])")
def apply_index_select(input: Tensor, dim: int, index: Indices) -> Any:
    """The slices at the given indices of one dimension."""
    axis = dimension(dim, input.ndim)
    return index_select(input, vector_of("index_select", input, axis, index), dim=axis)


@operation("x = [[1, 2], [3, 4]]; y = [[5, 6]]; index_add(x, 0, [1], y)")
def apply_index_add(input: Tensor, dim: int, index: Indices, source: Tensor, *, alpha: float = 1) -> Any:
    """Slices of `source`, times `alpha`, added to the input at the given indices of one dimension."""
    axis = dimension(dim, input.ndim)
    vector = vector_of("index_add", input, axis, index)
    ShapeError.when(
        not input.ndim and source.ndim,
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = [] "
        f"source.shape = {list(source.shape)}",
    )
    expected = (*input.shape[:axis], vector.value.size, *input.shape[axis + 1 :]) if input.ndim else ()
    ShapeError.when(
        source.shape != expected, f"index_add_(): source has shape {list(source.shape)}, not {list(expected)}"
    )
    part: Any = source
    if alpha != 1:
        part = Tensor(np.logical_and(part.value, alpha)) if part.dtype == np.bool_ else part * alpha
    return index_add(input, vector, part, dim=axis)


@operation("x = [[1, -2], [3, 4]]; masked_select(x, x > 0)")
def apply_masked_select(input: Tensor, mask: Tensor) -> Any:
    """The entries where the mask is true, in one row."""
    refuse_examples("masked_select", mask)
    AutogradError.when(mask.dtype != np.bool_, "masked_select: expected BoolTensor for mask")
    values = (mask.value, input.value)
    check_together(*values)
    shape = broadcast_shapes(input.shape, mask.shape)
    x = input if input.shape == shape else expand(input, size=shape)
    mask = mask if mask.shape == shape else Tensor(np.broadcast_to(mask.value, shape))
    return masked_select(x, mask)


def _scattered(x: Any, index: Any, src: Any, *, dim: int) -> Any:
    """Write entries at the indices; of several entries for one position the last is kept."""
    out = np.array(x, order="C")
    out.reshape(-1)[gather_entries(flat_positions(x.shape), index, dim=dim)] = src
    return out[()]


def _write_number(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `scatter(x, 0, index, 5)`."""
    x, index = (operand.tree for operand in operands)
    return Call("scatter", tuple(map(Argument, (x, literal(options["dim"]), index, number(options["value"])))))


scatter_number: Primitive = structured(
    "scatter_number",
    lambda x, index, *, dim, value: _scattered(x, index, x.dtype.type(value), dim=dim),
    lambda g, out, x, index, *, dim, value: scatter_number(g, index, dim=dim, value=0),
    node="ScatterBackward1",
    notation=_write_number,
    says="Entries that a number is written over get 0; the others get their gradient.",
)
scatter = structured(
    "scatter",
    _scattered,
    lambda g, out, x, index, src, *, dim: scatter_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, src, *, dim: gather(g, index, dim=dim),
    notation=dim_second("scatter"),
    says=REPLACED,
)


@operation(
    "x = [[1, 2, 3]]; y = [[4, 5]]; scatter(x, 1, [[2, 0]], y)",
    "x = [[1, 2], [3, 4]]; scatter(x, 0, [[1, 0]], 7)",
    integers_stay=True,
)
def apply_scatter(input: Tensor, dim: int, index: Indices, src: Operand = None, *, value: float | None = None) -> Any:
    """The input with entries of `src`, or one number, at the indices: `out[i][index[i][j]] = src[i][j]` for `dim=1`."""
    src = value if src is None else src
    AutogradError.when(src is None, "scatter() takes src or value", code="E203")
    axis, places = dimension(dim, input.ndim), shape_index(input, index)
    if not isinstance(src, Tensor):
        check_places("scatter", input, axis, places)
        return scatter_number(input, places, dim=axis, value=src)
    entries = fit_source(input, axis, places, src)
    AutogradError.when(src.dtype != input.dtype, "scatter(): Expected self.dtype to be equal to src.dtype")
    return scatter(input, places, entries, dim=axis)
