"""Linear and bilinear layers, and layers that only reshape."""

from __future__ import annotations

from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.making import biased, fan_in_uniform, redraw, uniform
from gradcli.script.torch.nn.functional.arguments import check_dimension, check_dtypes, check_tensor
from gradcli.script.torch.nn.functional.module import checked
from gradcli.script.torch.nn.initialisation import uniform_

TRILINEAR = "TrilinearBackward0"


class Identity(Module):
    """A layer that returns its input, whatever its arguments."""

    __module__ = "torch.nn.modules.linear"

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class DataParallel(Module):
    """A module that runs on several GPUs, of which there are none: it calls the one that it was given."""

    __module__ = "torch.nn.parallel.data_parallel"

    def __init__(self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **keywords: Any) -> Any:
        return self.module(*inputs, **keywords)


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


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """`x1 @ weight @ x2 + bias`, for each output."""
    given = {"input1": input1, "input2": input2, "weight": weight, **({} if bias is None else {"bias": bias})}
    if len({x.dtype for x in given.values()}) > 1:
        kinds = ", ".join(f"{name}: {C_NAMES[TYPE_NAMES[x.dtype]]}" for name, x in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {kinds}")
    if input1.ndim == input2.ndim:
        check_dimension(weight, 1 if weight.ndim < 2 else 2)
    problem = ""
    if input1.ndim != input2.ndim:
        problem = f"input dimensions do not match: got {input1.ndim} and {input2.ndim}"
    for place, (one, two) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=False)):
        if one != two and not problem:
            problem = f"input batch dimensions do not match at dim {place}: got {one} and {two}"
    for number, x in ((1, input1), (2, input2)):
        if not problem and x.shape[-1] != weight.shape[number]:
            found = f"got {x.shape[-1]} but expected {weight.shape[number]}"
            problem = f"input{number} size does not match weight size: {found}"
    if problem:
        raise AutogradError(f"bilinear(): {problem}", code="E301")
    one, two = (checked("reshape")(x, (-1, x.shape[-1])) for x in (input1, input2))
    product = checked("einsum")("bi,oij,bj->bo", one, weight, two)
    product = as_node(product, TRILINEAR)
    product = checked("reshape")(product, (*input1.shape[:-1], weight.shape[0]))
    return product if bias is None else product + bias


class Bilinear(Module):
    """`x1 @ weight @ x2 + bias`, for each output."""

    __module__ = "torch.nn.modules.linear"

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        bound = in1_features**-0.5
        self.weight = uniform((out_features, in1_features, in2_features), bound, dtype)
        self.register_parameter("bias", uniform((out_features,), bound, dtype) if bias else None)

    def reset_parameters(self) -> None:
        """Draw all numbers again."""
        for parameter in self.parameters():
            uniform_(parameter, -(self.in1_features**-0.5), self.in1_features**-0.5)

    def forward(self, input1: Tensor, input2: Tensor) -> Any:
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


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

    def _settle(self) -> None:
        if not isinstance(self.unflattened_size, tuple | list):
            kind = type(self.unflattened_size).__name__
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {kind}")
        for place, size in enumerate(self.unflattened_size):
            if not isinstance(size, int):
                kind = type(size).__name__
                raise TypeError(
                    f"unflattened_size must be tuple of ints, but found element of type {kind} at pos {place}"
                )

    def forward(self, input: Tensor) -> Any:
        return self._called(input, self.dim, self.unflattened_size)
