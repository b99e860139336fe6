"""Entries read and written by index along one dimension: gather, scatter, index_select, index_add, masked_select."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, check_together, dimension
from gradcli.engine.modes import refuse_examples
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.symbolic.notation import Notation, literal, number
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops import formulas as entries
from gradcli.ops.indexing.entries import check_places, placing, scattering, vector_of
from gradcli.ops.indexing.indexing import flat_positions, index_backward, scattered
from gradcli.ops.support.arguments import Indices, Operand
from gradcli.ops.support.constant_nodes import constant_node
from gradcli.ops.support.surface import ADDED_AT, PICKED, PLACED, REPLACED, operation


def gathered(x: Any, index: Any, *, dim: int) -> Any:
    # torch allows an index smaller than the input, and reads a scalar as a vector of one entry
    rows, places = np.atleast_1d(x), np.atleast_1d(index)
    within = tuple(slice(None) if axis == dim else slice(size) for axis, size in enumerate(places.shape))
    return np.asarray(np.take_along_axis(rows[within], places, dim), order="C").reshape(index.shape)


def _scatter(g: Any, index: Any, *, shape: tuple[int, ...], dim: int) -> Any:
    return scattered(g, gathered(flat_positions(shape), index, dim=dim), shape)


def _spread(g: Any, index: Any, *, shape: tuple[int, ...], dim: int) -> Any:
    return scattered(g, np.take(np.atleast_1d(flat_positions(shape)), index, dim), shape)


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


gather: Primitive = primitive(
    "gather",
    gathered,
    lambda g, out, x, index, *, dim: gather_backward(g, index, shape=x.shape, dim=dim),
    saves=(0,),
    structured=True,
    notation=dim_second("gather"),
    inputs=("self", "index"),
    says=PICKED,
    index=entries.gathered,
)
gather_backward: Primitive = primitive(
    "gather_backward",
    _scatter,
    lambda g, out, x, index, *, shape, dim: gather(g, index, dim=dim),
    node="ScatterAddBackward0",
    structured=True,
    notation=_onto_zeros("scatter_add"),
    says=PLACED,
    traits=("adjoint",),
)
scatter_add: Primitive = primitive(
    "scatter_add",
    lambda x, index, src, *, dim: x + _scatter(src, index, shape=x.shape, dim=dim),
    lambda g, out, x, index, src, *, dim: g,
    None,
    lambda g, out, x, index, src, *, dim: gather(g, index, dim=dim),
    structured=True,
    notation=dim_second("scatter_add"),
    says=ADDED_AT,
)
index_select: Primitive = primitive(
    "index_select",
    lambda x, index, *, dim: np.take(np.atleast_1d(x), index, dim),
    lambda g, out, x, index, *, dim: index_select_backward(g, index, shape=x.shape, dim=dim),
    structured=True,
    notation=dim_second("index_select"),
    says=PICKED,
    index=entries.index_selected,
)
index_select_backward: Primitive = primitive(
    "index_select_backward",
    _spread,
    lambda g, out, x, index, *, shape, dim: index_select(g, index, dim=dim),
    node="IndexAddBackward0",
    structured=True,
    notation=_onto_zeros("index_add"),
    says=PLACED,
    traits=("adjoint",),
)
index_add: Primitive = primitive(
    "index_add",
    lambda x, index, src, *, dim: x + _spread(src, index, shape=x.shape, dim=dim),
    lambda g, out, x, index, src, *, dim: g,
    None,
    lambda g, out, x, index, src, *, dim: index_select(g, index, dim=dim),
    structured=True,
    notation=dim_second("index_add"),
    says=ADDED_AT,
)
masked_select: Primitive = primitive(
    "masked_select",
    lambda x, mask: x[mask],
    lambda g, out, x, mask: index_backward(g, mask, shape=x.shape, dims=(0,)),
    saves=(0,),
    structured=True,
    says=PICKED,
    index=ELSEWHERE,
)


@operation("x = [[1, 2], [3, 4]]; gather(x, 1, [[0, 0], [1, 0]])")
def apply_gather(input: Tensor, dim: int, index: Indices) -> Any:
    """Entries by index along one dimension: `out[i][j] = input[i][index[i][j]]` for `dim=1`."""
    axis = dimension(dim, input.ndim)
    if not index.value.size:  # of which torch looks at nothing
        return constant_node("GatherBackward0", np.zeros(index.shape, input.dtype), input, saves=(0,))
    check_places("gather", input, axis, index)
    return gather(input, index, dim=axis)


@operation("x = [[1, 2, 3]]; y = [[4, 5]]; scatter_add(x, 1, [[2, 2]], y)")
def apply_scatter_add(input: Tensor, dim: int, index: Indices, src: Tensor) -> Any:
    """Entries of `src` added to the input at the indices."""
    axis, places = dimension(dim, input.ndim), placing(input, index)
    return scatter_add(input, places, scattering(input, axis, places, src), dim=axis)


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
    out.reshape(-1)[gathered(flat_positions(x.shape), index, dim=dim)] = src
    return out[()]


def _write_number(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
    """Write `scatter(x, 0, index, 5)`."""
    x, index = (operand.tree for operand in operands)
    return Call("scatter", tuple(map(Argument, (x, literal(options["dim"]), index, number(options["value"])))))


scatter_number: Primitive = primitive(
    "scatter_number",
    lambda x, index, *, dim, value: _scattered(x, index, x.dtype.type(value), dim=dim),
    lambda g, out, x, index, *, dim, value: scatter_number(g, index, dim=dim, value=0),
    node="ScatterBackward1",
    structured=True,
    notation=_write_number,
    says="Entries that a number is written over get 0; the others get their gradient.",
)
scatter = primitive(
    "scatter",
    _scattered,
    lambda g, out, x, index, src, *, dim: scatter_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, src, *, dim: gather(g, index, dim=dim),
    structured=True,
    notation=dim_second("scatter"),
    says=REPLACED,
)


@operation(
    "x = [[1, 2, 3]]; y = [[4, 5]]; scatter(x, 1, [[2, 0]], y)", "x = [[1, 2], [3, 4]]; scatter(x, 0, [[1, 0]], 7)"
)
def apply_scatter(input: Tensor, dim: int, index: Indices, src: Operand = None, *, value: float | None = None) -> Any:
    """The input with entries of `src`, or one number, at the indices: `out[i][index[i][j]] = src[i][j]` for `dim=1`."""
    src = value if src is None else src
    AutogradError.when(src is None, "scatter() takes src or value", code="E203")
    axis, places = dimension(dim, input.ndim), placing(input, index)
    if not isinstance(src, Tensor):
        check_places("scatter", input, axis, places)
        return scatter_number(input, places, dim=axis, value=src)
    found = scattering(input, axis, places, src)
    AutogradError.when(src.dtype != input.dtype, "scatter(): Expected self.dtype to be equal to src.dtype")
    return scatter(input, places, found, dim=axis)
