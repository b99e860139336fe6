"""New arrays: of one number, in a row, on a diagonal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.numpy.values import Array, array, dtype_of, fits, shape_of, value

DOUBLE = np.dtype(np.float64)


def filled(make: Callable[..., Array]) -> Callable[..., Array]:
    """`np.zeros` and `np.ones`."""
    return lambda shape, dtype=None: make(shape_of(shape), DOUBLE if dtype is None else dtype_of(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Array:
    """An array of one number."""
    return np.full(shape_of(shape), value(fill_value), dtype_of(dtype))


def like(make: Callable[..., Any]) -> Callable[..., Any]:
    """`np.zeros_like(a)`: the shape and the dtype of another array."""
    return lambda a, *fill, dtype=None: make(value(a), *map(value, fill), dtype=dtype_of(dtype))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """Numbers in equal steps, without the end."""
    first, last = (0, start) if stop is None else (start, stop)
    bounds = [number(x) for x in (first, last, step)]
    if bounds[2]:
        fits(max(math.ceil((bounds[1] - bounds[0]) / bounds[2]), 0))
    return np.arange(*bounds, dtype=dtype_of(dtype))


def row(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `np.linspace` or the like: so many numbers from one to another."""

    def call(start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, **options: Any) -> Any:
        first, last = value(start), value(stop)
        fits(num * max(np.size(first), np.size(last)))
        plain = {name: options[name] for name in ("retstep", "base") if name in options}
        return make(first, last, num, endpoint=endpoint, dtype=dtype_of(dtype), **plain)

    return call


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Array:
    """Ones on a diagonal."""
    fits(N * (N if M is None else M))
    return np.eye(N, M, k, DOUBLE if dtype is None else dtype_of(dtype))


def tri(N: int, M: int | None = None, k: int = 0) -> Array:
    """Ones on and below a diagonal."""
    fits(N * (N if M is None else M))
    return np.tri(N, M, k)


def number(x: Any) -> Any:
    """Return a plain number, of a tensor too."""
    if isinstance(x, Tensor):
        return x.item()
    return x if isinstance(x, int | float | np.generic) else array(x)[()]


CREATION: dict[str, Callable[..., Any]] = {
    "zeros": filled(np.zeros),
    "ones": filled(np.ones),
    "empty": filled(np.zeros),
    "full": full,
    "zeros_like": like(np.zeros_like),
    "ones_like": like(np.ones_like),
    "empty_like": like(np.zeros_like),
    "full_like": like(np.full_like),
    "arange": arange,
    "linspace": row(np.linspace),
    "logspace": row(np.logspace),
    "geomspace": row(np.geomspace),
    "eye": eye,
    "identity": lambda n, dtype=None: eye(n, dtype=dtype),
    "tri": tri,
}
