"""`F.unfold`, `F.fold` and `F.interpolate`: patches as columns and back, other sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.indexing.gathering import add_entries, take_entries
from gradcli.ops.support.arguments import check_size
from gradcli.ops.windows import windows
from gradcli.ops.windows.padding import nearest, output_sizes, resize_axes
from gradcli.ops.windows.windows import Sizes
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.absence import without
from gradcli.script.torch.nn.functional.module import check_dimension

DIMENSIONS = {"nearest": (1, 2, 3), "linear": (1,), "bilinear": (2,)}


@without("recompute_scale_factor antialias")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """Resize all dimensions behind the batch and the channels, to a size or by a factor."""
    if mode == "nearest" and align_corners is not None:
        raise ValueError("align_corners option can only be set with the interpolating modes")
    spatial = input.shape[2:]
    if len(spatial) not in DIMENSIONS.get(mode, ()):
        words = f"interpolate of {len(spatial)} dimensions with mode={mode!r} is not supported here"
        raise UnsupportedError(words, help="there are nearest, linear for rows and bilinear for images")
    sizes, factors = _asked(spatial, size, scale_factor)
    if factors is not None:
        sizes = output_sizes(spatial, factors)
    scales = tuple(None if factors is None else 1 / factor for factor in factors or sizes)
    if min((*sizes, *spatial), default=1) < 1:
        words = f"Input and output sizes should be greater than 0, but got {list(spatial)} and {list(sizes)}"
        raise AutogradError(words, code="E301")
    name = f"Upsample{mode.title()}{len(spatial)}DBackward0"
    if mode == "nearest":
        return nearest(input, sizes, scales, name)
    if input.dtype.kind != "f" or not np.all(np.isfinite(input.value)):  # torch weighs the neighbours alone
        what = "whole numbers" if input.dtype.kind != "f" else "numbers that are not finite"
        raise UnsupportedError(f"interpolate of {what} with mode={mode!r} is not supported here")
    return resize_axes(input, sizes, scales, bool(align_corners), name)


def _asked(spatial: tuple[int, ...], size: Any, factor: Any) -> tuple[Any, Any]:
    """Return the sizes or the factors, one for each dimension; the other is None."""
    if (size is None) is (factor is None):
        raise ValueError("one of size and scale_factor should be defined")
    wanted = factor if size is None else size
    wanted = tuple(wanted) if isinstance(wanted, list | tuple) else (wanted,) * len(spatial)
    name = "scale_factor" if size is None else "size"
    if len(wanted) != len(spatial):
        raise ValueError(f"{name} should have {len(spatial)} numbers, one for each of {list(spatial)}, not {wanted}")
    if size is not None and not all(isinstance(n, int) for n in wanted):
        raise UnsupportedError("interpolate to sizes that are no whole numbers is not supported here", python=TypeError)
    return (None, wanted) if size is None else (wanted, None)


def _pair(value: Any) -> Sizes:
    return tuple(value) if isinstance(value, tuple | list) else (value, value)


def _of_two(name: str, sizes: Sizes) -> Sizes:
    if len(sizes) != 2:
        raise AutogradError(f"It is expected {name} equals to 2, but got size {len(sizes)}")
    return sizes


def _options(kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> dict[str, Sizes]:
    o = {
        "kernel_size": _pair(kernel_size),
        "dilation": _pair(dilation),
        "padding": _pair(padding),
        "stride": _pair(stride),
    }
    for name, sizes in o.items():
        _of_two(name, sizes)
    for name, least in (("kernel_size", 1), ("dilation", 1), ("padding", 0), ("stride", 1)):
        if min(o[name]) < least:
            raise AutogradError(f"{name} should be at least {least}, but got {_listed(o[name])}")
    return o


def _counts(size: Sizes, o: dict[str, Sizes]) -> Sizes:
    return windows.number_of_places(size, o["kernel_size"], o["stride"], o["padding"], o["dilation"])


def _places(channels: int, size: Sizes, o: dict[str, Sizes]) -> Any:
    """Return the flat position in the image of each row of the columns and each patch; -1 on the border."""
    kernel, counts = o["kernel_size"], _counts(size, o)
    check_size((channels, *kernel, *counts))
    check_size((channels, *(n + 2 * p for n, p in zip(size, o["padding"], strict=True))))
    image = np.arange(channels * windows.count(size)).reshape(channels, *size)
    bordered = windows.padded(image, o["padding"], o["padding"], -1)
    views = [view for _, view in windows.views(bordered, kernel, o["stride"], o["dilation"], counts)]
    return np.stack(views, 1).reshape(channels * windows.count(kernel), windows.count(counts))


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    """Return every patch of every image as a column: (batch, channels times entries of a patch, patches)."""
    o = _options(kernel_size, dilation, padding, stride)
    check_dimension(input, 1 if input.ndim < 2 else 2)
    if input.ndim not in (3, 4) or 0 in input.shape[-3:]:
        raise ShapeError(f"unfold expects images (batch, channels, height, width), but got {list(input.shape)}")
    if input.dtype.kind in "iu":
        raise NotImplementedError(f"\"im2col_out_cpu\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    size = input.shape[-2:]
    counts = _counts(size, o)
    if min(counts) < 1:
        raise ShapeError(f"the image {_listed(size)} is smaller than the kernel {_listed(o['kernel_size'])}")
    return take_entries(input, _places(input.shape[-3], size, o), 3, "Im2ColBackward0")


def _listed(sizes: Sizes) -> str:
    return f"({', '.join(map(str, sizes))})"


def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """Add columns up to images of the given size, the adjoint of `unfold`."""
    size = _of_two("output_size", _pair(output_size))
    o = _options(kernel_size, dilation, padding, stride)
    if input.ndim not in (2, 3):
        raise ShapeError(f"fold expects columns (batch, entries of a patch, patches), but got {list(input.shape)}")
    if input.dtype.kind in "iu":
        raise NotImplementedError(f"\"col2im_out_cpu\" not implemented for '{TYPE_NAMES[input.dtype]}'")
    rows, patches = input.shape[-2:]
    area, counts = windows.count(o["kernel_size"]), _counts(size, o)
    if rows % area:
        kernel = _listed(o["kernel_size"])
        raise ShapeError(f"input.size(1)={rows} should be divisible by the product of kernel_size={kernel}")
    if patches != windows.count(counts) or min(counts) < 1:
        raise ShapeError(
            f"output_size={_listed(size)} has {counts[0]} * {counts[1]} = {windows.count(counts)} patches, but got "
            f"input.size(2)={patches}"
        )
    shape = (*input.shape[:-2], rows // area, *size)
    return add_entries(input, _places(rows // area, size, o), shape, 3, "Col2ImBackward0")
