"""The first parameters of layers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, numpy_dtype
from gradcli.script.torch.tensor.options import checked_shape

EMPTY = "Initializing zero-element tensors is a no-op"


def blank(shape: tuple[Any, ...], dtype: Any = None, fill: float = 0.0) -> Tensor:
    """Return a tensor filled with one number; its size is checked before memory is taken."""
    wanted = mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype))
    return Tensor(np.full(checked_shape("empty", shape), fill, wanted))


def uniform(shape: tuple[Any, ...], bound: float, dtype: Any = None) -> Parameter:
    """Draw a parameter uniformly between `-bound` and `bound`."""
    tensor = blank(shape, dtype)
    tensor.value = running.machine.generator.uniform(tensor.shape, tensor.dtype, -bound, bound)
    tensor.changed()  # torch fills what it made empty
    return Parameter(tensor)


def fan_in_uniform(shape: tuple[Any, ...], fan_in: int, dtype: Any = None) -> Parameter:
    """Draw a weight as `kaiming_uniform_(weight, a=sqrt(5))` does; without inputs it is empty."""
    empty = blank(shape, dtype)
    if not empty.value.size:
        warnings.warn(EMPTY, UserWarning, stacklevel=3)
        return Parameter(empty)
    gain = math.sqrt(2.0 / (1 + math.sqrt(5) ** 2))
    return uniform(shape, math.sqrt(3.0) * (gain / math.sqrt(fan_in)), dtype)


def biased(shape: tuple[Any, ...], fan_in: int, dtype: Any = None) -> Parameter:
    """Draw a bias uniformly between `-1/sqrt(fan_in)` and `1/sqrt(fan_in)`."""
    return uniform(shape, 1 / math.sqrt(fan_in) if fan_in > 0 else 0, dtype)


def redraw(weight: Tensor, bias: Tensor | None, fan_in: int) -> None:
    """Draw the numbers of a layer again, as for a new one."""
    for tensor, draw in ((weight, fan_in_uniform), (bias, biased)):
        if tensor is not None:
            tensor.array[...] = draw(tensor.shape, fan_in, BY_NUMPY[tensor.dtype]).value
            tensor.changed()
