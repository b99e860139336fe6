"""`F.grid_sample` and `F.affine_grid`: images read at places that are computed (Jaderberg et al. 2015)."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import as_node
from gradcli.script.errors import UnsupportedError

ALIGNED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)

Taps = list[tuple[Any, Any]]  # along one dimension: the whole coordinates that are read, and their weights


def _tensor(array: Any, like: Tensor) -> Tensor:
    return Tensor(np.asarray(array, like.dtype)[()])


def _taps(x: Any) -> Taps:
    """Return the pixels along one dimension that coordinates are read from, with their weights."""
    below = np.nan_to_num(np.floor(np.asarray(x.value)), nan=-1)
    share = x - _tensor(below, x)
    return [(below, 1.0 - share), (below + 1, share)]


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """Read images at the places of a grid, whose last dimension holds x and y from -1 to 1."""
    if (mode, padding_mode) != ("bilinear", "zeros"):
        words = f"grid_sample with mode={mode!r}, padding_mode={padding_mode!r} is not supported here"
        raise UnsupportedError(words, help="leave both out: bilinear, with zeros outside of the image")
    aligned = _aligned(align_corners)
    _check(input, grid)
    sizes, (batch, channels), shape = input.shape[2:], input.shape[:2], grid.shape[1:-1]
    image = ops.reshape(input, batch, channels, -1)
    places = ops.reshape(grid, batch, -1, 2)
    along = []
    for axis, size in enumerate(sizes):
        x = _in_pixels(ops.select(places, -1, 1 - axis), size, aligned)
        along.append(_taps(x))
    total: Any = None
    for (row, row_share), (column, column_share) in product(*along):
        inside = (row >= 0) & (row < sizes[0]) & (column >= 0) & (column < sizes[1])
        flat = np.clip(row, 0, sizes[0] - 1) * sizes[1] + np.clip(column, 0, sizes[1] - 1)
        index = np.broadcast_to(np.asarray(flat, np.int64)[:, None], (batch, channels, flat.shape[-1]))
        share = ops.unsqueeze(row_share * column_share * _tensor(inside, input), 1)
        term = ops.gather(image, 2, Tensor(np.ascontiguousarray(index))) * share
        total = term if total is None else total + term
    return as_node(ops.reshape(total, batch, channels, *shape), "GridSampler2DBackward0")


def _in_pixels(x: Any, size: int, aligned: bool) -> Any:
    """Return coordinates from -1 to 1 in pixels: from centre to centre, or from border to border."""
    return (x + 1.0) * ((size - 1) / 2) if aligned else ((x + 1.0) * float(size) - 1.0) / 2.0


def _aligned(align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(ALIGNED, UserWarning, stacklevel=3)
    return bool(align_corners)


def _check(input: Tensor, grid: Tensor) -> None:
    """Raise torch's error for shapes that do not fit."""
    if input.dtype != grid.dtype or input.ndim != 4 or not input.value.size or not grid.value.size:
        raise UnsupportedError("grid_sample of anything but a batch of images, with a grid of their dtype")
    if grid.ndim != 4 or (grid.shape[0], grid.shape[-1]) != (input.shape[0], 2):
        raise ShapeError(f"grid_sample expects a grid ({input.shape[0]}, height, width, 2), but got {list(grid.shape)}")


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Any:
    """Return the grid that reads images through affine maps, one a batch entry: x and y from -1 to 1, mapped."""
    aligned = _aligned(align_corners)
    sizes = tuple(size)
    if len(sizes) != 4:
        raise UnsupportedError("affine_grid for anything but a batch of images is not supported here")
    if theta.dtype.kind != "f" or theta.shape != (sizes[0], 2, 3) or min(sizes) <= 0:
        raise ValueError(
            f"affine_grid expects theta ({sizes[0]}, 2, 3) and positive sizes, got {list(theta.shape)}, {sizes}"
        )
    y, x = np.meshgrid(*(_steps(n, aligned, theta.dtype) for n in sizes[2:]), indexing="ij")
    base = np.stack([x, y, np.ones_like(x)], -1).reshape(1, -1, 3)
    rows = Tensor(np.ascontiguousarray(np.broadcast_to(base, (sizes[0], *base.shape[1:]))))
    grid = ops.bmm(rows, ops.transpose(theta, 1, 2))
    return as_node(ops.reshape(grid, sizes[0], *sizes[2:], 2), "AffineGridGeneratorBackward0")


def _steps(count: int, aligned: bool, dtype: Any) -> Any:
    """Return evenly spaced coordinates from -1 to 1: of the centres of pixels, or with both ends."""
    if count == 1:
        return np.zeros(1, dtype)
    ends = np.linspace(-1, 1, count, dtype=dtype)
    return ends if aligned else ends * dtype.type((count - 1) / count)
