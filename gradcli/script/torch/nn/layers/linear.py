"""Linear layers, layers that compare rows, and layers that only reshape."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.parameter import biased, fan_in_uniform, redraw
from gradcli.script.torch.nn.functional.module import check_dtypes, check_tensor


class Identity(Module):
    """A layer that returns its input, whatever its arguments."""

    __module__ = "torch.nn.modules.linear"

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """`x @ weight.T + bias`."""

    __module__ = "torch.nn.modules.linear"

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = fan_in_uniform((out_features, in_features), in_features, dtype)
        self.register_parameter("bias", biased((out_features,), in_features, dtype) if bias else None)

    def reset_parameters(self) -> None:
        """Draw all numbers again."""
        redraw(self.weight, self.bias, self.in_features)

    def forward(self, input: Tensor) -> Any:
        if not isinstance(input, Tensor):
            check_tensor("linear", input)
        weight, bias = self.weight, self.bias
        if input.dtype is not weight.dtype:
            check_dtypes(input, weight, bias)
        return ops.linear(input, weight, bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class CosineSimilarity(Configured):
    """The cosine of the angle between rows."""

    __module__ = "torch.nn.modules.distance"
    _function, _signature = "cosine_similarity", "dim=1, eps=1e-08"

    def forward(self, x1: Any, x2: Any) -> Any:  # type: ignore[override]
        return self._called(x1, x2, *self._behind())


class Flatten(Configured):
    """A layer that joins all dimensions from one to another."""

    __module__ = "torch.nn.modules.flatten"
    _function, _signature = "flatten", "start_dim=1, end_dim=-1"
    _text = "start_dim={start_dim}, end_dim={end_dim}"


class Unflatten(Configured):
    """A layer that splits one dimension into several."""

    __module__ = "torch.nn.modules.flatten"
    _function, _signature = "unflatten", "dim, unflattened_size"
    _text = "dim={dim}, unflattened_size={unflattened_size}"
