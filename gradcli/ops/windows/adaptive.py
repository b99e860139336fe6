"""Pooling of images to a given size, and pooling of rows as that of images with one row, as torch lowers it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.carrier import Carrier
from gradcli.engine.primitive import Primitive, primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.formulas import windows as entries
from gradcli.ops.indexing.gathering import gather_backward
from gradcli.ops.reducing.reductions import mean_dim
from gradcli.ops.shaping.shaping import reshape, squeeze_dim, unsqueeze
from gradcli.ops.support.adjoints import printed
from gradcli.ops.support.arguments import Array, Pair, Places, Real, Shape, check_size, integer
from gradcli.ops.support.covering import one_way
from gradcli.ops.support.sentences import WINDOW_LARGEST, WINDOW_MEAN, WINDOW_SHARES
from gradcli.ops.support.surface import operation
from gradcli.ops.windows.pooling import avg_pool2d, max_pool2d
from gradcli.ops.windows.pooling_shapes import check_filled


def _bounds(size: int, parts: int) -> list[tuple[int, int]]:
    """Return the start and end of each part; parts overlap unless their number divides the size."""
    return [(i * size // parts, -((i + 1) * size // -parts)) for i in range(parts)]


def shares(size: int, parts: int, dtype: Any) -> Any:
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
    down, across = (shares(n, parts, x.dtype) for n, parts in zip(x.shape[-2:], output_size, strict=True))
    return mixed(down, x, across.T)


def _spread(g: Array, *, size: Shape) -> Any:
    """The gradient of `adaptive_avg_pool2d`: each part's divided among its entries."""
    down, across = (shares(n, parts, g.dtype) for n, parts in zip(size[-2:], g.shape[-2:], strict=True))
    return mixed(down.T, g, across)


adaptive_mean: Primitive = primitive(
    "adaptive_avg_pool2d",
    _means,
    lambda g, out, x, *, output_size: adaptive_spread(g, size=x.shape),
    node="AdaptiveAvgPool2DBackward0",
    saves=(0,),
    structured=True,
    says=WINDOW_MEAN,
    index=entries.adaptive(_bounds),
)
adaptive_spread: Primitive = primitive(
    "adaptive_avg_pool2d_backward",
    _spread,
    lambda g, out, h, *, size: adaptive_mean(g, output_size=h.shape[-2:]),
    structured=True,
    says=WINDOW_SHARES,
    traits=("adjoint",),
)


def _largest(rows: Array) -> Any:
    """The place of the largest entry of each row: the first of equal ones, and the last nan."""
    broken = np.isnan(rows)
    if not np.any(broken):
        return np.argmax(rows, -1)
    last = rows.shape[-1] - 1 - np.argmax(broken[..., ::-1], -1)
    return np.where(broken.any(-1), last, np.argmax(rows, -1))


