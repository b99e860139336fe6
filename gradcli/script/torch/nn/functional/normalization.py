"""`torch.nn.functional`: normalization of each channel of each example, and of each entry by the channels beside it."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
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
    """Shift and scale each channel of each example by its own mean and variance."""
    if running_mean is not None or running_var is not None or not use_input_stats:
        raise UnsupportedError("instance_norm with running statistics is not supported here", help="leave them out")
    if is_floating(input.value):
        check_parameters(input, weight, bias)
    if math.prod(input.shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size_text(input.shape)}")
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
