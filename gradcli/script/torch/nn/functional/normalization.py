"""`torch.nn.functional`: normalization of groups of channels of each example."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.operations.kernels import check_parameters
from gradcli.script.torch.operations.readers import kind_name


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
