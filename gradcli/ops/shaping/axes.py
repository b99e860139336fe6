"""The dimensions that a reduction removes, and that its gradient gets back, and the order of what it leaves."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import WRAPPER_ASSIGNMENTS, wraps
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension, dimensions
from gradcli.ops.shaping.shaping import reshape, unsqueeze
from gradcli.ops.support.arguments import Dims, Shape

Axes = int | tuple[int, ...] | None  # dimensions of a primitive, counted from the front; None or () for all


def wrapped(dim: Dims, ndim: int) -> Axes:
    """Return dimensions that users give, counted from the front."""
    if dim is None:
        return None
    return dimension(dim, ndim) if isinstance(dim, int) else dimensions(dim, ndim)


def axes(dim: Axes, ndim: int) -> tuple[int, ...]:
    """Return the dimensions as a tuple; a scalar has none."""
    if dim is None or dim == () or ndim == 0:
        return tuple(range(ndim))
    return (dim,) if isinstance(dim, int) else dim


def kept(shape: Shape, dim: Axes) -> Shape:
    """Return the shape with size 1 in the reduced dimensions."""
    reduced = axes(dim, len(shape))
    return tuple(1 if axis in reduced else size for axis, size in enumerate(shape))


def count(shape: Shape, dim: Axes) -> int:
    """Return the number of entries that go into one entry of the result."""
    return math.prod(shape[axis] for axis in axes(dim, len(shape)))


def aligned(x: Any, shape: Shape, dim: Axes, keepdim: bool = False) -> Any:
    """Reshape the result of a reduction so that it broadcasts over `shape`, the shape before the reduction."""
    reduced = axes(dim, len(shape))
    if keepdim or sorted(reduced) == list(range(len(reduced))):
        return x  # broadcasting adds dimensions in front by itself
    return unsqueeze(x, dim=reduced[0]) if len(reduced) == 1 else reshape(x, shape=kept(shape, dim))


def in_rows(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Return the reduction, whose results lie row by row, as torch's do; numpy's keep the order of the input."""

    @wraps(reduce, assigned=(*WRAPPER_ASSIGNMENTS, "__kwdefaults__"))  # which say what a formula leaves out
    def call(*inputs: Any, **options: Any) -> Any:
        found = reduce(*inputs, **options)
        if not isinstance(found, np.ndarray) or lies_in_rows(found):
            return found
        return found.copy("C")

    return call


def lies_in_rows(x: Any) -> bool:
    """Tell whether an array lies row by row, dimensions of one entry included, whose steps numpy leaves open."""
    step = x.itemsize
    for length, stride in zip(x.shape[::-1], x.strides[::-1], strict=True):
        if stride != step:
            return False
        step *= max(length, 1)
    return True
