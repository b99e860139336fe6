"""Normalization of each channel of each example, and of each entry by the channels beside it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.layers.gates import operation
from gradcli.script.torch.nn.layers.normalization import BatchNorm
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
    """Each channel of each example shifted and scaled by its own mean and variance, or by running ones."""
    if not use_input_stats:
        function = OPERATIONS["batch_norm"].function
        return function(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if int(np.prod(input.shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size_text(input.shape)}")
    places = tuple(range(2, input.ndim))
    for running, value in (
        (running_mean, np.mean(input.value, places)),
        (running_var, np.var(input.value, places, ddof=1)),
    ):
        if running is not None:
            running.array[...] = (1 - momentum) * running.value + momentum * np.mean(value, 0)
            running.changed()
    return operation("instance_norm")(input, weight=weight, bias=bias, eps=eps)


class InstanceNorm(BatchNorm):
    """What they have in common, for any number of dimensions: one less than that, without a batch."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def forward(self, input: Tensor) -> Any:
        self._check_dimensions(input)
        single = input.ndim == self._dimensions[0]
        place = 0 if single else 1
        if input.shape[place] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={place} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[place]}."
                )
            warnings.warn(
                f"input's size at dim={place} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                UserWarning,
                stacklevel=2,
            )
        x = operation("unsqueeze")(input, 0) if single else input
        stored = (self.running_mean, self.running_var, self.weight, self.bias)
        of_input = self.training or not self.track_running_stats
        found = instance_norm(x, *stored, of_input, self.momentum or 0.0, self.eps)
        return operation("squeeze")(found, 0) if single else found


InstanceNorm.__init__.__qualname__ = "_InstanceNorm.__init__"  # what torch's errors call it


class InstanceNorm1d(InstanceNorm):
    __module__ = "torch.nn.modules.instancenorm"
    _dimensions = (2, 3)


class InstanceNorm2d(InstanceNorm):
    __module__ = "torch.nn.modules.instancenorm"
    _dimensions = (3, 4)


class InstanceNorm3d(InstanceNorm):
    __module__ = "torch.nn.modules.instancenorm"
    _dimensions = (4, 5)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Each entry over a power of what its neighbours in other channels are: Krizhevsky et al. 2012."""
    if input.ndim < 3:
        raise ValueError(
            f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)"
        )
    if not input.value.size:
        return input
    batch, channels = input.shape[:2]
    squares = operation("view")(operation("mul")(input, input), batch, 1, channels, -1)
    bordered = operation("pad")(squares, (0, 0, size // 2, (size - 1) // 2))
    means = operation("avg_pool2d")(bordered, (size, 1), 1)
    near = operation("view")(operation("squeeze")(means, 1), *input.shape)
    return operation("div")(input, (near * alpha + k) ** beta)


class LocalResponseNorm(Module):
    __module__ = "torch.nn.modules.normalization"

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Any:
        return local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
