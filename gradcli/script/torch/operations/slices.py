"""Demands of torch on indices of whole slices and on the slices that go there, in its words and in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops

INTEGERS = (np.dtype(np.int64), np.dtype(np.int32))


@contextmanager
def out_of_bounds() -> Iterator[None]:
    """Raise RuntimeError for an index out of bounds, where indexing raises an IndexError."""
    try:
        yield
    except AutogradError as error:
        if "out of bounds" in error.message:
            raise RuntimeError(error.message) from None
        raise


def named(x: Tensor) -> str:
    return TYPE_NAMES[x.dtype]


def others(x: Tensor, axis: int) -> list[int]:
    """Return the sizes of the other dimensions."""
    return [size for at, size in enumerate(x.shape) if at != axis]


def check_slices(name: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> None:
    """Raise torch's error if the source is none for the slices at the indices."""
    axis = dimension(dim, input.ndim)
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with type: {named(index)} and "
            f"size: {list(index.shape)}"
        )
    if index.dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {named(index)}")
    if input.dtype != source.dtype:
        raise RuntimeError(
            f"{name}(): self ({named(input)}) and source ({named(source)}) must have the same scalar type"
        )
    count = source.shape[axis] if axis < source.ndim else 1
    if index.value.size != count:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.value.size}) should be equal to source.size(dim): ({count}), "
            f"for dim: {axis}"
        )
    is_slice = source.ndim == input.ndim and others(source, axis) == others(input, axis)
    if not (is_slice if input.ndim else source.value.size == 1):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(input.shape)} source.shape = {list(source.shape)}"
        )


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    check_slices("index_add_", input, dim, index, source)
    with out_of_bounds():
        return ops.index_add(input, dim, index, source, alpha=alpha if input.dtype.kind in "fb" else int(alpha))


def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    if index.dtype not in INTEGERS and index.ndim < 2:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    return ops.index_select(input, dim, index)


SLICES: dict[str, Callable[..., Any]] = {function.__name__: function for function in (index_add, index_select)}
