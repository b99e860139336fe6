"""`nn.Parameter`: a tensor that a module registers when it is assigned."""

from __future__ import annotations

import math
import warnings
from types import FunctionType
from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, require_grad
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import FORMATS, REPRESENTATIONS, format_field
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.kinds import type_of
from gradcli.script.torch.tensor.creation import CREATION
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, numpy_dtype
from gradcli.script.torch.tensor.options import checked_shape, overwrite
from gradcli.script.torch.tensor.printing import tensor_text


class Parameter(Tensor):
    """A leaf that a module trains; it shares the memory of the tensor that it is made from."""

    __slots__ = ()

    def __init__(self, data: Tensor, requires_grad: bool = True) -> None:
        super().__init__(data.array)
        self.history = data.shared_history()
        if requires_grad:
            require_grad(self)

    def __copy__(self) -> Parameter:
        """Return another parameter on the same memory, which counts changes of its own."""
        return Parameter(Tensor(self.array), self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        """Copy the numbers; as in torch the copy has no gradient."""
        copied = memo[id(self)] = Parameter(Tensor(self.array.copy()), self.requires_grad)
        return copied


def construct(data: Any = None, requires_grad: bool = True) -> Parameter:
    """Make a parameter: `nn.Parameter(tensor)`."""
    tensor = CREATION["empty"](0) if data is None else data
    if not isinstance(tensor, Tensor):
        raise AttributeError(f"{type(data).__name__!r} object has no attribute 'detach'")
    return Parameter(tensor, requires_grad)


def parameter_text(parameter: Parameter) -> str:
    return f"Parameter containing:\n{tensor_text(parameter)}"


def format_parameter(parameter: Parameter, spec: str = "") -> str:
    """Format the whole text, of a single number too."""
    if spec:
        raise TypeError("unsupported format string passed to Parameter.__format__")
    return parameter_text(parameter)


def typename(value: Any) -> str:
    """Return the name of a type as `torch.typename` does: `torch.FloatTensor`, `int`; of a function its own."""
    if isinstance(value, Tensor):
        return f"torch.{TYPE_NAMES.get(value.dtype, 'Float')}Tensor"
    if isinstance(value, FunctionType):
        if value.__module__.startswith("gradcli."):
            raise UnsupportedError(f"the place of {value.__name__} in torch is not supported here")
        return f"{value.__module__}.{value.__qualname__}"
    kind = value if isinstance(value, BuiltinType | type) else type_of(value)
    return format_field(kind).removeprefix("<class '").removesuffix("'>")


PARAMETER = TYPES[Parameter] = BuiltinType("Parameter", Parameter, construct, module="torch.nn.parameter")
REPRESENTATIONS[Parameter] = parameter_text
FORMATS[Parameter] = format_parameter


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


def draw_bias(shape: tuple[Any, ...], fan_in: int, dtype: Any = None) -> Parameter:
    """Draw a bias uniformly between `-1/sqrt(fan_in)` and `1/sqrt(fan_in)`."""
    return uniform(shape, 1 / math.sqrt(fan_in) if fan_in > 0 else 0, dtype)


def redraw(weight: Tensor, bias: Tensor | None, fan_in: int) -> None:
    """Draw the numbers of a layer again, as for a new one."""
    for tensor, draw in ((weight, fan_in_uniform), (bias, draw_bias)):
        if tensor is not None:
            overwrite(tensor, draw(tensor.shape, fan_in, BY_NUMPY[tensor.dtype]).value)
