"""The arithmetic of pooling and its adjoints over arrays.

The entries that max-pooling takes are found again from its input where needed: of equal entries the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.ops.windows import windows
from gradcli.ops.windows.windows import Sizes


class Pool:
    """The windows over an input whose last dimensions are `spatial`."""

    def __init__(
        self,
        spatial: Sizes,
        kernel_size: Sizes,
        stride: Sizes,
        padding: Sizes,
        dilation: Sizes = (),
        ceil_mode: bool = False,
    ) -> None:
        dilation = dilation or (1,) * len(kernel_size)
        self.spatial, self.kernel, self.stride, self.dilation = spatial, kernel_size, stride, dilation
        self.places = windows.number_of_places(spatial, kernel_size, stride, padding, dilation, ceil_mode)
        self.before = padding
        self.behind = windows.reach_behind(spatial, kernel_size, stride, padding, dilation, self.places)

    def views(self, x: Any) -> Iterator[Any]:
        """Return a view for each offset in the kernel: the entries of the padded `x` there in all windows."""
        return (view for _, view in windows.views(x, self.kernel, self.stride, self.dilation, self.places))

    def padded(self, x: Any, fill: float) -> Any:
        return windows.padded(x, self.before, self.behind, fill)

    def zeros(self, lead: Sizes, dtype: Any) -> Any:
        sizes = (b + n + a for b, n, a in zip(self.before, self.spatial, self.behind, strict=True))
        return np.zeros((*lead, *sizes), dtype)

    def inside(self, x: Any) -> Any:
        return np.ascontiguousarray(windows.inside(x, self.before, self.spatial))

    def overlap(self, border: Sizes) -> Any:
        """Count the entries of each window that lie on the input or on this much border."""
        sides = []
        for count, s, p, k, n, b in zip(
            self.places, self.stride, self.before, self.kernel, self.spatial, border, strict=True
        ):
            start = np.arange(count) * s - p
            sides.append(np.minimum(start + k, n + b) - np.maximum(start, -b))
        return math.prod(np.ix_(*sides), start=np.array(1))


def largest(x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    first, *others = pool.views(pool.padded(x, -np.inf))
    out = first.copy()
    for view in others:
        np.maximum(out, view, out=out)
    return out


def _chosen(x: Any, pool: Pool) -> Any:
    """Return the kernel offset of each window's largest entry: of equal entries the first, of nans the last.

    Offsets are visited in order, so that a better one has a larger number, and `maximum` records it much faster than
    a mask would.
    """
    numbers = np.min_scalar_type(windows.count(pool.kernel))
    real = pool.padded(np.ones((1, *pool.spatial), bool), False)
    first_real = np.argmax(np.stack(list(pool.views(real))), axis=0)
    shape = (*x.shape[: -len(pool.kernel)], *pool.places)
    chosen = np.broadcast_to(first_real, shape).astype(numbers)
    best = np.full(shape, -np.inf, x.dtype)
    for number, view in enumerate(pool.views(pool.padded(x, -np.inf))):
        better = (view > best) | (view != view)
        np.maximum(chosen, better * numbers.type(number), out=chosen)
        np.maximum(best, view, out=best)
    return chosen


def positions(x: Any, **o: Any) -> Any:
    """Return the flat positions of the entries that max-pooling takes, in their row, image or volume."""
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    flat = np.arange(windows.count(pool.spatial)).reshape(pool.spatial)
    places = np.stack(list(pool.views(pool.padded(flat, 0))))
    chosen = _chosen(x, pool)
    grid = np.indices(chosen.shape[-len(pool.places) :])
    found = places[(chosen.astype(np.intp), *(np.broadcast_to(axis, chosen.shape) for axis in grid))]
    return np.ascontiguousarray(found)


def _where(mask: Any, x: Any, finite: Any) -> Any:
    """Return `where(mask, x, 0)`; as a product, which is much faster, where all entries are finite."""
    return x * mask if finite else np.where(mask, x, 0)


def spread(g: Any, x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    chosen, finite = _chosen(x, pool), np.isfinite(g).all()
    out = pool.zeros(x.shape[: -len(pool.kernel)], g.dtype)
    for number, view in enumerate(pool.views(out)):
        view += _where(chosen == number, g, finite)
    return pool.inside(out)


def pick(h: Any, x: Any, **o: Any) -> Any:
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    chosen, finite = _chosen(x, pool), np.isfinite(h).all()
    out = np.zeros(chosen.shape, h.dtype)
    for number, view in enumerate(pool.views(pool.padded(h, 0))):
        out += _where(chosen == number, view, finite)
    return out


def ties(x: Any, **o: Any) -> Any:
    """Return a mask of the entries that tie for the largest of a window."""
    pool = Pool(x.shape[-len(o["kernel_size"]) :], **o)
    best, border = largest(x, **o), pool.padded(x, np.nan)
    tied = sum(view == best for view in pool.views(border)) > 1
    out = pool.zeros(x.shape[: -len(pool.kernel)], bool)
    for view, entries in zip(pool.views(out), pool.views(border), strict=True):
        view |= tied & (entries == best)
    return pool.inside(out)


def _divisor(pool: Pool, padding: Sizes, count_include_pad: bool, divisor_override: int | None) -> Any:
    if divisor_override is not None:
        return divisor_override
    counts = pool.overlap(padding if count_include_pad else (0,) * len(padding))
    least = int(counts.min())
    return least if least == counts.max() else counts


def divisor(
    x: Any, *, padding: Sizes, count_include_pad: bool = True, divisor_override: int | None = None, **o: Any
) -> Any:
    """Return the number by which the sum of a window is divided, or one for each window."""
    pool = Pool(np.shape(x)[-len(padding) :], padding=padding, **o)
    return _divisor(pool, padding, count_include_pad, divisor_override)


def mean(
    x: Any, *, padding: Sizes, count_include_pad: bool = True, divisor_override: int | None = None, **o: Any
) -> Any:
    pool = Pool(x.shape[-len(padding) :], padding=padding, **o)
    first, *others = pool.views(pool.padded(x, 0))
    out = first.copy()
    for view in others:
        out += view
    return (out / _divisor(pool, padding, count_include_pad, divisor_override)).astype(x.dtype, copy=False)


def spread_mean(
    g: Any,
    *,
    size: Sizes,
    padding: Sizes,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    **o: Any,
) -> Any:
    pool = Pool(size[-len(padding) :], padding=padding, **o)
    share = (g / _divisor(pool, padding, count_include_pad, divisor_override)).astype(g.dtype, copy=False)
    out = pool.zeros(size[: -len(padding)], g.dtype)
    for view in pool.views(out):
        view += share
    return pool.inside(out)
