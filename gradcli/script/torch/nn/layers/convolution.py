"""Convolutions and transposed convolutions of rows, images and volumes."""

from __future__ import annotations

import math
from typing import Any

from gradcli.engine.dtypes import C_NAMES, TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.absence import without
from gradcli.script.torch.nn.base.configured import Configured, declared, numbered
from gradcli.script.torch.nn.base.parameter import draw_bias, fan_in_uniform, redraw
from gradcli.script.torch.nn.functional.module import check_tensor

PADDINGS = ("same", "valid")


class Convolution(Configured):
    """A convolution: kernels that slide along 1 to 3 dimensions of (batch, channels, ...)."""

    _signature = (
        "in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, "
        "padding_mode='zeros', device=None, dtype=None"
    )
    _dimensions = 0

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        self._check()
        for name in ("kernel_size", "stride", "padding", "dilation"):
            if name != "padding" or not isinstance(self.padding, str):
                setattr(self, name, self._each(getattr(self, name)))
        shape = (*self._channels(), *self.kernel_size)
        fan_in = math.prod(shape[1:])
        self.weight = fan_in_uniform(shape, fan_in, dtype)
        self.register_parameter("bias", draw_bias((self.out_channels,), fan_in, dtype) if bias else None)

    def reset_parameters(self) -> None:
        """Draw all numbers again."""
        redraw(self.weight, self.bias, math.prod(self.weight.shape[1:]))

    def _each(self, value: Any) -> tuple[int, ...]:
        return tuple(value) if isinstance(value, tuple | list) else (value,) * self._dimensions

    def _channels(self) -> tuple[int, int]:
        """Return the first dimensions of the weight."""
        return self.out_channels, self.in_channels // self.groups

    def _check(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % self.groups:
                raise ValueError(f"{name} must be divisible by groups")
        if isinstance(self.padding, str) and self.padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {self.padding!r}, should be one of {set(PADDINGS)}")
        if self.padding_mode != "zeros":
            words = f"padding_mode={self.padding_mode!r} is not supported here"
            raise UnsupportedError(words, python=ValueError, help="write F.pad(x, widths, mode) in front of the layer")
        if self.padding == "same" and any(step != 1 for step in self._each(self.stride)):
            raise ValueError("padding='same' is not supported for strided convolutions")

    def forward(self, input: Tensor) -> Any:
        name = f"conv{self._dimensions}d"
        self._check_input(name, input)
        sizes = (self.stride, self.padding, self.dilation, self.groups)
        return getattr(ops, name)(input, self.weight, self.bias, *sizes)

    def _check_input(self, name: str, input: Tensor) -> None:
        check_tensor(name, input)
        if input.dtype == self.weight.dtype:
            return
        kind, wanted = TYPE_NAMES[input.dtype], TYPE_NAMES[self.weight.dtype]
        if self.bias is None:
            raise AutogradError(f"expected scalar type {kind} but found {wanted}")
        raise AutogradError(f"Input type ({C_NAMES[kind]}) and bias type ({C_NAMES[wanted]}) should be the same")

    def extra_repr(self) -> str:
        ones, zeros = (1,) * self._dimensions, (0,) * self._dimensions
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usuals = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
        for name, usual in usuals.items():
            if getattr(self, name, usual) != usual:
                text += f", {name}={getattr(self, name)}"
        return f"{text}, bias=False" if self.bias is None else text


class Transposed(Convolution):
    """The adjoint of a convolution, which makes its input larger."""

    _signature = (
        "in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, "
        "dilation=1, padding_mode='zeros', device=None, dtype=None"
    )
    output_padding: Any

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        super()._settle(bias, device, dtype)
        self.output_padding = self._each(self.output_padding)

    def _channels(self) -> tuple[int, int]:
        return self.in_channels, self.out_channels // self.groups

    @without("output_size")
    def forward(self, input: Tensor) -> Any:
        name = f"conv_transpose{self._dimensions}d"
        self._check_input(name, input)
        sizes = (self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        return getattr(ops, name)(input, self.weight, self.bias, *sizes)


LAYERS = {**numbered("Conv", Convolution), **numbered("ConvTranspose", Transposed)}
__getattr__ = declared(LAYERS, "torch.nn.modules.conv")
