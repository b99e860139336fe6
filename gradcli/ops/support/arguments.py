"""Read the arguments of operations: numbers, lists and tensors as users write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.checks.shapes import check_size as check_size
from gradcli.engine.checks.shapes import too_large as too_large
from gradcli.engine.modes import mode
from gradcli.engine.recorder import with_origin
from gradcli.engine.tensor import Tensor, is_floating, tensor
from gradcli.ops.support.calling import ops

# The `dtype=` of operations: the input is converted first.


def to_dtype(x: Tensor, dtype: Dtype | None) -> Any:
    """Return the tensor in a dtype; None keeps its own."""
    return x if dtype is None or x.dtype == dtype else to_copy(x, dtype=dtype)


# The result of an operation with several parts: a tuple whose parts have names, `max(x, dim=1).indices`.


class ReturnType(tuple[Any, ...]):
    """A tuple whose parts have names; `name` is that of the type in `torch.return_types`."""

    name: str
    closed = "torch.return_types"  # the module of these types, whose names are all known here
    _fields: tuple[str, ...]

    def __new__(cls, name: str, **parts: Any) -> ReturnType:
        self = super().__new__(cls, parts.values())
        self.name = name
        self._fields = tuple(parts)
        return self

    def __getattr__(self, part: str) -> Any:
        if part.startswith("_") or part not in self._fields:
            raise AttributeError(f"torch.return_types.{self.name} has no part {part!r}")
        return self[self._fields.index(part)]


# The annotations of parameters, besides int, float, bool and str.
Real = Tensor  # a tensor of floating point numbers; integers are converted
Operand = Any  # a tensor, or a plain number that stays one
Dims = int | tuple[int, ...] | None  # one dimension, several, or all
Shape = tuple[int, ...]
Pair = int | tuple[int, int]  # one number for both directions, or one for each
Padding = int | tuple[int, ...] | str  # as Pair, or 'same' or 'valid'
Tensors = Any  # one tensor, or a list of them: `f(x, y)` and `f([x, y])`
Dtype = np.dtype[Any]
Indices = Tensor  # a tensor of integers, or of whole numbers
Array = Any  # an array of floating point numbers, which users give as `Real`
Places = Any  # an array of integers or booleans, which users give as `Indices`


def as_tensor(value: Any) -> Tensor:
    """Return a tensor as it is, a number or nested lists as a constant; lists that hold tensors are stacked."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, bool | int | float | np.ndarray | np.generic):
        return with_origin(tensor(value), value)
    if isinstance(value, list):
        return stack_items(value)
    raise TypeError(value)


def stack_items(items: list[Any]) -> Tensor:
    """Return nested lists as a tensor: a constant, or a stack where an item is a tensor."""
    if not _holds_tensor(items):
        try:
            return tensor(items)
        except (TypeError, ValueError, OverflowError):
            raise ValueError("rows of different lengths") from None
    try:
        return ops.stack([as_tensor(item) for item in items])  # type: ignore[no-any-return]
    except RecursionError:
        raise ValueError("more than 64 dimensions") from None


def _holds_tensor(items: list[Any]) -> bool:
    waiting = list(items)
    while waiting:
        item = waiting.pop()
        if isinstance(item, Tensor):
            return True
        if isinstance(item, list):
            waiting.extend(item)
    return False


def real(value: Any) -> Tensor:
    """Return a tensor of floating point numbers; integers are converted."""
    x = as_tensor(value)
    return x if is_floating(x.value) else with_origin(Tensor(x.value.astype(mode.default_dtype)), x)


def promote_integers(values: list[Any]) -> list[Any]:
    """Return the values, tensors of integers in the dtype of the first floating point tensor, if there is one."""
    tensors = [x for value in values for x in (value if isinstance(value, list) else [value]) if isinstance(x, Tensor)]
    dtype = next((x.dtype for x in tensors if is_floating(x.value)), None)

    def convert(value: Any) -> Any:
        if isinstance(value, list):
            return [convert(x) for x in value]
        if not isinstance(value, Tensor) or is_floating(value.value):
            return value
        return with_origin(Tensor(value.value.astype(dtype)), value)

    return values if dtype is None else [convert(value) for value in values]


