"""numpy's functions of positions: parts of arrays, grids, places of entries, rows and columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.script.machine import running
from gradcli.script.numpy.values import asarray, dtype_of, fit_together, fits, shape_of, value
from gradcli.script.python.members.tables import listed
from gradcli.script.python.values.attributes import Facade

Function = Callable[..., Any]


class Grids(Facade):
    """`np.mgrid`, `np.r_` and the like, made in brackets."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __getitem__(self, key: Any) -> Any:
        parts = key if isinstance(key, tuple) else (key,)
        sizes = [_length(part) for part in parts]
        fits(max(math.prod(sizes), sum(sizes)) * len(parts))
        return self._made[tuple(part if isinstance(part, slice | str) else value(part) for part in parts)]


def _length(part: Any) -> int:
    """Return how many entries a part of a grid has."""
    if isinstance(part, str):
        return 0
    if not isinstance(part, slice):
        return int(np.size(value(part)))
    start, stop, step = part.start or 0, part.stop, 1 if part.step is None else part.step
    if isinstance(step, complex):
        return int(abs(step))
    return max(math.ceil((stop - start) / step), 1) if step else 1


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """An array without some of its entries, rows or columns."""
    return np.delete(value(arr), obj if isinstance(obj, slice) else value(obj), axis)


def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """An array with more entries, rows or columns."""
    fits(np.size(value(arr)) * (1 + np.size(value(obj))) + np.size(value(values)))
    return np.insert(value(arr), obj if isinstance(obj, slice) else value(obj), value(values), axis)


def meshgrid(*axes: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """The coordinates of a grid."""
    values = [value(axis) for axis in axes]
    fits(math.prod(map(np.size, values)) * len(values))
    return tuple(np.meshgrid(*values, indexing=indexing))  # type: ignore[call-overload]


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """One array after the other."""
    fits(np.size(value(arr)) + np.size(value(values)))
    return np.append(value(arr), value(values), axis)


def pad(a: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """An array with a margin."""
    entries, width = asarray(a), value(pad_width)
    fits(math.prod(size + 2 * int(np.max(width, initial=0)) for size in entries.shape))
    options = {"constant_values": value(constant_values)} if mode == "constant" else {}
    return np.pad(entries, width, mode, **options)  # type: ignore[call-overload]


def ix_(*rows: Any) -> Any:
    """Return indices that select the crossings of rows and columns."""
    return np.ix_(*map(value, rows))


def indices(dimensions: Any, dtype: Any = int) -> Any:
    """The coordinates of every entry of an array of this shape."""
    shape = shape_of(dimensions)
    fits(math.prod(shape) * len(shape))
    return np.indices(shape, np.dtype(np.int64) if dtype is int else dtype_of(dtype))


def unravel_index(indices: Any, shape: Any) -> Any:
    """The coordinates of places in the flattened array."""
    return np.unravel_index(value(indices), shape_of(shape))


def ravel_multi_index(multi_index: Any, dims: Any) -> Any:
    """The places in the flattened array of coordinates."""
    return np.ravel_multi_index(tuple(map(value, multi_index)), shape_of(dims))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to."""
    return np.broadcast_shapes(*map(shape_of, shapes))


def broadcast_arrays(*arrays: Any) -> Any:
    """Views of one shape."""
    values = [value(one) for one in arrays]
    fit_together(*values)
    return tuple(np.broadcast_arrays(*values))


def ndenumerate(arr: Any) -> Iterator[Any]:
    """Every entry with its coordinates."""
    for place, entry in np.ndenumerate(value(arr)):
        running.machine.budget.spend(1)
        yield place, entry


def ndindex(*shape: Any) -> Iterator[Any]:
    """The coordinates of every entry."""
    for place in np.ndindex(*shape_of(shape[0] if len(shape) == 1 else shape)):
        running.machine.budget.spend(1)
        yield place


def fromfunction(function: Function, shape: Any, *, dtype: Any = float) -> Any:
    """Call a function with the coordinates of every entry."""
    return function(*indices(shape, np.dtype(np.float64) if dtype is float else dtype))


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:
    """Make an array of the items of an iterable."""
    found = []
    for item in iter:
        running.machine.budget.spend(1)
        found.append(item)
        if len(found) == count:
            break
    return asarray(found, dtype)


def lexsort(keys: Any) -> Any:
    """Return the order by the last key, then by the one before it, and so on."""
    return np.lexsort([value(key) for key in keys])


def apply_along_axis(func1d: Function, axis: int, arr: Any) -> Any:
    """Apply a function to every row along an axis."""
    rows = np.moveaxis(value(arr), axis, -1)
    found = [value(func1d(row)) for row in rows.reshape(-1, rows.shape[-1])]
    running.machine.budget.spend(len(found))
    fits(sum(map(np.size, found)))
    made = np.array(found).reshape(*rows.shape[:-1], *np.shape(found[0]))
    return np.moveaxis(made, -1, axis) if np.ndim(found[0]) else made


def vectorize(pyfunc: Function) -> Function:
    """Wrap a function to be called entry by entry."""

    def call(*arrays: Any) -> Any:
        spread = broadcast_arrays(*arrays)
        found = []
        for entries in zip(*(one.ravel() for one in spread), strict=True):
            running.machine.budget.spend(1)
            found.append(pyfunc(*entries))
        return asarray(found).reshape(spread[0].shape)[()]

    return call


POSITIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        delete, insert, ix_, indices, unravel_index, ravel_multi_index, broadcast_shapes, broadcast_arrays, ndenumerate,
        ndindex, fromfunction, fromiter, lexsort, apply_along_axis, vectorize, meshgrid, append, pad,
    )
}  # fmt: skip
POSITIONS |= listed(np, "r_ c_ mgrid ogrid", Grids)
