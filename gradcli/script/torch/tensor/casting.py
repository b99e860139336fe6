"""A tensor in another dtype: `x.to(...)`, `x.double()`, `x.type(...)`, `x.view(dtype)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.torch.devices import Device, check_device
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, DType, numpy_dtype


def cast(x: Tensor, dtype: Any, *, copy: bool = False) -> Tensor:
    """Return the tensor in another dtype; the tensor itself if it has that dtype."""
    wanted = np.dtype(numpy_dtype(dtype))
    if x.dtype == wanted and not copy:
        return x
    if wanted.kind == "f":
        return to_copy(x, dtype=wanted)  # type: ignore[no-any-return]
    whole = Tensor(x.value.astype(wanted))  # integers are outside the graph
    if running.machine.timeline is not None:
        running.machine.timeline.cut(x, whole, f"the cast to {wanted}")
    return whole


def to(x: Tensor, *arguments: Any, copy: bool = False, non_blocking: bool = False, **keywords: Any) -> Tensor:
    """`x.to(dtype)`, `x.to(device)`, `x.to(other)`: there is one device, so only the dtype has an effect."""
    wanted: Any = x.dtype
    copy = copy or [argument for argument in arguments if isinstance(argument, bool)][1:] == [True]
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, str | Device) or type(argument) is int:
            check_device(argument)
        elif isinstance(argument, Tensor):
            wanted = argument.dtype
        elif isinstance(argument, DType | BuiltinType):
            wanted = argument
    return cast(x, wanted, copy=copy)


def casting(dtype: str) -> Callable[[Tensor], Tensor]:
    return lambda x: cast(x, BY_NUMPY[np.dtype(dtype)])


def type_(x: Tensor, dtype: Any = None, **_: Any) -> Any:
    """`x.type()`: return the name of the tensor's type; with a dtype, or such a name, cast the tensor."""
    if dtype is None:
        return tensor_type(x)
    if isinstance(dtype, str):
        names = {f"torch.{name}Tensor": kind for kind, name in TYPE_NAMES.items()}
        if dtype not in names:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = names[dtype]
    elif not isinstance(dtype, DType | BuiltinType):
        raise TypeError("dtype must be a type, str, or dtype object")
    return cast(x, dtype)


def tensor_type(x: Tensor) -> str:
    """`torch.FloatTensor`."""
    return f"torch.{TYPE_NAMES[x.dtype]}Tensor"
