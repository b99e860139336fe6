"""`F.grid_sample` and `F.affine_grid`: images read at places that are computed (Jaderberg et al. 2015)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.text.formatting import represent
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, Size

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
ALIGNED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
UNIT = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)

Pad = Callable[[Any, int], Any]  # from a coordinate and a size to the coordinate that is read
Taps = list[tuple[Any, Any]]  # along one dimension: the whole coordinates that are read, and their weights


def _number(array: Any, like: Tensor) -> Tensor:
    return Tensor(np.asarray(array, like.dtype)[()])


def _held(x: Any, size: int) -> Any:
    """Return coordinates held inside of an image; where they are held they have no gradient, at the border too."""
    last = size - 1
    value = np.asarray(x.value)
    inside = ops.where(Tensor(value <= 0), _number(0, x), x)
    return ops.where(Tensor(value >= last), _number(last, x), inside)


def _reflected(x: Any, size: int, aligned: bool) -> Any:
    """Return coordinates reflected at the first and the last pixel, or at their outer borders, and held."""
    low, span = (0.0, size - 1) if aligned else (-0.5, size)
    if not span:
        return x * 0.0
    value = np.asarray(x.value, np.float64) - low
    flips = np.floor(np.abs(value) / span)
    way = np.where(value < 0, -1.0, 1.0) * np.where(flips % 2, -1.0, 1.0)
    start = np.where(flips % 2, (flips + 1) * span, -flips * span)
    return _held((x - low) * _number(way, x) + _number(start + low, x), size)


def _padding(kind: str, aligned: bool) -> Pad:
    if kind == "zeros":
        return lambda x, size: x
    return _held if kind == "border" else lambda x, size: _reflected(x, size, aligned)


def _whole(x: Any, rounding: Any = np.floor) -> Any:
    return np.nan_to_num(rounding(np.asarray(x.value)), nan=-1, posinf=-1, neginf=-1)


def _linear(x: Any, size: int, pad: Pad) -> Taps:
    x = pad(x, size)
    below = _whole(x)
    part = x - _number(below, x)
    return [(below, 1.0 - part), (below + 1, part)]


def _nearest(x: Any, size: int, pad: Pad) -> Taps:
    x = pad(x, size)
    return [(_whole(x, np.rint), 1.0)]


TAPS = {"bilinear": _linear, "nearest": _nearest}


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """Read images at the places of a grid, whose last dimension holds x and y (and z) from -1 to 1."""
    for name, value, known in (("mode", mode, MODES), ("padding_mode", padding_mode, PADDINGS)):
        if value not in known:
            *first, last = map(repr, known)
            words = f"{', '.join(first)}{',' if name == 'padding_mode' else ''} or {last}"
            raise ValueError(f"nn.functional.grid_sample(): expected {name} to be {words}, but got: '{value}'")
    aligned = _aligned(align_corners)
    _check(input, grid)
    if mode == "bicubic":
        raise UnsupportedError("grid_sample with mode='bicubic' is not supported here", help="bilinear is there")
    sizes, (batch, channels), shape = input.shape[2:], input.shape[:2], grid.shape[1:-1]
    if not input.value.size or not grid.value.size:
        raise UnsupportedError("grid_sample of empty images or grids is not supported here")
    node = f"GridSampler{len(sizes)}DBackward"
    image = ops.reshape(input, batch, channels, -1)
    places = ops.reshape(grid, batch, -1, len(sizes))
    pad, along = _padding(padding_mode, aligned), []
    for axis, size in enumerate(sizes):
        x = ops.select(places, -1, len(sizes) - 1 - axis)
        along.append(TAPS[mode](_in_pixels(x, size, aligned), size, pad))
    found: Any = None
    for taps in product(*along):
        flat: Any = 0
        inside: Any = True
        weight: Any = None
        for (read, part), size in zip(taps, sizes, strict=True):
            inside = inside & (read >= 0) & (read < size)
            flat = flat * size + np.clip(read, 0, size - 1)
            weight = part if weight is None else weight * part
        index = np.broadcast_to(np.asarray(flat, np.int64)[:, None], (batch, channels, flat.shape[-1]))
        share = ops.unsqueeze(weight * _number(inside, input), 1)
        term = ops.gather(image, 2, Tensor(np.ascontiguousarray(index))) * share
        found = term if found is None else found + term
    if mode == "nearest":  # the places have a gradient, which is 0 whatever the image is
        found = found + ops.sum(ops.where(Tensor(np.zeros(places.shape, np.bool_)), places, 0.0))
    return as_node(ops.reshape(found, batch, channels, *shape), f"{node}0")


def _in_pixels(x: Any, size: int, aligned: bool) -> Any:
    """Return coordinates from -1 to 1 in pixels: from centre to centre, or from border to border."""
    return (x + 1.0) * ((size - 1) / 2) if aligned else ((x + 1.0) * float(size) - 1.0) / 2.0


def _aligned(align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(ALIGNED, UserWarning, stacklevel=3)
    return bool(align_corners)


def _check(input: Tensor, grid: Tensor) -> None:
    """Raise torch's error for shapes and dtypes that do not fit."""
    start, both = "grid_sampler(): ", (list(input.shape), list(grid.shape))
    if input.dtype != grid.dtype:
        names = [represent(BY_NUMPY[x.dtype]).removeprefix("torch.") for x in (input, grid)]
        raise UnsupportedError(f"grid_sample of {names[0]} images at a {names[1]} grid is not supported here")
    if input.shape[:1] != grid.shape[:1]:
        words = "expected grid and input to have same batch size, but got input with sizes {} and grid with sizes {}"
        raise AutogradError(start + words.format(*both), code="E301")
    if grid.shape[-1:] != (input.ndim - 2,):
        words = f"expected grid to have size {input.ndim - 2} in last dimension, but got grid with sizes {both[1]}"
        raise AutogradError(start + words, code="E301")
    for axis, size in enumerate(input.shape[2:], 2):
        if not size:
            words = (
                f"expected input to have non-empty spatial dimensions, but input has sizes {both[0]} with dimension "
            )
            raise AutogradError(f"{start}{words}{axis} being empty", code="E301")
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        words = "expected 4D or 5D input and grid with same number of dimensions, but got input with sizes {} and grid "
        raise AutogradError(start + words.format(both[0]) + f"with sizes {both[1]}", code="E301")


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Any:
    """Return the grid that reads an image through affine maps, one a batch entry: x and y from -1 to 1, mapped."""
    aligned = _aligned(align_corners)
    if theta.dtype.kind != "f":
        kind = represent(BY_NUMPY[theta.dtype])
        raise ValueError(f"Expected theta to have floating point type, but got {kind}")
    sizes, shown = tuple(size), represent(size)
    if len(sizes) not in (4, 5):
        words = "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively."
        raise NotImplementedError(f"{words} Got size {shown}.")
    spatial = sizes[2:]
    count = len(spatial)
    if theta.ndim != 3 or theta.shape[1:] != (count, count + 1):
        wish = f"a batch of {count}D affine matrices of shape Nx{count}x{count + 1}"
        raise ValueError(f"Expected {wish} for size {shown}. Got {represent(Size(theta.shape))}.")
    if aligned and min(spatial) == 1:
        warnings.warn(UNIT, UserWarning, stacklevel=2)
    elif min(sizes) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {shown}")
    steps = [_steps(n, aligned, theta.dtype) for n in spatial]
    meshed = np.meshgrid(*steps, indexing="ij")[::-1]
    base = np.stack([*meshed, np.ones_like(meshed[0])], -1).reshape(1, -1, count + 1)
    if sizes[0] != theta.shape[0]:
        wanted, got = [sizes[0], count + 1], [theta.shape[0], count + 1]
        words = f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}."
        raise AutogradError(words, code="E301")
    rows = Tensor(np.ascontiguousarray(np.broadcast_to(base, (sizes[0], *base.shape[1:]))))
    found = ops.bmm(rows, ops.transpose(theta, 1, 2))
    return as_node(ops.reshape(found, sizes[0], *spatial, count), "AffineGridGeneratorBackward0")


def _steps(count: int, aligned: bool, dtype: Any) -> Any:
    """Return evenly spaced coordinates from -1 to 1: of the centres of pixels, or with both ends."""
    if count == 1:
        return np.zeros(1, dtype)
    whole = np.linspace(-1, 1, count, dtype=dtype)
    return whole if aligned else whole * dtype.type((count - 1) / count)