def _places(x: Array, *, output_size: Shape) -> Any:
    """The flat index of the largest entry of each part, in its image."""
    width = x.shape[-1]
    out = np.zeros((*x.shape[:-2], *output_size), np.int64)
    for i, (top, bottom) in enumerate(_bounds(x.shape[-2], output_size[0])):
        for j, (left, right) in enumerate(_bounds(width, output_size[1])):
            part = x[..., top:bottom, left:right]
            found = _largest(part.reshape(*part.shape[:-2], part.shape[-2] * part.shape[-1]))
            out[..., i, j] = (top + found // (right - left)) * width + left + found % (right - left)
    return out


def _flat(x: Any) -> Any:
    return reshape(x, shape=(*x.shape[:-2], x.shape[-2] * x.shape[-1]))


def _at_places(x: Array, places: Places, *, output_size: Shape) -> Any:
    """The entries at flat places of their images."""
    return np.take_along_axis(_flat(x), _flat(places), -1).reshape(places.shape)


def _max_rule(g: Carrier, out: Carrier, x: Carrier, places: Any, *, output_size: Shape) -> Any:
    flat = (*x.shape[:-2], x.shape[-2] * x.shape[-1])
    return reshape(gather_backward(_flat(g), _flat(places), shape=flat, dim=len(flat) - 1), shape=x.shape)


adaptive_places = primitive("adaptive_max_pool2d_indices", _places, structured=True)
adaptive_max = primitive(
    "adaptive_max_pool2d_values",
    _at_places,
    _max_rule,
    node="AdaptiveMaxPool2DBackward0",
    saves=(0,),
    structured=True,
    says=WINDOW_LARGEST,
    index=entries.at_places,
)
printed(adaptive_spread, "u = [[[1, 2]]]; adaptive_avg_pool2d_backward(u, size=(1, 2, 3))")
printed(
    adaptive_places,
    "x = [[[1, 3, 2]]]; p = adaptive_max_pool2d_indices(x, output_size=(1, 2)); "
    "adaptive_max_pool2d_values(x, p, output_size=(1, 2))",
)
printed(adaptive_max, "x = [[[1, 3, 2]]]; adaptive_max_pool2d_values(x, [[[1, 0]]], output_size=(1, 2))")


def _sizes(name: str, x: Tensor, output_size: Any) -> Shape:
    """Return the two sizes of the result after torch's checks, which the two poolings put into words of their own."""
    largest = "max" in name
    sides = output_size if isinstance(output_size, tuple | list) else (output_size, output_size)
    if isinstance(output_size, tuple | list) and len(sides) >= x.ndim:
        raise ShapeError(f"Input dimension should be at least {len(sides) + 1}")
    if x.ndim not in (3, 4):
        colon = ":" if largest else ""
        raise ShapeError(f"{name}(): Expected 3D or 4D tensor, but got{colon} {list(x.shape)}")
    try:
        given = [None if n is None else integer(n) for n in sides]
    except (TypeError, ValueError):
        given = []
    if len(given) != 2:
        words = f"{name}(): internal error: output_size.size()" if largest else f"{name}: output_size"
        raise ShapeError(f"{words} must be 2")
    sizes = tuple(own if n is None else n for own, n in zip(x.shape[-2:], given, strict=True))
    if min(sizes) < 0:
        if largest:
            whole = [*x.shape[:-2], *sizes]
            raise AutogradError(f"Trying to create tensor with negative dimension {min(sizes)}: {whole}")
        received = f"but received {{{', '.join(map(str, sizes))}}}"
        raise AutogradError(f"{name}: elements of output_size must be greater than or equal to 0 {received}")
    if largest or sizes != (1, 1):
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
    return without_empty_backward("adaptive_avg_pool2d", adaptive_mean(input, output_size=sizes))


def without_empty_backward(name: str, found: Any) -> Any:
    """Refuse the backward pass of a result without entries, as torch does."""
    if found.value.size or 0 not in found.shape[1:]:
        return found
    at = next(dim for dim in range(1, found.ndim) if not found.shape[dim])
    return one_way(
        found,
        f"{name}_backward(): Expected grad_output to have non-zero size for non-batch dimensions, but "
        f"grad_output has sizes {list(found.shape)} with dimension {at} being empty",
    )


@operation("x = [[[1, 2, 0], [0.5, -1, 3], [4, 1, 2.5]]]; adaptive_max_pool2d(x, (2, 1))", method=False)
def adaptive_max_pool2d(input: Real, output_size: Any, return_indices: bool = False) -> Any:
    """The largest entries of a grid of `output_size` parts of each image; None keeps a size."""
    sizes = _sizes("adaptive_max_pool2d", input, output_size)
    places = adaptive_places(input, output_size=sizes)
    found = without_empty_backward("adaptive_max_pool2d", adaptive_max(input, places, output_size=sizes))
    return (found, places) if return_indices else found


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
    kernel, border, apart = (_length("max_pool1d", value) for value in (kernel_size, padding, dilation))
    step = kernel if stride is None else _length("max_pool1d", stride)
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