def indices(value: Any) -> Tensor:
    """Return a constant tensor of integers or booleans; whole floating point numbers become integers."""
    x = as_tensor(value)
    if not is_floating(x.value):
        return x
    integers = x.value.astype(np.int64)
    if not np.all(integers == x.value):
        raise ValueError("not whole")
    return with_origin(Tensor(integers), x)


def _single(x: Tensor) -> Any:
    """Return the number in a tensor of one element."""
    if x.value.size != 1:
        raise TypeError(x)
    return x.value.item()


def is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def integer(value: Any) -> int:
    """Return a whole number of 64 bits; OverflowError for a larger one."""
    if isinstance(value, Tensor):
        value = _single(value)
    if isinstance(value, bool) or not math.isfinite(value) or int(value) != value:
        raise TypeError(value)
    if not -(2**63) <= value < 2**63:
        raise OverflowError(value)
    return int(value)


def floating(value: Any) -> float:
    if isinstance(value, str | bool):
        raise TypeError(value)
    return float(value.item() if isinstance(value, Tensor) else value)


def operand(value: Any) -> Any:
    """Return a number as it is and a list as real numbers, which a variable holds too."""
    if isinstance(value, int | float):
        return value
    return real(value) if isinstance(value, list) else as_tensor(value)


def _exactly(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if not isinstance(value, kind):
            raise TypeError(value)
        return value

    return read


def _shape(value: Any) -> Shape:
    return tuple(integer(size) for size in (value if isinstance(value, tuple | list) else (value,)))


def _padding(value: Any) -> int | Shape | str:
    return value if isinstance(value, str) else _dims(value)


def _dims(value: Any) -> int | Shape:
    return _shape(value) if isinstance(value, tuple | list) else integer(value)


def _tensors(value: Any) -> list[Tensor]:
    if not isinstance(value, list | tuple):
        raise TypeError(value)
    return [as_tensor(item) for item in value]


def _is_list_of_tensors(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(item, Tensor) for item in value)


def all_of(values: Sequence[Any]) -> list[Tensor]:
    """Return the tensors given for a parameter of `Tensors`: `f(x, y)` and `f([x, y])` alike."""
    return [x for value in values for x in (value if isinstance(value, list) else [value])]


# How a value is read for each, and what it is called.
READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "Tensor": (as_tensor, "a tensor"),
    "Real": (real, "a tensor"),
    "Indices": (indices, "whole numbers"),
    "Array": (real, "a tensor"),
    "Places": (indices, "whole numbers"),
    "Operand": (operand, "a tensor or a number"),
    "Dims": (_dims, "a dimension or a tuple of them"),
    "Dims | bool": (lambda value: value if isinstance(value, bool) else _dims(value), "a dimension or a tuple of them"),
    "int | Tensor": (
        lambda value: as_tensor(value) if isinstance(value, Tensor | list) else integer(value),
        "a dimension or a tensor",
    ),
    "Shape": (_shape, "whole numbers"),
    "Pair": (_dims, "a whole number or a pair of them"),
    "Padding": (_padding, "a whole number, a pair of them, 'same' or 'valid'"),
    "Sequence[Tensor]": (_tensors, "a tuple or list of tensors"),
    "Tensors": (
        lambda value: _tensors(value) if _is_list_of_tensors(value) else as_tensor(value),
        "tensors, or a list of them",
    ),
    "Dtype": (_exactly(np.dtype), "a dtype"),
    "int": (integer, "a whole number"),
    "float": (floating, "a number"),
    "bool": (_exactly(bool), "True or False"),
    "str": (_exactly(str), "a word in quotes"),
    "Any": (lambda value: value, "a value"),
}


def describe_value(value: Any) -> str:
    """Describe a value for an error message."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {value.shape}" if value.shape else repr(value.value.item())
    return "a list" if isinstance(value, list) else repr(value)[:60]
