"""Checks of tensors of indices and of what is scattered to them: types, shapes, and that they are in bounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.indexing import cut
from gradcli.ops.shaping.shaping import reshaped


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
