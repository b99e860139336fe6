"""`torch.nn.functional`: normalization of each channel of each example, and of each entry by the channels beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import AutogradError
from gradcli.ops.nn.channels import by_example, update_running
from gradcli.ops.support.calling import ops
from gradcli.script.torch.operations.kernels import check_parameters
from gradcli.script.torch.operations.readers import kind_name
from gradcli.script.torch.tensor.printing import size_text


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Shift and scale each channel of each example by its own mean and variance, or by running ones."""
    if is_floating(input.value):
        check_parameters(input, weight, bias, running_mean, running_var)
    if not use_input_stats:
        if running_mean is None or running_var is None:
            raise AutogradError("Expected running_mean and running_var to be defined when use_input_stats is false")
        return by_example(input, running_mean, running_var, weight, bias, eps=eps)
    if int(np.prod(input.shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size_text(input.shape)}")
    places, total = tuple(range(2, input.ndim)), input.shape[0] * input.shape[1]
    for name, running_one in (("running_mean", running_mean), ("running_var", running_var)):
        if running_one is not None and running_one.value.size != input.shape[1]:
            given = input.shape[0] * running_one.value.size
            raise AutogradError(f"{name} should contain {total} elements not {given}", code="E301")
    for running, value in (
        (running_mean, np.mean(input.value, places)),
        (running_var, np.var(input.value, places, ddof=1)),
    ):
        if running is not None:
            update_running(running, np.mean(value, 0), momentum)
    return ops.instance_norm(input, weight=weight, bias=bias, eps=eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Any:
    """Shift and scale groups of channels of each example; a group of one value has no variance, and is refused."""
    if not isinstance(input, Tensor):
        raise AttributeError(f"{kind_name(input)!r} object has no attribute 'dim'")
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    size = [input.shape[0] * input.shape[1] // num_groups, num_groups, *input.shape[2:]]
    if math.prod(size) == num_groups:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")
    check_parameters(input, weight, bias)
    return ops.group_norm(input, num_groups, weight, bias, eps)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Divide each entry by a power of the mean square of its neighbours in other channels: Krizhevsky et al. 2012."""
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not input.value.size:
        return input
    batch, channels = input.shape[:2]
    squares, around = ops.mul(input, input), (size // 2, (size - 1) // 2)
    if input.ndim == 3:
        bordered = ops.pad(ops.unsqueeze(squares, 1), (0, 0, *around))
        near = ops.squeeze(ops.avg_pool2d(bordered, (size, 1), 1), 1)
    else:
        bordered = ops.pad(ops.view(squares, batch, 1, channels, input.shape[2], -1), (0, 0, 0, 0, *around))
        near = ops.view(ops.squeeze(ops.avg_pool3d(bordered, (size, 1, 1), 1), 1), *input.shape)
    return ops.div(input, (near * alpha + k) ** beta)
