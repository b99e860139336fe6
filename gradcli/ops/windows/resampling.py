"""Resizing of images and rows: nearest neighbours, and linear interpolation.

Interpolation multiplies every dimension by a matrix; the gradient multiplies by the transposed matrices.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, structured
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.indexing.gathering import taken
from gradcli.ops.shaping.shaping import transpose
from gradcli.ops.support.arguments import Real, Shape, check_size
from gradcli.ops.support.surface import operation


def _turned(matrix: Any) -> Any:
    return transpose(matrix, dim0=0, dim1=1)


resample: Primitive = structured(
    "resample",
    lambda x, down, across: down @ x @ across.T,
    lambda g, out, x, down, across: resample(g, _turned(down), _turned(across)),
    says="Each result mixes nearby entries, which get the gradient with the same weights.",
)


@cache
def _named(node: str) -> Primitive:
    return replace(resample, node=node, saves=None)


@operation("x = [[[1, 2], [3, 5]]]; resample(x, [[1, 0], [0.5, 0.5], [0, 1]], [[1, 0], [0, 1]])", method=False)
def apply_resample(input: Real, down: Tensor, across: Tensor) -> Any:
    """Each image times a matrix from the left for its columns, and one from the right for its rows."""
    ShapeError.when(
        down.ndim != 2 or across.ndim != 2 or input.shape[-2:] != (down.shape[1], across.shape[1]),
        f"matrices of shapes {down.shape} and {across.shape} do not fit images of shape {input.shape}",
    )
    check_size((*input.shape[:-2], down.shape[0], across.shape[0]))
    check_size((*input.shape[:-2], down.shape[0], input.shape[-1]))  # `down @ x` comes first
    matrices = (with_origin(Tensor(x.value.astype(input.dtype)), x) for x in (down, across))
    return resample(input, *matrices)


def _centres(size: int, made: int, scale: float | None, align_corners: bool, dtype: Any) -> Any:
    """Return the coordinates of the output entries among the input entries."""
    places = np.arange(made, dtype=dtype)
    if align_corners:
        return places * dtype((size - 1) / (made - 1) if made > 1 else 0)
    return (places + dtype(0.5)) * dtype(scale or size / made) - dtype(0.5)


def weights(size: int, made: int, scale: float | None, align_corners: bool, dtype: Any) -> Any:
    """Return the matrix from `size` entries to `made` ones; `scale` is the spacing of the outputs, if given."""
    out = np.zeros((made, size), dtype)
    centres = np.maximum(_centres(size, made, scale, align_corners, dtype), 0)
    first = np.minimum(centres.astype(int), size - 1)
    share = np.clip(centres - first, 0, 1).astype(dtype)
    for offset, part in ((0, 1 - share), (1, share)):
        np.add.at(out, (np.arange(made), np.minimum(first + offset, size - 1)), part)
    return out


def resampled(x: Tensor, sizes: Shape, scales: tuple[float | None, ...], align_corners: bool, node: str) -> Any:
    """Resize rows (one size) or images (two), recorded as a node of the given name."""
    dtype = x.dtype.type
    spatial = x.shape[-len(sizes) :]
    check_size((*x.shape[: -len(sizes)], *sizes))
    check_size((*x.shape[: -len(sizes)], *sizes[:-1], x.shape[-1]))  # `down @ x` comes first
    for old, new in zip(spatial, sizes, strict=True):
        check_size((old, new))
    sides = zip(spatial, sizes, scales, strict=True)
    matrices = [Tensor(weights(*side, align_corners, dtype)) for side in sides]
    if len(sizes) == 1:
        check_size((x.shape[-2], x.shape[-2]))
        matrices.insert(0, Tensor(np.eye(x.shape[-2], dtype=dtype)))
    return _named(node)(x, *matrices)


def nearest(x: Tensor, sizes: Shape, scales: tuple[float | None, ...], node: str) -> Any:
    """Resize so that each output is the input entry in which it lies."""
    check_size((*x.shape[: -len(sizes)], *sizes))
    spatial = x.shape[-len(sizes) :]
    sides = []
    for old, new, scale in zip(spatial, sizes, scales, strict=True):
        step = np.float32(scale or old / new)
        starts = np.arange(new, dtype=np.float32) * step
        sides.append(np.minimum(starts.astype(int), old - 1))
    return taken(x, np.ravel_multi_index(np.ix_(*sides), spatial), len(sizes), node)


def output_sizes(spatial: Shape, factors: tuple[float, ...]) -> Shape:
    return tuple(math.floor(n * factor) for n, factor in zip(spatial, factors, strict=True))
