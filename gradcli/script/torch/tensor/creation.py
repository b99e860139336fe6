"""Functions that make tensors: of data, of one number, of a range, or like another tensor."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import CATEGORIES
from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.modes import mode, warn_once
from gradcli.engine.protocol import GRADIENT_LOST
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.torch.operations.arguments import check_kind, kind_name
from gradcli.script.torch.operations.facade import plain
from gradcli.script.torch.random.sampling import CREATION as RANDOM
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, OfDtype, Size, cast
from gradcli.script.torch.tensor.options import new_leaf, read_options, sizes

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than {}.{}(sourceTensor)."
)
SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)
DEEPEST = 64  # dimensions
NUMBERS: dict[type, Any] = {bool: np.dtype(np.bool_), int: np.dtype(np.int64)}


def tensor_(*data: Any, owner: tuple[str, str] = ("torch", "tensor"), **keywords: Any) -> Tensor:
    """`torch.tensor`: copy the data; floats take the default dtype, arrays and tensors keep theirs."""
    if "data" in keywords and not data:
        data = (keywords.pop("data"),)
    if len(data) != 1:
        if data:
            raise TypeError(f"tensor() takes 1 positional argument but {len(data)} were given")
        raise TypeError('tensor() missing 1 required positional arguments: "data"')
    options = read_options("tensor", keywords)
    source = data[0]
    if isinstance(source, Tensor):
        warnings.warn(COPY_WARNING.format(*owner), UserWarning, stacklevel=2)
    elif isinstance(source, list | tuple) and source and isinstance(source[0], np.ndarray):
        warn_once(SLOW)
    return copied("torch.tensor()", source, new_leaf(array_of(source, options.dtype), options))


def copied(how: str, source: Any, result: Tensor) -> Tensor:
    """Tell the timeline, if there is one, that a tensor copies others, which its graph does not contain."""
    if running.machine.timeline is not None:
        running.machine.timeline.copied(source if isinstance(source, list | tuple) else [source], result, how)
    return result


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return the tensor itself, a tensor on the memory of an array, or a new tensor."""
    wanted = read_options("as_tensor", {"dtype": dtype, "device": device}).dtype
    if isinstance(data, np.ndarray):
        data = from_numpy(data)
    if isinstance(data, Tensor):
        return data if wanted is None else cast(data, wanted)
    return copied("torch.as_tensor()", data, Tensor(array_of(data, wanted)))


def from_numpy(array: Any) -> Tensor:
    """Make a tensor on the memory of an array."""
    if not isinstance(array, np.ndarray):
        name = f"numpy.{type(array).__name__}" if isinstance(array, np.generic) else kind_name(array)
        raise TypeError(f"expected np.ndarray (got {name})")
    _check_array(array)
    return Tensor(array)


def _check_array(array: Any) -> None:
    if array.dtype.kind not in "fiub":
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}")
    if array.dtype.kind == "u" and array.dtype.itemsize > 1:
        raise UnsupportedError(f"the dtype torch.{array.dtype.name} is not supported here", help="write .astype(int)")
    if any(step < 0 for step in array.strides):
        raise ValueError("a tensor has no negative strides, as this array has: write array.copy()")


def array_of(data: Any, dtype: np.dtype[Any] | None = None) -> Any:
    """Copy the data to an array, or to a numpy scalar where it is a single number."""
    if isinstance(data, Tensor):
        value = data.value
    elif isinstance(data, np.ndarray):
        _check_array(data)
        value = data
    elif isinstance(data, str):
        raise TypeError("new(): invalid data type 'str'")
    else:
        shape, numbers = entries(data)
        value = _array(numbers, dtype).reshape(shape)
    if dtype is not None and value.dtype != dtype:
        _check_range(value, dtype)
        return value.astype(dtype)[()]
    return np.array(value)[()]


