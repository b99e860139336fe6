"""Shapes, and torch's errors where they do not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.errors import AutogradError, EvaluationError, ShapeError


def dimension(dim: int, ndim: int) -> int:
    """Count a dimension from the front; a scalar has one for this purpose, as in torch."""
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise AutogradError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})"
        )
    return dim.real if dim >= 0 else dim.real + count


def extent(shape: tuple[int, ...], dim: int) -> int:
    """Return the size along a dimension; AutogradError for a scalar, which has none."""
    check_extents(shape, dim)
    return shape[dimension(dim, len(shape))]


def check_extents(shape: tuple[int, ...], dim: int) -> None:
    """Refuse a scalar where a dimension of it is asked for."""
    ShapeError.when(not shape, f"Dimension specified as {dim} but tensor has no dimensions")


def dimensions(dims: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Count dimensions from the front; AutogradError where one is named twice."""
    wrapped = tuple(dimension(dim, ndim) for dim in dims)
    for dim in wrapped:
        AutogradError.when(wrapped.count(dim) > 1, f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that shapes broadcast to; ValueError where they do not. numpy's own stops at 32 dimensions."""
    sizes = []
    for lengths in zip_longest(*map(reversed, shapes), fillvalue=1):
        others = {*lengths} - {1}
        if len(others) > 1:
            raise ValueError(shapes)
        sizes.append(others.pop() if others else 1)
    return tuple(reversed(sizes))


def broadcastable(values: Sequence[Any]) -> bool:
    try:
        broadcast_shapes(*map(np.shape, values))
    except ValueError:
        return False
    return True


def check_together(*values: Any) -> None:
    """Refuse values that do not broadcast."""
    if not broadcastable(values):
        raise mismatch(values)


def mismatch(values: Sequence[Any]) -> AutogradError:
    """Return the error for values that do not broadcast: torch names the last dimension that differs."""
    a: tuple[int, ...] = ()
    batches = mode.transforms.count("vmap")  # whose dimensions come first in torch
    for value in values:
        b = np.shape(value)
        ndim = max(len(a), len(b))
        for back, (m, n) in enumerate(zip_longest(reversed(a), reversed(b), fillvalue=1), start=1):
            if m != n and 1 not in (m, n):
                return ShapeError(
                    f"The size of tensor a ({m}) must match the size of tensor b ({n}) "
                    f"at non-singleton dimension {ndim - back + batches}",
                    help="shapes go together where, counted from the right, the sizes are equal or one of them is 1",
                )
        a = broadcast_shapes(a, b)
    raise AssertionError("these values broadcast")


def check_size(shape: tuple[int, ...]) -> None:
    """Refuse a result of absurd size before memory is taken; a dimension of 0 excuses no other."""
    if (size := math.prod(length or 1 for length in shape)) > mode.largest:
        raise too_large(f"a result of shape {shape} has {size:,} entries")


def check_broadcast(values: Sequence[Any]) -> None:
    """Refuse arrays that broadcast to absurd size; others that do not broadcast are left to their operation."""
    most = 1
    for value in values:
        if type(value) is np.ndarray:
            most *= value.size
    if most > mode.largest:
        shapes = [np.shape(value) for value in values]
        if any(shape != shapes[0] for shape in shapes):
            try:
                shape = broadcast_shapes(*shapes)
            except ValueError:
                return
            check_size(shape)


def too_large(what: str) -> EvaluationError:
    return EvaluationError(
        "E210",
        f"{what}, and {mode.largest:,} are the limit",
        label="too large",
        help="try it at a smaller size: the rules stay the same",
    )


# Stacks: values of many points, which have one more dimension in front.


def behind(dim: Any, ndim: int) -> Any:
    """Return dimensions of a point as they are in a stack; all of them for None, which only a reduction has."""
    if dim is None or dim == ():
        return tuple(range(1, ndim + 1))
    return dim + (dim >= 0) if isinstance(dim, int) else tuple(behind(each, ndim) for each in dim)


def in_front(shape: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Return a shape with so many dimensions, those of size 1 in front."""
    return (1,) * (ndim - len(shape)) + shape
