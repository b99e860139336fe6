"""Copies with one part of the tensor replaced: a slice, a range, a diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.recorder import with_origin
from gradcli.engine.symbolic.notation import Notation, positional
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.formulas import scattering as entries
from gradcli.ops.indexing.indexing import cut, narrowed, select, select_, slicing
from gradcli.ops.shaping.diagonals import diagonal, diagonal_
from gradcli.ops.support.sentences import REPLACED
from gradcli.ops.support.surface import operation


def replacing(name: str, view: Primitive, index: Any, notation: Notation | None = None) -> Primitive:
    """Declare the copy of a tensor in which the part that a view shows is replaced."""

    def forward(x: Any, source: Any, **options: Any) -> Any:
        whole = np.array(x)
        part = view.forward(whole, **options)
        part.flags.writeable = True
        part[...] = source
        return whole

    declared: Primitive = primitive(
        name,
        forward,
        lambda g, out, x, source, **options: declared(g, view(g, **options) * 0, **options),
        lambda g, out, x, source, **options: view(g, **options),
        structured=True,
        notation=notation,
        says=REPLACED,
        index=index,
    )
    return declared


diagonal_scatter = replacing("diagonal_scatter", diagonal, entries.with_diagonal)
select_scatter = replacing("select_scatter", select, entries.with_selected)
slice_scatter = replacing("slice_scatter", cut, entries.with_slice, positional("slice_scatter"))


def _same_shape(part: Any, source: Tensor) -> None:
    if part.shape != source.shape:
        raise AutogradError(
            f"expected src to have a size equal to the slice of self. src size = {list(source.shape)}, slice size = "
            f"{list(part.shape)}",
            code="E301",
        )


@operation("A = [[1, 2], [3, 4]]; y = [5, 6]; diagonal_scatter(A, y)")
def diagonal_scatter_(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """The matrix with another diagonal."""
    _same_shape(diagonal_(with_origin(input.detach(), input), offset, dim1, dim2), src)
    first, second = dimension(dim1, input.ndim), dimension(dim2, input.ndim)
    return diagonal_scatter(input, src, offset=offset, dim1=first, dim2=second)


@operation("A = [[1, 2], [3, 4]]; y = [5, 6]; select_scatter(A, y, 1, 0)")
def select_scatter_(input: Tensor, src: Tensor, dim: int, index: int) -> Any:
    """The tensor with another slice at one index of a dimension."""
    _same_shape(select_(with_origin(input.detach(), input), dim, index), src)
    axis = dimension(dim, input.ndim)
    return select_scatter(input, src, dim=axis, index=index % input.shape[axis])


@operation(
    "x = [1, 2, 3]; y = [5, 6]; slice_scatter(x, y, start=1)",
    "A = [[1, 2], [3, 4]]; y = [[5], [6]]; slice_scatter(A, y, 1, end=1)",
)
def slice_scatter_(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """The tensor with another range of a dimension."""
    axis = dimension(dim, input.ndim)
    if not input.ndim:
        raise AutogradError("slice() cannot be applied to a 0-dim tensor.", code="E301")
    if step < 1:
        raise AutogradError("slice step must be positive")
    first, last, _ = slice(start, end).indices(input.shape[axis])
    options = {"dim": axis, "start": first, "stop": max(first, last), "step": step}
    _same_shape(cut(with_origin(input.detach(), input), **options), src)
    return slice_scatter(input, src, **options)


slice_copy = slicing("narrow_copy", "NarrowCopyBackward0", view=False, copy=True)


@operation("narrow_copy([[1, 2, 3], [4, 5, 6]], 1, 1, 2)")
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:
    """A copy of `length` indices of one dimension, from `start` on."""
    if input.ndim and length < 0:
        size = input.shape[dimension(dim, input.ndim)]
        raise AutogradError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).", code="E301")
    return slice_copy(input, **narrowed(input, dim, start, length))
