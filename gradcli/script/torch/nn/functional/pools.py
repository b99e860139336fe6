"""`torch.nn.functional`: max-pooling that returns its indices, and max-unpooling."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.saved import watch
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.indexing.entries import named
from gradcli.ops.indexing.gathering import gather_backward
from gradcli.ops.shaping.shaping import unsafe_view
from gradcli.ops.support.arguments import Shape, check_size
from gradcli.ops.support.named_nodes import as_node
from gradcli.ops.windows.pooling_shapes import options
from gradcli.ops.windows.pools import positions
from gradcli.ops.windows.windows import count as counted
from gradcli.script.torch.nn.functional.module import checked
from gradcli.script.torch.operations.integer_results import with_integer_results
from gradcli.script.torch.tensor.dtypes import Size
from gradcli.script.torch.tensor.printing import size_text


def _each(value: Any, count: int) -> tuple[int, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,) * count


def _largest(count: int) -> Callable[..., Any]:
    name = f"max_pool{count}d"

    def call(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> Any:
        sizes = (kernel_size, kernel_size if stride is None else stride, padding, dilation)
        places = _indices(count, input, sizes, ceil_mode) if return_indices else None
        pooled = checked(name)(input, *sizes, ceil_mode)
        if places is None:
            return pooled
        watch(pooled, places)
        return pooled, places if count > 1 else checked("squeeze")(places, -2)

    call.__name__, call.__module__ = name, "torch.nn.functional"
    call.__qualname__ = name  # in the words of a TypeError
    return call if count == 1 else with_integer_results(call)


def _indices(count: int, input: Tensor, sizes: tuple[Any, ...], ceil_mode: bool) -> Tensor:
    """Return the positions of the entries that max-pooling takes; for rows, those of images of one row."""
    if count > 1:
        kernel, stride, padding, dilation = sizes
        o = options("max_pool", count, input.shape, kernel, stride, padding, dilation, ceil_mode)
        return Tensor(positions(input.value, **o))
    kernel, stride, padding, dilation = (_each(size, 1)[0] for size in sizes)
    image = input.value[..., None, :]
    o = options("max_pool", 2, image.shape, (1, kernel), (1, stride), (0, padding), (1, dilation), ceil_mode)
    return Tensor(positions(image, **o))


max_pool1d, max_pool2d, max_pool3d = _largest(1), _largest(2), _largest(3)


def _unpooled(count: int) -> Callable[..., Any]:
    def call(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        kernel, border = _each(kernel_size, count), _each(padding, count)
        steps = kernel if stride is None else _each(stride, count)
        sides = zip(input.shape[-count:], steps, kernel, border, strict=True)
        size = tuple((n - 1) * s + k - 2 * p for n, s, k, p in sides)
        if output_size is not None:
            size = _asked(output_size, size, steps)
        return _spread(input, indices, size)

    call.__name__ = call.__qualname__ = f"max_unpool{count}d"  # in the words of a TypeError
    call.__module__ = "torch.nn.functional"
    return call


def _asked(wanted: tuple[int, ...], usual: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    count = len(usual)
    size = tuple(wanted[2:] if len(wanted) == count + 2 else wanted)
    if len(size) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it has a length of "
            f"'{len(size)}'"
        )
    shown = size_text(size) if isinstance(wanted, Size) else size
    for axis, (n, least, step) in enumerate(zip(size, usual, steps, strict=True)):
        if not least - step < n < least + step:
            raise ValueError(
                f'invalid output_size "{shown}" (dim {axis} must be between {least - step} and {least + step})'
            )
    return size


def _last(x: Any, places: Any, *, shape: Shape, dim: int) -> Any:
    spread = np.zeros(shape, x.dtype)
    np.put_along_axis(spread, places, x, dim)
    return spread


_placed = replace(gather_backward, forward=_last)  # of entries at one place the last stays, and each gets the gradient


def _spread(x: Tensor, indices: Tensor, size: tuple[int, ...]) -> Any:
    """Put each entry at its place among zeros."""
    count = len(size)
    if indices.dtype != np.int64:
        raise AutogradError(f"elements in indices should be type int64 but got: {TYPE_NAMES[indices.dtype]}")
    if indices.shape != x.shape:
        shape, other = ([*shape, *(1,) * (count == 1)] for shape in (x.shape, indices.shape))  # torch's rows are images
        raise AutogradError(
            f"Expected shape of indices to be same as that of the input tensor ({shape}) but got indices tensor with "
            f"shape: {other}",
            code="E301",
        )
    lead, total = x.shape[:-count], counted(size)
    check_size((*lead, *size))
    places = indices.array.reshape(*lead, counted(x.shape[-count:]))
    if places.size and not 0 <= places.min() <= places.max() < total:
        bad = int(places[(places < 0) | (places >= total)][0])
        sides = "x".join(map(str, (*size, 1) if count == 1 else size))
        raise AutogradError(f"Found an invalid max index: {bad} (output volumes are of size {sides})", code="E301")
    flat = checked("reshape")(x, (*lead, places.shape[-1]))
    spread = _placed(flat, Tensor(places), shape=(*lead, total), dim=len(lead))
    if count == 1:
        spread = as_node(spread, "MaxUnpool2DBackward0")
    node = "SqueezeBackward1" if count == 1 else f"MaxUnpool{count}DBackward0"
    return named(unsafe_view, node, view=count == 1)(spread, shape=(*lead, *size))


max_unpool1d, max_unpool2d, max_unpool3d = _unpooled(1), _unpooled(2), _unpooled(3)
