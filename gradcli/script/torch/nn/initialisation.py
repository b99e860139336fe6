"""`torch.nn.init`: new numbers in the memory of a tensor, drawn in torch's order."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.parameter import EMPTY
from gradcli.script.torch.random.generator import in_memory_order
from gradcli.script.torch.tensor.options import overwrite

LINEAR = ("linear", "sigmoid", *(f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)))


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    source = generator or running.machine.generator
    return overwrite(tensor, in_memory_order(tensor.array, lambda shape: source.uniform(shape, tensor.dtype, a, b)))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    source = generator or running.machine.generator

    def draw(shape: Any, **apart: bool) -> Any:
        return source.normal(shape, tensor.dtype, mean, std, **apart)

    return overwrite(tensor, in_memory_order(tensor.array, draw, apart=True))


def constant_(tensor: Tensor, val: float) -> Tensor:
    if not isinstance(val, int | float | Tensor):
        raise UnsupportedError("init.constant_ with such a value is not supported here", help="write a number")
    return overwrite(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    return overwrite(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    return overwrite(tensor, 0.0)


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """Return the factor for the standard deviation of weights before an activation."""
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def fans(tensor: Tensor) -> tuple[int, int]:
    """Return fan in and fan out: the inputs of each output, and the outputs of each input."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    places = math.prod(tensor.shape[2:])
    return tensor.shape[1] * places, tensor.shape[0] * places


def fan(tensor: Tensor, mode: str) -> int:
    """Return fan in or fan out, as `mode` says."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return fans(tensor)[modes.index(mode.lower())]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Draw uniform numbers by fan in and fan out: Glorot and Bengio 2010."""
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(sum(fans(tensor)))))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Draw uniform numbers by one of the fans: He et al. 2015."""
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    return normal_(tensor, 0, _kaiming(tensor, a, mode, nonlinearity), generator)


def _kaiming(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if 0 in tensor.shape:
        warnings.warn(EMPTY, UserWarning, stacklevel=3)
        return 0.0  # of nothing that is drawn
    return calculate_gain(nonlinearity, a) / math.sqrt(fan(tensor, mode))


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    uniform_, normal_, constant_, ones_, zeros_, xavier_uniform_, xavier_normal_, kaiming_uniform_,
    kaiming_normal_, calculate_gain,
)  # fmt: skip
MEMBERS: dict[str, Callable[..., Any]] = {
    **{function.__name__: function for function in FUNCTIONS},
    "_calculate_fan_in_and_fan_out": fans,
    "_calculate_correct_fan": fan,
}
