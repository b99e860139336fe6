"""numpy's functions of positions: parts of arrays, grids, places of entries, rows and columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.script.numpy.values import asarray, fit_together, fits, shape_of, value
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


def unravel_index(indices: Any, shape: Any) -> Any:
    """The coordinates of places in the flattened array."""
    return np.unravel_index(value(indices), shape_of(shape))


def broadcast_arrays(*arrays: Any) -> Any:
    """Views of one shape."""
    values = [value(one) for one in arrays]
    fit_together(*values)
    return tuple(np.broadcast_arrays(*values))


POSITIONS: dict[str, Any] = {
    function.__name__: function
    for function in (
        unravel_index, broadcast_arrays, meshgrid, append, pad,
    )
}  # fmt: skip
POSITIONS |= listed(np, "r_ c_ mgrid ogrid", Grids)
