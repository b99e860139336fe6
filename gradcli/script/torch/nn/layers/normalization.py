"""Layers that normalize: batches, examples, layers, groups of channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.python.text.templates import format_text
from gradcli.script.torch.nn.base.configured import Configured, Rows, declared
from gradcli.script.torch.nn.base.parameter import Parameter, blank
from gradcli.script.torch.nn.functional.module import batch_norm, check_tensor, group_norm
from gradcli.script.torch.operations.facade import check_parameters
from gradcli.script.torch.tensor.options import overwrite

STATISTICS = {"running_mean": 0.0, "running_var": 1.0}
AFFINE = "device=None, dtype=None, *, bias=True"


class Normalization(Configured):
    """A layer that may scale by a weight and shift by a bias."""

    normalized_shape: Any

    def _list_shape(self) -> None:
        shape = self.normalized_shape
        self.normalized_shape = tuple(shape) if isinstance(shape, tuple | list) else (shape,)

    def _learn(self, shape: tuple[int, ...], weight: bool, bias: bool, dtype: Any) -> None:
        for name, wanted, start in (("weight", weight, 1.0), ("bias", bias, 0.0)):
            self.register_parameter(name, Parameter(blank(shape, dtype, start)) if wanted else None)

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        for name, start in (("weight", 1), ("bias", 0)):
            tensor = self._parameters.get(name)
            if tensor is not None:
                overwrite(tensor, start)

    def extra_repr(self) -> str:
        return format_text(self._text, **{**vars(self), "bias": self._parameters.get("bias") is not None})


class _BatchNorm(Normalization):
    """A layer that normalizes channels: by the batch while training, afterwards by the running statistics."""

    __module__ = "torch.nn.modules.batchnorm"
    _signature = f"num_features, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True, {AFFINE}"
    _text = (
        "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, "
        "track_running_stats={track_running_stats}"
    )
    _ranks: tuple[int, ...] = ()  # the numbers of dimensions that an input may have

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        shape, tracked = (self.num_features,), self.track_running_stats
        self._learn(shape, self.affine, self.affine and bias, dtype)
        for name, start in STATISTICS.items():
            self.register_buffer(name, blank(shape, dtype, start) if tracked else None)
        self.register_buffer("num_batches_tracked", Tensor(np.array(0)) if tracked else None)

    def reset_running_stats(self) -> None:
        if self.track_running_stats:
            for name, start in (*STATISTICS.items(), ("num_batches_tracked", 0)):
                getattr(self, name).array[...] = start

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        super().reset_parameters()

    def forward(self, input: Tensor) -> Any:
        check_tensor("batch_norm", input)
        if input.ndim not in self._ranks:
            expected = " or ".join(f"{ndim}D" for ndim in self._ranks)
            raise ValueError(f"expected {expected} input (got {input.ndim}D input)")
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            overwrite(self.num_batches_tracked, self.num_batches_tracked.array + 1)
            if self.momentum is None:  # the mean of all batches so far
                factor = 1.0 / float(self.num_batches_tracked.item())
        stored = (self.running_mean, self.running_var)
        of_batch = self.training or stored == (None, None)
        if self.training and not self.track_running_stats:
            stored = (None, None)
        return batch_norm(input, *stored, self.weight, self.bias, of_batch, factor, self.eps)


class LayerNorm(Normalization):
    """A layer that shifts and scales the last dimensions to mean 0 and variance 1."""

    __module__ = "torch.nn.modules.normalization"
    _signature = "normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None"
    _text = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        self._list_shape()
        self._learn(self.normalized_shape, self.elementwise_affine, self.elementwise_affine and bias, dtype)

    def forward(self, input: Tensor) -> Any:
        check_tensor("layer_norm", input)
        check_parameters(input, self.weight, self.bias)
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class GroupNorm(Normalization):
    """A layer that shifts and scales groups of channels of each example to mean 0 and variance 1."""

    __module__ = "torch.nn.modules.normalization"
    _signature = f"num_groups, num_channels, eps=1e-05, affine=True, {AFFINE}"
    _text = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        if self.num_channels % self.num_groups:
            raise ValueError(f"num_channels ({self.num_channels}) must be divisible by num_groups ({self.num_groups})")
        self._learn((self.num_channels,), self.affine, self.affine and bias, dtype)

    def forward(self, input: Tensor) -> Any:
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class RMSNorm(Normalization):
    """A layer that divides the last dimensions by the root of their mean square."""

    __module__ = "torch.nn.modules.normalization"
    _signature = "normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None"
    _text = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}"

    def _settle(self, device: Any, dtype: Any) -> None:
        self._list_shape()
        weight = Parameter(blank(self.normalized_shape, dtype, 1.0)) if self.elementwise_affine else None
        self.register_parameter("weight", weight)

    def forward(self, input: Tensor) -> Any:
        check_tensor("rms_norm", input)
        return ops.rms_norm(input, self.normalized_shape, self.weight, self.eps)


LAYERS: Rows = {
    "BatchNorm1d": (_BatchNorm, {"_ranks": (2, 3)}),
    "BatchNorm2d": (_BatchNorm, {"_ranks": (4,)}),
    "BatchNorm3d": (_BatchNorm, {"_ranks": (5,)}),
}
__getattr__ = declared(LAYERS)
