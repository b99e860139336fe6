"""Linear layers and embeddings."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.ops.support.calling import ops
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.parameter import Parameter, blank, draw_bias, fan_in_uniform, redraw
from gradcli.script.torch.nn.functional.module import check_dtypes, check_tensor
from gradcli.script.torch.nn.initialisation import normal_


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
        self.register_parameter("bias", draw_bias((out_features,), in_features, dtype) if bias else None)

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


class Embedding(Configured):
    """A table of learned rows; the row `padding_idx` starts at 0 and gets no gradient."""

    __module__ = "torch.nn.modules.sparse"
    _function, _absent = "embedding", "scale_grad_by_freq sparse"
    _signature = (
        "num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, "
        "sparse=False, _weight=None, _freeze=False, device=None, dtype=None"
    )

    def _settle(self, device: Any, dtype: Any) -> None:
        weight, learns = vars(self).pop("_weight"), not vars(self).pop("_freeze")
        rows, shape = self.num_embeddings, (self.num_embeddings, self.embedding_dim)
        if self.padding_idx is not None:
            if not -rows <= self.padding_idx < rows:
                raise AssertionError("Padding_idx must be within num_embeddings")
            self.padding_idx %= rows
        if weight is not None and weight.shape != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(blank(shape, dtype) if weight is None else weight, learns)
        if weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all rows again."""
        normal_(self.weight)
        if self.padding_idx is not None:
            self.weight.array[self.padding_idx] = 0

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **options: Any
    ) -> Embedding:
        """Make a table of given rows, which learn only if `freeze` is False."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def forward(self, input: Tensor) -> Any:
        return self._called(input, self.weight, self.padding_idx, self.max_norm, self.norm_type)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, usual in (("padding_idx", None), ("max_norm", None), ("norm_type", 2)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text
