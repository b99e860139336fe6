"""numpy's sums of products, statistics of pairs, polynomials, margins, and places of entries."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import is_finite
from gradcli.script.numpy.functions import option
from gradcli.script.numpy.values import asarray, fits, shape_of, value
from gradcli.script.python.members.tables import listed
from gradcli.script.python.values.attributes import Facade

Function = Callable[..., Any]
PAIRS = "isin convolve correlate cov corrcoef"
MEASURED = ("convolve", "correlate", "cov", "corrcoef")  # functions whose work or size is a product


def einsum(subscripts: str, *operands: Any) -> Any:
    """Products summed over the axes that the subscripts do not keep."""
    values = [value(operand) for operand in operands]
    sizes: dict[str, int] = {}
    for letters, one in zip(subscripts.partition("->")[0].replace(" ", "").split(","), values, strict=False):
        named = letters.replace("...", "")
        sizes |= dict(zip(named, np.shape(one)[-len(named) :] if named else (), strict=False))
        if "..." in letters:
            sizes["..."] = max(sizes.get("...", 1), math.prod(np.shape(one)[: np.ndim(one) - len(named)]))
    fits(math.prod(sizes.values()) // 2**6)
    kept = subscripts.rpartition("->")[2]
    fits(math.prod(size for name, size in sizes.items() if name in kept))
    return np.einsum(subscripts, *values)


def pairs(name: str) -> Function:
    """Wrap a function of one or two arrays."""
    function = getattr(np, name)

    def call(*arrays: Any, **options: Any) -> Any:
        values: list[Any] = [x if isinstance(x, str | bool) or x is None else value(x) for x in arrays]
        if name in MEASURED:
            sizes = [np.size(x) for x in values if not isinstance(x, str | bool)]
            fits(math.prod(max(size, 1) for size in sizes) // 2**6)
            fits((np.shape(values[0]) or (1,))[0] ** 2 if np.ndim(values[0]) > 1 else 0)
        return function(*values, **{key: option(x) for key, x in options.items()})

    return call


def polyfit(x: Any, y: Any, deg: int) -> Any:
    """The polynomial nearest to points."""
    points = value(x), value(y)
    fits(np.size(points[0]) * (deg + 1))
    if not is_finite(*points):
        raise np.linalg.LinAlgError("SVD did not converge in Linear Least Squares")
    return np.polyfit(*points, deg)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count how often each whole number occurs."""
    numbers = asarray(x)
    fits(max(int(numbers.max(initial=0)), minlength))
    return np.bincount(numbers, None if weights is None else value(weights), minlength)


class Grids(Facade):
    """`np.r_` and `np.c_`, made in brackets."""

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
    return max(math.ceil((stop - start) / step), 1) if step else 1


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


ALGEBRA: dict[str, Any] = {
    **{name: pairs(name) for name in PAIRS.split()},
    **{function.__name__: function for function in (einsum, polyfit, bincount, append, pad, unravel_index)},
    **listed(np, "r_ c_", Grids),
}
