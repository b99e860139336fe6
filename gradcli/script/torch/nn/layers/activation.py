"""Activations as modules."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.configured import REQUIRED, Configured
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.functional.module import operation, softmax
from gradcli.script.torch.nn.functional.noise import rrelu

# The function of each, and its arguments in torch's order.
ACTIVATIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "CELU": ("celu", {"alpha": 1.0, "inplace": False}),
    "ELU": ("elu", {"alpha": 1.0, "inplace": False}),
    "GELU": ("gelu", {"approximate": "none"}),
    "GLU": ("glu", {"dim": -1}),
    "Hardshrink": ("hardshrink", {"lambd": 0.5}),
    "Hardsigmoid": ("hardsigmoid", {"inplace": False}),
    "Hardswish": ("hardswish", {"inplace": False}),
    "Hardtanh": ("hardtanh", {"min_val": -1.0, "max_val": 1.0, "inplace": False}),
    "LeakyReLU": ("leaky_relu", {"negative_slope": 1e-2, "inplace": False}),
    "LogSigmoid": ("logsigmoid", {}),
    "LogSoftmax": ("log_softmax", {"dim": None}),
    "Mish": ("mish", {"inplace": False}),
    "ReLU": ("relu", {"inplace": False}),
    "ReLU6": ("relu6", {"inplace": False}),
    "SELU": ("selu", {"inplace": False}),
    "Sigmoid": ("sigmoid", {}),
    "SiLU": ("silu", {"inplace": False}),
    "Softmax": ("softmax", {"dim": None}),
    "Softmin": ("softmin", {"dim": None}),
    "Softplus": ("softplus", {"beta": 1.0, "threshold": 20.0}),
    "Softshrink": ("softshrink", {"lambd": 0.5}),
    "Softsign": ("softsign", {}),
    "Tanh": ("tanh", {}),
    "Tanhshrink": ("tanhshrink", {}),
    "Threshold": ("threshold", {"threshold": REQUIRED, "value": REQUIRED, "inplace": False}),
}
UNSHOWN = ("Hardsigmoid", "Hardswish")  # torch prints nothing of these
NAMELESS = ("lambd",)  # shown as the number alone


class Activation(Configured):
    """One tensor to another of the same shape."""

    def extra_repr(self) -> str:
        if type(self).__name__ in UNSHOWN:
            return ""
        shown = {name: getattr(self, name) for name in self._defaults}
        if not shown.get("inplace", True):
            del shown["inplace"]
        return ", ".join(f"{value!r}" if name in NAMELESS else f"{name}={value!r}" for name, value in shown.items())


class PReLU(Module):
    """A leaky relu whose slopes are learned: one, or one for each channel."""

    __module__ = "torch.nn.modules.activation"

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(blank((num_parameters,), dtype, init))

    def reset_parameters(self) -> None:
        """The first slopes again."""
        self.weight.array[...] = self.init
        self.weight.changed()

    def forward(self, input: Tensor) -> Any:
        return operation("prelu")(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(Module):
    """A leaky relu whose slopes are drawn while training."""

    __module__ = "torch.nn.modules.activation"

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Any:
        return rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class Softmax2d(Module):
    """A softmax over the channels of each pixel."""

    __module__ = "torch.nn.modules.activation"

    def forward(self, input: Tensor) -> Any:
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return softmax(input, -3)


def made(name: str) -> type[Activation]:
    function, defaults = ACTIVATIONS[name]

    def forward(self: Activation, input: Any) -> Any:
        return self._called(input, *[getattr(self, name) for name in defaults])

    forward.__qualname__ = f"{name}.forward"
    facts = {
        "forward": forward,
        "__module__": "torch.nn.modules.activation",
        "_function": function,
        "_defaults": defaults,
    }
    return type(name, (Activation,), {**facts, "forward": forward})


def __getattr__(name: str) -> type[Activation]:
    if name not in ACTIVATIONS:
        raise AttributeError(name)
    globals()[name] = made(name)
    return globals()[name]  # type: ignore[no-any-return]
