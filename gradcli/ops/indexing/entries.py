"""Entries at given places of the last dimensions, on which padding, resizing and unfolding are built.

`entries` reads and `entries_backward` adds; each is the other's adjoint. A place is a flat position over the last
dimensions; the entry at place -1 is 0.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.symbolic.indices import ELSEWHERE
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.indexing.indexing import scattered
from gradcli.ops.support.arguments import Indices, Shape, check_size
from gradcli.ops.support.sentences import PICKED, PLACED
from gradcli.ops.support.surface import operation
from gradcli.ops.windows.windows import count


def _taken(x: Any, places: Any, *, dims: int) -> Any:
    lead = x.shape[: x.ndim - dims]
    flat = x.reshape(*lead, count(x.shape[x.ndim - dims :]))
    if (places < 0).any():
        flat = np.concatenate([flat, np.zeros((*lead, 1), x.dtype)], axis=-1)
    return np.take(flat, places, axis=-1)


def _added(g: Any, places: Any, *, shape: Shape, dims: int) -> Any:
    lead, size = shape[: len(shape) - dims], count(shape[len(shape) - dims :])
    rows = np.arange(count(lead)).reshape((*lead, *[1] * places.ndim))
    cells = np.where(places < 0, size, places) + rows * (size + 1)
    sums = scattered(g, cells, (count(lead), size + 1))
    return np.ascontiguousarray(sums[:, :size]).reshape(shape)


entries: Primitive = primitive(
    "entries",
    _taken,
    lambda g, out, x, places, *, dims: entries_backward(g, places, shape=x.shape, dims=dims),
    structured=True,
    says=PICKED,
    index=ELSEWHERE,
)
entries_backward: Primitive = primitive(
    "entries_backward",
    _added,
    lambda g, out, h, places, *, shape, dims: entries(g, places, dims=dims),
    structured=True,
    says=PLACED,
    traits=("adjoint",),
)


@cache
def named(taking: Primitive, node: str, **facts: Any) -> Primitive:
    """Return the primitive under the node name that torch gives to one of its uses."""
    return replace(taking, node=node, **facts)


@cache
def _reading(node: str, saves: tuple[int, ...] | None) -> Primitive:
    return replace(entries, node=node, saves=saves)


def taken(x: Tensor, places: Any, dims: int, node: str, saves: tuple[int, ...] | None = None) -> Any:
    """Return the entries at an array of places, recorded as a node of the given name; torch saves no places."""
    check_size((*x.shape[: x.ndim - dims], *places.shape))
    return _reading(node, saves)(x, Tensor(places), dims=dims)


def added(x: Tensor, places: Any, shape: Shape, dims: int, node: str) -> Any:
    """Add entries to zeros at an array of places, recorded as a node of the given name."""
    check_size(shape)
    return named(entries_backward, node, saves=None)(x, Tensor(places), shape=shape, dims=dims)


def _check(places: Tensor, shape: Shape, dims: int) -> None:
    if not 0 <= dims <= len(shape):
        raise ShapeError(f"there are {len(shape)} dimensions, not {dims}")
    size = count(shape[len(shape) - dims :])
    if places.value.size and not -1 <= places.value.min() <= places.value.max() < size:
        raise ShapeError(f"places must be between -1 and {size - 1}")


@operation(
    "x = [[1, 2], [3, 4]]; entries(x, [[3, -1, 0]], 2)", "x = [[1, 2], [3, 4]]; entries(x, [1, 1], 1)", method=False
)
def apply_entries(input: Tensor, places: Indices, dims: int) -> Any:
    """The entries at flat places of the last dimensions; -1 gives 0."""
    _check(places, input.shape, dims)
    check_size((*input.shape[: input.ndim - dims], *places.shape))
    return entries(input, places, dims=dims)


@operation("u = [1, 2, 3]; entries_backward(u, [3, -1, 3], (2, 2), 2)", method=False)
def apply_entries_backward(grad_output: Tensor, places: Indices, shape: Shape, dims: int) -> Any:
    """The gradient of `entries`: each entry of the upstream gradient is added to the place it was taken from."""
    _check(places, shape, dims)
    check_size(shape)
    expected = (*shape[: len(shape) - dims], *places.shape)
    ShapeError.when(
        grad_output.shape != expected,
        f"Expected grad_output to have shape {list(expected)}, but got {list(grad_output.shape)}",
    )
    return entries_backward(grad_output, places, shape=shape, dims=dims)
