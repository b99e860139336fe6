"""`torch.nn.functional`: max-pooling that returns its indices, and max-unpooling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.saved import watch
from gradcli.engine.tensor import Tensor
from gradcli.ops.windows.pooling import options
from gradcli.ops.windows.pools import positions
from gradcli.script.torch.nn.functional.module import checked
from gradcli.script.torch.operations.integer_results import with_integer_results


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