def entries(data: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Return the shape of nested lists, and their entries in order.

    TypeError or ValueError where lists of one level differ in length.
    """
    shape: list[int] = []
    level = [data]
    while level and _is_sequence(level[0]):
        length = len(level[0])
        for item in level:
            if not _is_sequence(item):
                raise TypeError("not a sequence")
            if len(item) != length:
                raise ValueError(f"expected sequence of length {length} at dim {len(shape)} (got {len(item)})")
        shape.append(length)
        running.machine.budget.fits(len(level) * length, "the tensor")
        level = [entry for item in level for entry in item]
        if len(shape) > DEEPEST:
            raise UnsupportedError(f"a tensor of more than {DEEPEST} dimensions is not supported here")
    return tuple(shape), level


def _is_sequence(item: Any) -> bool:
    if isinstance(item, str):
        raise ValueError("too many dimensions 'str'")
    return isinstance(item, list | tuple | range | deque) or (isinstance(item, np.ndarray) and item.ndim > 0)


def _array(numbers: list[Any], dtype: np.dtype[Any] | None) -> Any:
    """Make an array of the entries, in the dtype that they promote to."""
    kinds = set(map(type, numbers))
    if kinds <= {bool, int, float}:
        natural = mode.default_dtype if float in kinds or not kinds else NUMBERS[int if int in kinds else bool]
    else:
        dtypes = {_dtype_of(number) for number in numbers}
        top = max(CATEGORIES[candidate.kind] for candidate in dtypes)
        natural = np.result_type(*(candidate for candidate in dtypes if CATEGORIES[candidate.kind] == top))
        numbers = [_number(number) for number in numbers]
    try:
        return np.array(numbers, np.float64 if dtype is not None and natural.kind == "f" else natural)
    except OverflowError:
        if dtype is not None and dtype.kind == "f":
            return np.array(numbers, np.float64)
        raise ValueError("Overflow when unpacking long long") from None


def _dtype_of(number: Any) -> np.dtype[Any]:
    if isinstance(number, np.generic | np.ndarray | Tensor):
        return np.dtype(number.dtype)
    if isinstance(number, float):
        return mode.default_dtype
    if isinstance(number, int):
        return NUMBERS[type(number)]  # type: ignore[no-any-return]
    if isinstance(number, list | tuple | str):
        raise TypeError(f"'{type(number).__name__}' object cannot be interpreted as an integer")
    raise RuntimeError(f"Could not infer dtype of {kind_name(number)}")


def _number(number: Any) -> Any:
    if isinstance(number, Tensor):
        if number.value.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        if number.requires_grad and mode.grad_enabled:
            warn_once(GRADIENT_LOST)
        return number.value.item()
    return number


def _check_range(value: Any, dtype: np.dtype[Any]) -> None:
    """Refuse numbers that an integer dtype cannot hold; negative ones may wrap around."""
    if dtype.kind not in "iu" or value.dtype.kind not in "fiu" or not value.size:
        return
    highest = np.iinfo(dtype).max
    lowest, largest = float(value.min()), float(value.max())
    if not (lowest >= -highest - 1 and largest <= highest):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")


def filled(name: str, value: Any) -> Callable[..., Tensor]:
    """`torch.zeros` and `torch.ones`; `torch.empty` has entries of 0 here."""

    def make(*size: Any, **keywords: Any) -> Tensor:
        shape, options = sizes(name, size, keywords), read_options(name, keywords)
        return new_leaf(np.full(shape, value, options.real)[()], options)

    return make


def computed(name: str) -> Callable[..., Tensor]:
    """Return `torch.arange` or another that computes its entries: the operation, with torch's options beside."""

    def make(*arguments: Any, **keywords: Any) -> Tensor:
        parameters = OPERATIONS[name].parameters.keys() - {"dtype"}
        operation_arguments = {keyword: keywords.pop(keyword) for keyword in list(keywords) if keyword in parameters}
        options = read_options(name, keywords)
        if options.dtype is not None:
            operation_arguments["dtype"] = options.dtype
        if name == "arange" and not arguments and "start" not in operation_arguments and "end" in operation_arguments:
            arguments = (operation_arguments.pop("end"),)
        try:
            return new_leaf(_operation(name)(*arguments, **operation_arguments).value, options)
        except EvaluationError as error:
            if error.code == "E210":  # a limit, which a snippet may not catch
                running.machine.budget.refuse(error.message, "try it at a smaller size")
            raise

    return make


@cache
def _operation(name: str) -> Callable[..., Tensor]:
    return plain(name, method=False)


def like(name: str) -> Callable[..., Tensor]:
    """`torch.zeros_like(x)`: the shape and, unless another is given, the dtype of a tensor."""

    def make(input: Any, *arguments: Any, **keywords: Any) -> Tensor:
        check_kind(f"{name}_like", "input", 1, input, Tensor, "Tensor")
        keywords["dtype"] = keywords.get("dtype") or input.dtype
        if name == "randint":
            return CREATION[name](*arguments, size=input.shape, **keywords)  # type: ignore[no-any-return]
        return CREATION[name](input.shape, *arguments, **keywords)  # type: ignore[no-any-return]

    return make


CREATION: dict[str, Callable[..., Any]] = {
    **RANDOM,
    "tensor": tensor_,
    "as_tensor": as_tensor,
    "from_numpy": from_numpy,
    "zeros": filled("zeros", 0),
    "ones": filled("ones", 1),
    "empty": filled("empty", 0),
    **{name: computed(name) for name in ("full", "full_like", "arange", "linspace", "logspace", "eye")},
}


CREATION |= {f"{name}_like": like(name) for name in ("zeros", "ones", "empty", "rand", "randn", "randint")}


def construct(data: tuple[Any, ...], kind: Any, **keywords: Any) -> Tensor:
    """The tensor `torch.FloatTensor(...)`: of numbers in a list; or of a size, with arbitrary entries."""
    if len(data) == 1 and isinstance(data[0], Tensor) and data[0].dtype == kind.numpy:
        return data[0].detach()
    if keywords or (len(data) == 1 and isinstance(data[0], Tensor | str)):
        raise UnsupportedError("such a call of a tensor type is not supported here", help="write torch.tensor(...)")
    if len(data) == 1 and not isinstance(data[0], int | Size):
        if np.isscalar(data[0]):
            raise TypeError(f"new(): data must be a sequence (got {type(data[0]).__name__})")
        return CREATION["tensor"](data[0], dtype=kind)  # type: ignore[no-any-return]
    return CREATION["empty"](*(data or (0,)), dtype=kind)  # type: ignore[no-any-return]


def legacy(dtype: np.dtype[Any]) -> BuiltinType:
    """The type of the tensors of one dtype: it may be called, compared, and given to `x.type(...)`."""
    name = f"{TYPE_NAMES[dtype]}Tensor"
    python = OfDtype(name, (), {"dtype": dtype})
    facts = {"dtype": BY_NUMPY[dtype], "is_cuda": False, "is_sparse": False}
    return BuiltinType(name, python, lambda *data, **named: construct(data, BY_NUMPY[dtype], **named), facts, "torch")


LEGACY = {kind.name: kind for kind in map(legacy, BY_NUMPY)}
