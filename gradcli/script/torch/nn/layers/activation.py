"""Activations: layers that apply a function to each entry, or along a dimension."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import Configured, Rows, declared
from gradcli.script.torch.nn.base.parameter import Parameter, blank
from gradcli.script.torch.nn.functional.module import checked
from gradcli.script.torch.signature import names

# The function of each, and its signature.
ACTIVATIONS = {
    "ELU": ("elu", "alpha=1.0, inplace=False"),
    "GELU": ("gelu", "approximate='none'"),
    "Hardsigmoid": ("hardsigmoid", "inplace=False"),
    "Hardswish": ("hardswish", "inplace=False"),
    "Hardtanh": ("hardtanh", "min_val=-1.0, max_val=1.0, inplace=False"),
    "LeakyReLU": ("leaky_relu", "negative_slope=0.01, inplace=False"),
    "LogSigmoid": ("logsigmoid", ""),
    "LogSoftmax": ("log_softmax", "dim=None"),
    "Mish": ("mish", "inplace=False"),
    "ReLU": ("relu", "inplace=False"),
    "ReLU6": ("relu6", "inplace=False"),
    "SELU": ("selu", "inplace=False"),
    "Sigmoid": ("sigmoid", ""),
    "SiLU": ("silu", "inplace=False"),
    "Softmax": ("softmax", "dim=None"),
    "Softplus": ("softplus", "beta=1.0, threshold=20.0"),
    "Softsign": ("softsign", ""),
    "Tanh": ("tanh", ""),
    "Threshold": ("threshold", "threshold, value, inplace=False"),
}
UNSHOWN = ("hardsigmoid", "hardswish")  # torch prints no arguments of these


class Activation(Configured):
    """A function of a tensor."""

    def _settle(self, *_: Any, **__: Any) -> None:
        if self._function == "hardtanh" and not self.max_val > self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def extra_repr(self) -> str:
        if self._function in UNSHOWN:
            return ""
        shown = {name: getattr(self, name) for name in names(self._signature)}
        if shown.pop("inplace", False):
            shown["inplace"] = True
        return ", ".join(f"{name}={value!r}" for name, value in shown.items())


class PReLU(Module):
    """A leaky relu whose slopes are learned: one, or one for each channel."""

    __module__ = "torch.nn.modules.activation"

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(blank((num_parameters,), dtype, init))

    def forward(self, input: Tensor) -> Any:
        return checked("prelu")(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


LAYERS: Rows = {
    name: (Activation, {"_function": function, "_signature": signature})
    for name, (function, signature) in ACTIVATIONS.items()
}
__getattr__ = declared(LAYERS, "torch.nn.modules.activation")
