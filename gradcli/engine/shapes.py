"""Shapes, and what torch says when they do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from gradcli.errors import AutogradError


def dimension(dim: int, ndim: int) -> int:
    """A dimension counted from the front; a scalar has one for this purpose, as in torch."""
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise AutogradError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})"
        )
    return dim % count


def dimensions(dims: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Several dimensions, each named once."""
    wrapped = tuple(dimension(dim, ndim) for dim in dims)
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise AutogradError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def mismatch(a: tuple[int, ...], b: tuple[int, ...]) -> AutogradError | None:
    """Why two shapes do not broadcast; None if they do. torch names the last dimension that differs."""
    ndim = max(len(a), len(b))
    for back, (m, n) in enumerate(zip_longest(reversed(a), reversed(b), fillvalue=1), start=1):
        if m != n and 1 not in (m, n):
            return AutogradError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) "
                f"at non-singleton dimension {ndim - back}",
                code="E301",
            )
    return None
