"""Layers whose kernels slide over a row or an image."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.saved import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.nn.arguments import check_tensor
from gradcli.script.torch.nn.base import Module
from gradcli.script.torch.nn.making import biased, fan_in_uniform

PADDINGS = ("same", "valid")


class Convolution(Module):
    """What convolutions along any number of dimensions have in common."""

    _dimensions = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self._check(in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride, self.dilation = map(self._each, (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else self._each(padding)
        self.padding_mode = padding_mode
        shape = (*self._channels(), *self.kernel_size)
        fan_in = math.prod(shape[1:])
        self.weight = fan_in_uniform(shape, fan_in, dtype)
        if bias:
            self.bias = biased((out_channels,), fan_in, dtype)
        else:
            self.register_parameter("bias", None)

    def _each(self, value: Any) -> tuple[int, ...]:
        return tuple(value) if isinstance(value, tuple | list) else (value,) * self._dimensions

    def _channels(self) -> tuple[int, int]:
        """The first dimensions of the weight."""
        return self.out_channels, self.in_channels // self.groups

    def _check(self, inputs: int, outputs: int, groups: int, stride: Any, padding: Any, padding_mode: str) -> None:
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, count in (("in", inputs), ("out", outputs)):
            if count % groups:
                raise ValueError(f"{name}_channels must be divisible by groups")
        if isinstance(padding, str) and padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {set(PADDINGS)}")
        if padding == "same" and any(step != 1 for step in self._each(stride)):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode != "zeros":
            raise UnsupportedError(
                f"padding_mode={padding_mode!r} is not supported here", python=ValueError, help="pad with zeros"
            )

    def forward(self, input: Tensor) -> Any:
        name = f"conv{self._dimensions}d"
        self._check_input(name, input)
        convolve = OPERATIONS[name].function
        return convolve(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def _check_input(self, name: str, input: Tensor) -> None:
        check_tensor(name, input)
        if input.dtype == self.weight.dtype:
            return
        given, wanted = TYPE_NAMES[input.dtype], TYPE_NAMES[self.weight.dtype]
        if self.bias is None:
            raise AutogradError(f"expected scalar type {given} but found {wanted}")
        raise AutogradError(f"Input type ({C_NAMES[given]}) and bias type ({C_NAMES[wanted]}) should be the same")

    def extra_repr(self) -> str:
        ones, zeros = (1,) * self._dimensions, (0,) * self._dimensions
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usuals = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        for name, usual in usuals.items():
            if getattr(self, name, usual) != usual:
                text += f", {name}={getattr(self, name)}"
        return text if self.bias is not None else f"{text}, bias=False"


Convolution.__init__.__qualname__ = "Conv2d.__init__"  # what torch's errors call it


class Conv1d(Convolution):
    """Kernels along a row: (batch, channels, length)."""

    __module__ = "torch.nn.modules.conv"
    _dimensions = 1


class Conv2d(Convolution):
    """Kernels over an image: (batch, channels, rows, columns)."""

    __module__ = "torch.nn.modules.conv"
    _dimensions = 2


class Transposed(Convolution):
    """The adjoint of a convolution, which makes what it gets larger."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        rest = {"groups": groups, "bias": bias, "padding_mode": padding_mode, "dtype": dtype}
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, **rest)
        self.output_padding = self._each(output_padding)

    def _channels(self) -> tuple[int, int]:
        return self.in_channels, self.out_channels // self.groups

    def forward(self, input: Tensor) -> Any:
        name = f"conv_transpose{self._dimensions}d"
        self._check_input(name, input)
        sizes = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        return OPERATIONS[name].function(input, self.weight, self.bias, *sizes)


class ConvTranspose1d(Transposed):
    __module__ = "torch.nn.modules.conv"
    _dimensions = 1


class ConvTranspose2d(Transposed):
    __module__ = "torch.nn.modules.conv"
    _dimensions = 2
