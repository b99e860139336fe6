"""Sliding windows over the last dimensions of an array, for convolution and pooling.

A loop goes over the offsets in a window, not over the windows: `views` gives for each offset the entries that all
windows have there, as one strided view, so that Python loops over the few entries of a kernel and numpy does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.errors import AutogradError, EvaluationError

Sizes = tuple[int, ...]  # one number for each spatial dimension
MOST_OFFSETS = 2**18  # entries of a window, over which Python loops


def views(x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes, places: Sizes) -> Iterator[tuple[Sizes, Any]]:
    """Yield each offset in the kernel, and a view of the entries of `x` at that offset of every window."""
    if count(kernel) > MOST_OFFSETS:
        raise EvaluationError(
            "E210",
            f"a window of {listed(kernel)} has {count(kernel):,} entries, and {MOST_OFFSETS:,} are the limit",
            label="too large",
            help="try it at a smaller size: the rules stay the same",
        )
    for offset in np.ndindex(*kernel):
        starts = (d * o for d, o in zip(dilation, offset, strict=True))
        cuts = tuple(
            slice(start, start + s * (n - 1) + 1, s) for start, s, n in zip(starts, stride, places, strict=True)
        )
        yield offset, x[(..., *cuts)]


def padded(x: Any, before: Sizes, after: Sizes, fill: float = 0) -> Any:
    """Put a border around the last dimensions of `x`."""
    if not any(before) and not any(after):
        return x
    spatial = x.shape[-len(before) :]
    sizes = (b + n + a for b, n, a in zip(before, spatial, after, strict=True))
    out = np.full((*x.shape[: -len(before)], *sizes), fill, x.dtype)
    inside(out, before, spatial)[...] = x
    return out


def inside(x: Any, before: Sizes, spatial: Sizes) -> Any:
    """Return a view of the part inside the border of `padded`."""
    return x[(..., *(slice(b, b + n) for b, n in zip(before, spatial, strict=True)))]


def extent(kernel: Sizes, dilation: Sizes) -> Sizes:
    """Return the number of entries that a dilated kernel spans."""
    return tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))


def number_of_places(
    spatial: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool = False
) -> Sizes:
    """Count the windows that fit; with `ceil_mode` one more may overhang if it starts before the far border."""
    counts = []
    for n, reach, s, p in zip(spatial, extent(kernel, dilation), stride, padding, strict=True):
        count = (n + 2 * p - reach) // s + 1
        if ceil_mode and (n + 2 * p - reach) % s and count * s < n + p:
            count += 1
        counts.append(count)
    return tuple(counts)


def reach_behind(spatial: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, places: Sizes) -> Sizes:
    """Return the width of the far border that all windows need: more than `padding` where one overhangs."""
    return tuple(
        max(p, (m - 1) * s + reach - n - p)
        for n, reach, s, p, m in zip(spatial, extent(kernel, dilation), stride, padding, places, strict=True)
    )


def each(value: int | Sizes, count: int, message: str) -> Sizes:
    """Return a number for every spatial dimension, given one for all or one for each."""
    sizes = (value,) if isinstance(value, int) else tuple(value)
    AutogradError.when(len(sizes) not in (1, count), message)
    return sizes * count if len(sizes) == 1 else sizes


def short(sizes: Sizes) -> int | Sizes:
    """Return one number where all sizes are equal, as users write it."""
    return sizes[0] if len(set(sizes)) == 1 else sizes


def listed(sizes: Sizes) -> str:
    """List sizes as torch's error messages do: `1 x 2`."""
    return " x ".join(map(str, sizes))


def count(sizes: Sizes) -> int:
    return math.prod(sizes)
