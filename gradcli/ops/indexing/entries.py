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
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.indexing import cut, scattered
from gradcli.ops.shaping.shaping import reshaped
from gradcli.ops.support.arguments import Indices, Shape, check_size
from gradcli.ops.support.surface import PICKED, PLACED, operation
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
    for axis, (own, size) in enumerate(zip(x.shape, index.shape, strict=False)):
        ShapeError.when(
            axis != dim and size > own,
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
    """Return the one index of a tensor without dimensions, without dimensions itself."""
    if index.value.size != 1:
        raise AutogradError(f"{name}(): Index to scalar can have only 1 value, got {index.value.size} value(s)")
    return Tensor(index.value.reshape(()))


def placing(x: Tensor, index: Tensor) -> Tensor:
    """Return the index; one without entries has the dimensions of what is written to, whatever it had."""
    return index if index.value.size else Tensor(np.zeros((0,) * max(x.ndim, 1), np.int64))


def scattering(x: Tensor, axis: int, index: Tensor, src: Any) -> Any:
    """Return the entries of `src` that go to the places of the index, after torch's checks; a scalar is a vector."""
    if not max(index.ndim, 1) == max(src.ndim, 1) == max(x.ndim, 1):
        other = "src" if max(index.ndim, 1) == max(x.ndim, 1) else "self"
        raise ShapeError(f"Index tensor must have the same number of dimensions as {other} tensor")
    wanted, given = index.shape or (1,), src.shape or (1,)
    fits = 0 in wanted or all(m <= n for m, n in zip(wanted, given, strict=True))
    beside = all(m <= n for at, (m, n) in enumerate(zip(index.shape, x.shape, strict=False)) if at != axis)
    ShapeError.when(
        not (fits and beside),
        f"Expected index {list(index.shape)} to be no larger than self {list(x.shape)} apart from dimension "
        f"{axis} and to be no larger size than src {list(src.shape)}",
    )
    check_places("scatter", x, axis, index)
    found = src if src.ndim or not index.ndim else reshaped(src, (1,))
    for dim, (size, length) in enumerate(zip(wanted, given, strict=True)):
        if size < length:
            found = cut(found, dim=dim, start=0, stop=size)
    return found if found.shape == index.shape else reshaped(found, index.shape)


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
