"""Pooling of images to a given size, and pooling of rows as that of images with one row, as torch lowers it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.reducing.reductions import mean_dim
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Array, Pair, Real, Shape, check_size, integer
from gradcli.ops.support.surface import WINDOW_MEAN, WINDOW_SHARES, operation, printed
from gradcli.ops.windows.pooling import avg_pool2d, check_filled, max_pool2d


def _bounds(size: int, parts: int) -> list[tuple[int, int]]:
    """Return the start and end of each part; parts overlap unless their number divides the size."""
    return [(i * size // parts, -((i + 1) * size // -parts)) for i in range(parts)]


def _shares(size: int, parts: int, dtype: Any) -> Any:
    """Return a matrix with one row of averaging weights for each part."""
    out = np.zeros((parts, size), np.result_type(dtype, np.float16))
    for row, (start, stop) in zip(out, _bounds(size, parts), strict=True):
        row[start:stop] = 1 / (stop - start)
    return out


def mixed(down: Array, x: Array, across: Array) -> Any:
    """Return `down @ x @ across`; an entry whose weight is 0 has no part in a result, be it infinite or nan."""
    if np.isfinite(x).all():
        return down @ x @ across
    out = np.zeros((*x.shape[:-2], down.shape[0], across.shape[1]), x.dtype)
    for i, row in enumerate(down):
        rows = np.flatnonzero(row)
        for j, column in enumerate(across.T):
            columns = np.flatnonzero(column)
            out[..., i, j] = row[rows] @ x[..., rows, :][..., columns] @ column[columns]
    return out


def _means(x: Any, *, output_size: Shape) -> Any:
    down, across = (_shares(n, parts, x.dtype) for n, parts in zip(x.shape[-2:], output_size, strict=True))
    return mixed(down, x, across.T)


def _spread(g: Array, *, size: Shape) -> Any:
    """The gradient of `adaptive_avg_pool2d`: each part's divided among its entries."""
    down, across = (_shares(n, parts, g.dtype) for n, parts in zip(size[-2:], g.shape[-2:], strict=True))
    return mixed(down.T, g, across)


adaptive_mean: Primitive = primitive(
    "adaptive_avg_pool2d",
    _means,
    lambda g, out, x, *, output_size: adaptive_spread(g, size=x.shape),
    node="AdaptiveAvgPool2DBackward0",
    saves=(0,),
    structured=True,
    says=WINDOW_MEAN,
)
adaptive_spread: Primitive = primitive(
    "adaptive_avg_pool2d_backward",
    _spread,
    lambda g, out, h, *, size: adaptive_mean(g, output_size=h.shape[-2:]),
    structured=True,
    says=WINDOW_SHARES,
    traits=("adjoint",),
)


printed(adaptive_spread, "u = [[[1, 2]]]; adaptive_avg_pool2d_backward(u, size=(1, 2, 3))")


def _sizes(name: str, x: Tensor, output_size: Any) -> Shape:
    """Return the two sizes of the result; None keeps that of the input."""
    sides = output_size if isinstance(output_size, tuple | list) else (output_size, output_size)
    if x.ndim not in (3, 4):
        raise ShapeError(f"{name}(): Expected 3D or 4D tensor, but got {list(x.shape)}")
    ShapeError.when(len(sides) != 2, f"{name}: output_size must be 2")
    try:
        sizes = tuple(own if n is None else integer(n) for own, n in zip(x.shape[-2:], sides, strict=True))
    except (TypeError, ValueError):
        raise ShapeError(f"{name}: output_size must hold whole numbers") from None
    AutogradError.when(min(sizes) < 0, f"{name}: elements of output_size must be greater than or equal to 0")
    if sizes != (1, 1):
        check_filled(name, x.shape)
    check_size((*x.shape[:-2], *sizes))
    return sizes


@operation(
    "x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; adaptive_avg_pool2d(x, 2)",
    "x = [[[1, 2, 0], [0.5, -1, 3]]]; adaptive_avg_pool2d(x, (1, 1))",
    method=False,
    kernel="adaptive_avg_pool2d",
)
def adaptive_avg_pool2d(input: Real, output_size: Any) -> Any:
    """The means of a grid of `output_size` parts of each image; None keeps a size."""
    sizes = _sizes("adaptive_avg_pool2d", input, output_size)
    if sizes == (1, 1):
        return mean_dim(input, dim=(input.ndim - 1, input.ndim - 2), keepdim=True)
    return adaptive_mean(input, output_size=sizes)


def _as_image(name: str, x: Tensor) -> Any:
    if x.ndim not in (2, 3) or (name == "max_pool1d" and 0 in x.shape[-2:]):
        raise ShapeError(f"{name}: Expected 2D or 3D (batch mode) tensor for input, but got:{list(x.shape)}")
    return unsqueeze(x, dim=x.ndim - 1)


def _length(name: str, value: Pair) -> int:
    sizes = (value,) if isinstance(value, int) else value
    if len(sizes) != 1:
        raise AutogradError(f"{name}() argument 'output_size' should contain one int (got {len(sizes)})")
    return sizes[0]


@operation(
    "x = [[1, 3, 0, 2], [0.5, -1, 3, 4]]; max_pool1d(x, 2)", "x = [[1, 3, 0]]; max_pool1d(x, 2, stride=1)", method=False
)
def max_pool1d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    dilation: Pair = 1,
    ceil_mode: bool = False,
) -> Any:
    """The largest entry of each window along the last dimension."""
    image = _as_image("max_pool1d", input)
    kernel, border, apart = (_length("max_pool1d", value) for value in (kernel_size, padding, dilation))
    step = kernel if stride is None else _length("max_pool1d", stride)
    found = max_pool2d(image, (1, kernel), (1, step), (0, border), (1, apart), ceil_mode)
    return squeeze_dim(found, dim=input.ndim - 1)


@operation(
    "x = [[1, 3, 0, 2], [0.5, -1, 3, 4]]; avg_pool1d(x, 2)",
    "x = [[1, 3, 0]]; avg_pool1d(x, 2, padding=1)",
    method=False,
    computes_integers=True,
)
def avg_pool1d(
    input: Real,
    kernel_size: Pair,
    stride: Pair | None = None,
    padding: Pair = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window along the last dimension."""
    image = _as_image("avg_pool1d", input)
    kernel, border = (_length("avg_pool1d", value) for value in (kernel_size, padding))
    step = kernel if stride is None else _length("avg_pool1d", stride)
    found = avg_pool2d(image, (1, kernel), (1, step), (0, border), ceil_mode, count_include_pad)
    return squeeze_dim(found, dim=input.ndim - 1)


@operation("x = [[1, 3, 0, 2, 5]]; adaptive_avg_pool1d(x, 2)", method=False)
def adaptive_avg_pool1d(input: Real, output_size: Pair) -> Any:
    """The means of `output_size` parts of the last dimension."""
    image = _as_image("adaptive_avg_pool1d", input)
    found = adaptive_avg_pool2d(image, (1, _length("adaptive_avg_pool1d", output_size)))
    return squeeze_dim(found, dim=input.ndim - 1)
