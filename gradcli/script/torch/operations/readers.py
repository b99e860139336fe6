"""Read one argument as torch does: by kind, strictly; a TypeError says what is of another kind, missing or too much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor, is_floating
from gradcli.ops.support import arguments as reading
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.random.generator import Generator
from gradcli.script.torch.tensor.dtypes import numpy_dtype

Reader = Callable[[Any], Any]
TORCH_NAMES = {np.ndarray: "numpy.ndarray", Generator: "torch._C.Generator"}


def kind_name(value: Any) -> str:
    """The type of a value in torch's messages."""
    return TORCH_NAMES.get(type(value)) or ("Tensor" if isinstance(value, Tensor) else type(value).__name__)


def tensor(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    raise TypeError


def real(value: Any) -> Any:
    """Return a tensor of floating point numbers; integers and booleans are converted, as torch promotes them."""
    if not isinstance(value, Tensor):
        raise TypeError
    return value if value.value.dtype.kind == "f" else reading.real(value)


def indices(value: Any) -> Any:
    """A tensor of integers or booleans."""
    if is_floating(tensor(value).value):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    return value


def operand(value: Any) -> Any:
    if isinstance(value, Tensor | float | int):
        return value
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def plain(value: Any, kinds: str = "fiub") -> Any:
    """The number in a tensor without dimensions, of some kinds, that no gradient flows through; others stay."""
    if not isinstance(value, Tensor):
        return value
    if value.ndim or value.requires_grad or value.dtype.kind not in kinds:
        raise TypeError
    return value.item()


def integer(value: Any) -> int:
    if type(value) is int:
        return value
    value = plain(value, "iu")
    if isinstance(value, float):
        raise TypeError
    return value if type(value) is int else reading.integer(value)


def boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def number(value: Any) -> Any:
    value = plain(value)
    return value if type(value) in (int, bool) else reading.floating(value)


def floating(value: Any) -> float:
    if type(value) is float:
        return value
    value = plain(value)
    return float(value) if isinstance(value, bool) else reading.floating(value)


def string(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def sizes(value: Any) -> Any:
    """Return one size, or a tuple of them."""
    if type(value) is int:
        return value
    return tuple(map(integer, value)) if isinstance(value, tuple | list) else integer(value)


def size_tuple(value: Any) -> Any:
    """Sizes that must stand in a tuple or a list."""
    if not isinstance(value, tuple | list):
        raise TypeError
    return sizes(value)


def tensors(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise TypeError
    for position, item in enumerate(value):
        if not isinstance(item, Tensor):
            raise IndexError(f"expected Tensor as element {position} in argument 0, but got {kind_name(item)}")
    return list(value)


def dims_or_bool(value: Any) -> Any:
    return value if isinstance(value, bool) else sizes(value)


READERS: dict[str, tuple[Reader, str]] = {
    "Tensor": (tensor, "Tensor"),
    "Real": (real, "Tensor"),
    "Indices": (indices, "Tensor"),
    "Operand": (operand, "Tensor"),
    "Dims": (sizes, "tuple of ints"),
    "Dims | bool": (dims_or_bool, "tuple of ints"),
    "int | Tensor": (lambda value: value if isinstance(value, Tensor) else integer(value), "int"),
    "Shape": (sizes, "tuple of ints"),
    "Pair": (sizes, "tuple of ints"),
    "Padding": (lambda value: value if isinstance(value, str) else sizes(value), "tuple of ints"),
    "Sequence[Tensor]": (tensors, "tuple of Tensors"),
    "Tensors": (lambda value: value if isinstance(value, Tensor) else tensors(value), "Tensor"),
    "Dtype": (lambda value: np.dtype(numpy_dtype(value)), "torch.dtype"),
    "int": (integer, "int"),
    "float": (floating, "float"),
    "bool": (boolean, "bool"),
    "str": (string, "str"),
    "Any": (lambda value: value, "Any"),
}


def no_output(name: str) -> UnsupportedError:
    return UnsupportedError(f"{name}(out=...) is not supported here", help=f"write x = torch.{name}(...), or x.copy_()")


def missing(name: str, absent: list[str]) -> str:
    """Return torch's words for arguments that are not given, with the plural where one is missing."""
    listed = ", ".join(f'"{one}"' for one in absent)
    return f"{name}() missing {len(absent)} required positional argument{'s' * (len(absent) == 1)}: {listed}"


def too_many(name: str, least: int, most: int, given: int) -> str:
    """Return torch's words for more arguments than a way of calling takes."""
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    was, s = ("was" if given == 1 else "were"), "" if most == 1 else "s"
    return f"{name}() takes {most} positional argument{s} but {given} {was} given"
