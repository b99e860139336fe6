"""The arithmetic of convolution and its two adjoints over arrays.

All three work on patches, the entries that the kernel sees at each place (`im2col`), so that BLAS does the work; a few
images at a time, so that the patches stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.ops.windows import windows
from gradcli.ops.windows.windows import Sizes

ENTRIES = 2**17  # entries of patches held at a time


def _batches(images: int, entries: int) -> Iterator[slice]:
    """Return slices of the images, given the number of entries in the patches of one image."""
    step = max(1, ENTRIES // max(1, entries))
    return (slice(start, start + step) for start in range(0, images, step))


def _patches(x: Any, kernel: Sizes, places: Sizes, stride: Sizes, dilation: Sizes, groups: int) -> Any:
    """Return the patches: (images, groups, entries of the kernel in the group's channels, places)."""
    images, channels = x.shape[:2]
    patches: Any
    if set(kernel) == set(stride) == {1}:
        patches = x
    else:
        patches = np.empty((images, channels, *kernel, *places), x.dtype)
        for offset, view in windows.views(x, kernel, stride, dilation, places):
            patches[(slice(None), slice(None), *offset)] = view
    return patches.reshape(images, groups, channels // groups * windows.count(kernel), windows.count(places))


def _grouped(w: Any, groups: int) -> Any:
    """Reshape the kernels to one matrix for each group."""
    return w.reshape(groups, w.shape[0] // groups, windows.count(w.shape[1:]))


def correlate(x: Any, w: Any, bias: Any = 0, *, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1) -> Any:
    kernel = w.shape[2:]
    places = windows.number_of_places(x.shape[2:], kernel, stride, padding, dilation)
    images, filters = x.shape[0], w.shape[0]
    x = windows.padded(x, padding, padding)
    matrix = _grouped(w, groups)
    out = np.empty((images, groups, filters // groups, windows.count(places)), np.result_type(x, w))
    for some in _batches(images, windows.count(w.shape[1:]) * groups * out.shape[-1]):
        np.matmul(matrix, _patches(x[some], kernel, places, stride, dilation, groups), out=out[some])
    if not isinstance(bias, int):
        out += bias.reshape(groups, filters // groups, 1)
    return out.reshape(images, filters, *places)


def input_gradient(
    w: Any, g: Any, *, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1
) -> Any:
    kernel, places, spatial = w.shape[2:], g.shape[2:], size[2:]
    images, channels = size[:2]
    matrix = _grouped(w, groups).swapaxes(1, 2)
    columns = g.reshape(images, groups, w.shape[0] // groups, windows.count(places))
    out = np.zeros((images, channels, *(n + 2 * p for n, p in zip(spatial, padding, strict=True))), g.dtype)
    for some in _batches(images, windows.count(w.shape[1:]) * groups * columns.shape[-1]):
        part = out[some]
        patches = np.matmul(matrix, columns[some]).reshape(len(part), channels, *kernel, *places)
        for offset, view in windows.views(part, kernel, stride, dilation, places):
            view += patches[(slice(None), slice(None), *offset)]
    return np.ascontiguousarray(windows.inside(out, padding, spatial))


def weight_gradient(
    x: Any, g: Any, *, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1
) -> Any:
    kernel, places = size[2:], g.shape[2:]
    images = x.shape[0]
    x = windows.padded(x, padding, padding)
    columns = g.reshape(images, groups, size[0] // groups, windows.count(places))
    out = np.zeros((groups, size[0] // groups, windows.count(size[1:])), g.dtype)
    for some in _batches(images, windows.count(size[1:]) * groups * columns.shape[-1]):
        patches = _patches(x[some], kernel, places, stride, dilation, groups)
        out += np.matmul(columns[some], patches.swapaxes(2, 3)).sum(axis=0)
    return out.reshape(size)
