"""Pooling along one dimension: lowered to pooling of images of one row, as torch does."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.shaping.shaping import squeeze_dim, unsqueeze
from gradcli.ops.support.arguments import Pair, Real
from gradcli.ops.support.surface import operation
from gradcli.ops.windows.adaptive import adaptive_avg_pool2d, adaptive_max_pool2d
from gradcli.ops.windows.pooling import avg_pool2d, max_pool2d
from gradcli.ops.windows.pooling_shapes import check_filled, row_sizes


def _as_image(name: str, x: Tensor) -> Any:
    if x.ndim not in (2, 3) and name != "max_pool1d":
        raise ShapeError(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )
    ShapeError.when(
        x.ndim not in (2, 3) or (name == "max_pool1d" and 0 in x.shape[-2:]),
        f"{name}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:"
        f"{list(x.shape)}",
    )
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
    kernel, step, border, apart = row_sizes(input.shape[-1], kernel_size, stride, padding, dilation, ceil_mode)
    found = max_pool2d(image, (1, kernel), (1, step), (0, border), (1, apart), ceil_mode)
    return squeeze_dim(found, dim=input.ndim - 1)


@operation(
    "x = [[1, 3, 0, 2], [0.5, -1, 3, 4]]; avg_pool1d(x, 2)",
    "x = [[1, 3, 0]]; avg_pool1d(x, 2, padding=1)",
    method=False,
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


@operation("x = [[1, 3, 0, 2, 5]]; adaptive_max_pool1d(x, 2)", method=False)
def adaptive_max_pool1d(input: Real, output_size: Pair, return_indices: bool = False) -> Any:
    """The largest entries of `output_size` parts of the last dimension."""
    image = _as_image("adaptive_max_pool1d", input)
    check_filled("adaptive_max_pool1d", input.shape)
    found, places = adaptive_max_pool2d(image, (1, _length("adaptive_max_pool1d", output_size)), True)
    values = squeeze_dim(found, dim=input.ndim - 1)
    return (values, squeeze_dim(places, dim=input.ndim - 1)) if return_indices else values
