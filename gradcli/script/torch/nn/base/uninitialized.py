"""Parameters and buffers whose shapes are not known yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor, require_grad
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.devices import check_device
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.tensor.attributes import GETTERS, METHODS
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, numpy_dtype

NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)
NO_USE = (
    "Attempted to use an uninitialized parameter in <method '{}' of 'torch._C.TensorBase' objects>. This error happens "
    "when you are using a `LazyModule` or explicitly manipulating `torch.nn.parameter.UninitializedParameter` objects. "
    "When using LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch "
    "functions"
)
NOT_SHARED = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
    "calling `module.share_memory()`."
)


VALUE: Any = vars(Tensor)["value"]  # where a tensor has its numbers


class Shapeless(Tensor):
    """A tensor whose numbers no operation may read."""

    __slots__ = ()

    @property
    def value(self) -> Any:
        raise UnsupportedError("an operation on a parameter without a shape is not supported here", python=ValueError)

    @value.setter
    def value(self, value: Any) -> None:
        VALUE.__set__(self, value)

    @property
    def dtype(self) -> Any:
        return VALUE.__get__(self).dtype


class UninitializedParameter(Shapeless, Parameter):
    """A parameter whose shape is not known yet."""

    __slots__ = ()


class UninitializedBuffer(Shapeless):
    """A buffer whose shape is not known yet."""

    __slots__ = ()


BECOMING: dict[type, type] = {UninitializedParameter: Parameter, UninitializedBuffer: Tensor}


def is_lazy(param: Any) -> bool:
    return type(param) in BECOMING


def nothing(dtype: Any) -> Any:
    return np.empty(0, mode.default_dtype if dtype is None else np.dtype(numpy_dtype(dtype)))


def construct_parameter(requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
    """Make a parameter without a shape."""
    check_device(device)
    made: Any = Parameter(Tensor(nothing(dtype)), requires_grad)
    made.__class__ = UninitializedParameter
    return made  # type: ignore[no-any-return]


def construct_buffer(requires_grad: bool = False, device: Any = None, dtype: Any = None) -> UninitializedBuffer:
    """Make a buffer without a shape."""
    check_device(device)
    made: Any = Tensor(nothing(dtype))
    made.own = {"persistent": True}
    if requires_grad:
        require_grad(made)
    made.__class__ = UninitializedBuffer
    return made  # type: ignore[no-any-return]


def become(x: Any, array: Any) -> None:
    """Give a parameter or buffer its shape and its numbers."""
    x.value = array
    x.__class__ = BECOMING[type(x)]


def materialize(x: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
    """Give a parameter or buffer its shape; torch does not set its numbers."""
    check_device(device)
    become(x, blank(tuple(shape), BY_NUMPY[x.dtype] if dtype is None else dtype).array)


def shapeless(_: Any) -> NoReturn:
    raise RuntimeError(NO_SHAPE)


def unshared(_: Any) -> NoReturn:
    raise RuntimeError(NOT_SHARED)


def unusable(name: str) -> Callable[..., Any] | None:
    if name not in METHODS:
        return None

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise ValueError(NO_USE.format(name))

    return refuse


KNOWN = ("requires_grad", "grad", "grad_fn", "is_leaf", "dtype", "device")
PARAMETER, BUFFER = (
    BuiltinType(kind.__name__, kind, construct, module="torch.nn.parameter")
    for kind, construct in ((UninitializedParameter, construct_parameter), (UninitializedBuffer, construct_buffer))
)
for kind, shown in ((UninitializedParameter, PARAMETER), (UninitializedBuffer, BUFFER)):
    TYPES[kind] = shown
    REPRESENTATIONS[kind] = lambda x: f"<{type(x).__name__}>"
    describe(
        kind,
        methods={"materialize": materialize, "share_memory_": unshared},
        getters={
            **{name: GETTERS[name] for name in KNOWN},
            "shape": shapeless,
            "data": lambda x: Tensor(VALUE.__get__(x)),
        },
        find=unusable,
    )
