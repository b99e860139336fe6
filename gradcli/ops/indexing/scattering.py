"""Entries written by index, or under a mask, into a copy: scatter, index_copy, index_fill, masked_scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import expand
from gradcli.engine.checks.shapes import broadcast_shapes, broadcastable, dimension, mismatch
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.symbolic.notation import Notation, literal, number
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.language.tree import Argument, Call, Expression
from gradcli.ops.formulas import scattering as written
from gradcli.ops.indexing.gathering import (
    dim_second,
    gather,
    gathered,
    index_select,
)
from gradcli.ops.indexing.indexing import flat_positions
from gradcli.ops.indexing.places import check_places, vector_of
from gradcli.ops.indexing.sources import placing, scattering
from gradcli.ops.pointwise.selection import where
from gradcli.ops.reducing.reductions import total
from gradcli.ops.shaping.shaping import reshaped
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Indices, Operand, Places, Shape, as_tensor
from gradcli.ops.support.sentences import REPLACED
from gradcli.ops.support.surface import operation


def _scattered(x: Any, index: Any, src: Any, *, dim: int) -> Any:
    """Write entries at the indices; of several entries for one position the last is kept."""
    out = np.array(x, order="C")
    out.reshape(-1)[gathered(flat_positions(x.shape), index, dim=dim)] = src
    return out[()]


def _spread_out(x: Any, index: Any, source: Any, *, dim: int) -> Any:
    out = np.array(x)
    np.moveaxis(np.atleast_1d(out), dim, 0)[index] = np.moveaxis(source, dim, 0) if np.ndim(source) else source
    return out[()]


def _with_number(name: str) -> Notation:
    """Return the notation `scatter(x, 0, index, 5)`."""

    def write(operands: Sequence[Formula], options: dict[str, Any]) -> Expression:
        x, index = (operand.tree for operand in operands)
        return Call(name, tuple(map(Argument, (x, literal(options["dim"]), index, number(options["value"])))))

    return write


def _filling(name: str, forward: Any, node: str, index: Any) -> Primitive:
    filled: Primitive = primitive(
        f"{name}_number",
        lambda x, index, *, dim, value: forward(x, index, x.dtype.type(value), dim=dim),
        lambda g, out, x, index, *, dim, value: filled(g, index, dim=dim, value=0),
        node=node,
        structured=True,
        notation=_with_number(name),
        says="Entries that a number is written over get 0; the others get their gradient.",
        index=index,
    )
    return filled


scatter_number = _filling("scatter", _scattered, "ScatterBackward1", written.scattered_number)
fill_number = _filling("index_fill", _spread_out, "IndexFillBackward0", written.filled_number)
scatter = primitive(
    "scatter",
    _scattered,
    lambda g, out, x, index, src, *, dim: scatter_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, src, *, dim: gather(g, index, dim=dim),
    structured=True,
    notation=dim_second("scatter"),
    says=REPLACED,
    index=written.scattered,
)
index_copy = primitive(
    "index_copy",
    _spread_out,
    lambda g, out, x, index, src, *, dim: fill_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, src, *, dim: index_select(g, index, dim=dim),
    structured=True,
    notation=dim_second("index_copy"),
    says=REPLACED,
    index=written.copied,
)
fill_tensor = primitive(
    "index_fill_tensor",
    _spread_out,
    lambda g, out, x, index, value, *, dim: fill_number(g, index, dim=dim, value=0),
    None,
    lambda g, out, x, index, value, *, dim: total(index_select(g, index, dim=dim)),
    node="IndexFillBackward1",
    structured=True,
    notation=dim_second("index_fill"),
    says=REPLACED,
    index=written.filled,
)


def _in_order(x: Any, mask: Any, source: Any) -> Any:
    out = np.array(x, order="C")
    out[mask] = source.reshape(-1)[: np.count_nonzero(mask)]
    return out


def _unmasked(g: Array, mask: Places, *, shape: Shape) -> Any:
    """The gradient of `masked_scatter` by its source: the entries under the mask, in order."""
    out = np.zeros(shape, g.dtype)
    chosen = g[mask]
    out.reshape(-1)[: chosen.size] = chosen
    return out


masked_scatter: Primitive = primitive(
    "masked_scatter",
    _in_order,
    lambda g, out, x, mask, source: where(mask, 0, g),
    None,
    lambda g, out, x, mask, source: masked_scatter_backward(g, mask, shape=source.shape),
    structured=True,
    says=REPLACED,
    index=written.filled_in_order,
)
masked_scatter_backward: Primitive = primitive(
    "masked_scatter_backward",
    _unmasked,
    lambda g, out, h, mask, *, shape: masked_scatter(h * 0, mask, g),
    structured=True,
    says="Each entry that was written gets the gradient of the place it filled.",
    index=written.taken_in_order,
)
printed(masked_scatter_backward, "u = [1, 2, 3]; masked_scatter_backward(u, [True, False, True], shape=(2,))")


@operation(
    "x = [[1, 2, 3]]; y = [[4, 5]]; scatter(x, 1, [[2, 0]], y)",
    "x = [[1, 2], [3, 4]]; scatter(x, 0, [[1, 0]], 7)",
)
def scatter_(input: Tensor, dim: int, index: Indices, src: Operand = None, *, value: float | None = None) -> Any:
    """The input with entries of `src`, or one number, at the indices: `out[i][index[i][j]] = src[i][j]` for `dim=1`."""
    src = value if src is None else src
    if src is None:
        raise AutogradError("scatter() takes src or value", code="E203")
    axis, places = dimension(dim, input.ndim), placing(input, index)
    if not isinstance(src, Tensor):
        check_places("scatter", input, axis, places)
        return scatter_number(input, places, dim=axis, value=src)
    found = scattering(input, axis, places, src)
    if src.dtype != input.dtype:
        raise AutogradError("scatter(): Expected self.dtype to be equal to src.dtype")
    return scatter(input, places, found, dim=axis)


def _wrapped(index: Tensor, size: int) -> Tensor:
    """Replace negative indices, which count from the end, by positions from the front."""
    whole = index.dtype != np.bool_ and not is_floating(index.value)
    return Tensor(np.where(index.value < 0, index.value + size, index.value)) if whole else index


@operation("x = [[1, 2], [3, 4]]; y = [[5, 6]]; index_copy(x, 0, [1], y)")
def index_copy_(input: Tensor, dim: int, index: Indices, source: Tensor) -> Any:
    """The input with slices of `source` at the given indices of one dimension."""
    axis = dimension(dim, input.ndim)
    places = vector_of("index_copy", input, axis, index)
    if not input.ndim and source.value.size == 1:
        source = reshaped(source, ())
    if input.ndim == 1 and not source.ndim and places.value.size == 1:
        source = reshaped(source, (1,))
    expected = (*input.shape[:axis], places.value.size, *input.shape[axis + 1 :]) if input.ndim else ()
    if source.shape != expected:
        raise AutogradError(
            f"index_copy_(): Number of indices ({places.value.size}) should be equal to source.size(dim) "
            f"({source.shape[axis] if source.ndim > axis else 1})",
            code="E301",
        )
    if source.dtype != input.dtype:
        raise AutogradError("index_copy_(): self and source expected to have the same dtype")
    return index_copy(input, places, source, dim=axis)


@operation("x = [[1, 2], [3, 4]]; index_fill(x, 1, [0], 7)", "x = [[1, 2], [3, 4]]; v = 5; index_fill(x, 0, [1], v)")
def index_fill(input: Tensor, dim: int, index: Indices, value: Operand) -> Any:
    """The input with one number at the given indices of one dimension."""
    axis = dimension(dim, input.ndim)
    index = _wrapped(index, input.shape[axis] if input.ndim else 1)
    derived = isinstance(value, Tensor) and value.requires_grad
    places = index if not index.value.size and not derived else vector_of("index_fill", input, axis, index)
    if not isinstance(value, Tensor):
        return fill_number(input, places, dim=axis, value=value)
    if value.ndim:
        raise AutogradError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).",
            code="E301",
        )
    if places.ndim:
        places = Tensor(np.unique(places.value))  # an index that comes twice gets its number once
    return fill_tensor(input, places, value, dim=axis)


@operation("x = [1, -2, 3]; y = [4, 5, 6]; masked_scatter(x, [True, False, True], y)", numbers="never")
def masked_scatter_(input: Tensor, mask: Tensor, source: Operand) -> Any:
    """The input with the entries of `source`, in order, where the mask is True."""
    source = as_tensor(source)
    if mask.dtype != np.bool_:
        raise AutogradError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {TYPE_NAMES[mask.dtype]}"
        )
    if is_floating(source.value) and not is_floating(input.value):
        raise AutogradError("masked_scatter: expected self and source to have same dtypes")
    if not broadcastable([mask.value, input.value]):
        raise mismatch([mask.value, input.value])
    shape = broadcast_shapes(input.shape, mask.shape)
    if mask.shape != shape:
        mask = Tensor(np.broadcast_to(mask.value, shape))
    whole = input if input.shape == shape else expand(input, size=shape)
    if source.value.size < np.count_nonzero(mask.value):
        raise AutogradError("Number of elements of source < number of ones in mask")
    return masked_scatter(whole, mask, source)
