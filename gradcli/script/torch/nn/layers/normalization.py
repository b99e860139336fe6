"""Normalization as modules: of batches, layers and groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.functional import module as functional
from gradcli.script.torch.nn.functional.arguments import check_shared, check_tensor


class Normalization(Module):
    """Something that scales by a weight and shifts by a bias, if it is asked to."""

    def _learn(self, shape: tuple[int, ...], weight: bool, bias: bool, dtype: Any) -> None:
        for name, wanted, start in (("weight", weight, 1.0), ("bias", bias, 0.0)):
            self.register_parameter(name, Parameter(blank(shape, dtype, start)) if wanted else None)

    def reset_parameters(self) -> None:
        """Scale by 1 and shift by 0 again."""
        for name, start in (("weight", 1), ("bias", 0)):
            tensor = self._parameters.get(name)
            if tensor is not None:
                tensor.array[...] = start
                tensor.changed()


STATISTICS = {"running_mean": 0.0, "running_var": 1.0}


class BatchNorm(Normalization):
    """Channels shifted and scaled to mean 0 and variance 1: of the batch while training, afterwards of the past."""

    _dimensions: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self._learn((num_features,), affine, affine and bias, dtype)
        for name, start in STATISTICS.items():
            self.register_buffer(name, blank((num_features,), dtype, start) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", Tensor(np.array(0)) if track_running_stats else None)

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            for name, start in (*STATISTICS.items(), ("num_batches_tracked", 0)):
                getattr(self, name).array[...] = start

    def _check_dimensions(self, input: Tensor) -> None:
        if input.ndim not in self._dimensions:
            expected = " or ".join(f"{ndim}D" for ndim in self._dimensions)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Any:
        check_tensor("batch_norm", input)
        self._check_dimensions(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.array[...] += 1
            self.num_batches_tracked.changed()
            if self.momentum is None:  # the mean of all batches so far
                factor = 1.0 / float(self.num_batches_tracked.item())
        stored = (self.running_mean, self.running_var)
        of_batch = self.training or stored == (None, None)
        if not self.training or self.track_running_stats:
            return functional.batch_norm(input, *stored, self.weight, self.bias, of_batch, factor, self.eps)
        return functional.batch_norm(input, None, None, self.weight, self.bias, of_batch, factor, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


BatchNorm.__init__.__qualname__ = "_BatchNorm.__init__"  # what torch's errors call it


class BatchNorm1d(BatchNorm):
    __module__ = "torch.nn.modules.batchnorm"
    _dimensions = (2, 3)


class BatchNorm2d(BatchNorm):
    __module__ = "torch.nn.modules.batchnorm"
    _dimensions = (4,)


class BatchNorm3d(BatchNorm):
    __module__ = "torch.nn.modules.batchnorm"
    _dimensions = (5,)


class LayerNorm(Normalization):
    """The last dimensions shifted and scaled to mean 0 and variance 1."""

    __module__ = "torch.nn.modules.normalization"

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = tuple(normalized_shape) if isinstance(normalized_shape, tuple | list) else (normalized_shape,)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self._learn(shape, elementwise_affine, elementwise_affine and bias, dtype)

    def forward(self, input: Tensor) -> Any:
        check_tensor("layer_norm", input)
        check_shared(input, self.weight)
        return OPERATIONS["layer_norm"].function(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class GroupNorm(Normalization):
    """Groups of channels of each example shifted and scaled to mean 0 and variance 1."""

    __module__ = "torch.nn.modules.normalization"

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._learn((num_channels,), affine, affine and bias, dtype)

    def forward(self, input: Tensor) -> Any:
        check_tensor("group_norm", input)
        check_shared(input, self.weight)
        return OPERATIONS["group_norm"].function(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Normalization):
    """The last dimensions over the root of their mean square."""

    __module__ = "torch.nn.modules.normalization"

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = tuple(normalized_shape) if isinstance(normalized_shape, tuple | list) else (normalized_shape,)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        weight = Parameter(blank(shape, dtype, 1.0)) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def forward(self, input: Tensor) -> Any:
        check_tensor("rms_norm", input)
        return OPERATIONS["rms_norm"].function(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
