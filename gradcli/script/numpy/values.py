"""Arguments for numpy: arrays of numbers, dtypes, sizes, each checked before numpy sees it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import numpy as np

from gradcli.engine.dtypes import OF_PYTHON, type_name
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType

Array = np.ndarray[Any, Any]

DEEPEST = 64  # axes
LIST = "keep texts and objects in a list"
KINDS = "fiub"  # of dtypes: numbers and booleans
NAMES = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"


class ScalarType(BuiltinType):
    """A type of numbers, `np.float32` or another, which is a dtype too."""

    def __init__(self, name: str) -> None:
        self.dtype = np.dtype(name)
        super().__init__(name, self.dtype.type, self._scalar, module="numpy")

    def _scalar(self, data: Any = 0) -> Any:
        return self.dtype.type(data) if isinstance(data, str) else array(data, self)[()]


SCALARS = {name: ScalarType(name) for name in NAMES.split()}


def dtype_of(dtype: Any) -> Any:
    """Return the dtype that a snippet names; None for None."""
    if dtype is None or isinstance(dtype, np.dtype):
        return dtype
    if isinstance(dtype, ScalarType):
        return dtype.dtype
    if isinstance(dtype, BuiltinType) and dtype.python in OF_PYTHON:
        return OF_PYTHON[dtype.python]
    if isinstance(dtype, str):
        numpy_dtype = np.dtype(dtype)
        if numpy_dtype.kind in KINDS and numpy_dtype.isnative and not numpy_dtype.shape and numpy_dtype.itemsize <= 8:
            return numpy_dtype
    raise TypeError(f"Cannot interpret {dtype!r} as a data type")


def array(object: Any, dtype: Any = None, *, copy: bool | None = True, ndmin: int = 0) -> Array:
    """`np.array`: of numbers, nested lists, tensors and arrays."""
    wanted = dtype_of(dtype)
    result = np.array(plain(object), wanted, copy=copy, ndmin=ndmin)
    if result.dtype.kind not in KINDS:
        raise UnsupportedError("an array of this is not supported here", python=TypeError, help=LIST)
    return result


def asarray(a: Any, dtype: Any = None) -> Array:
    """The array itself, unless it has another dtype."""
    return array(a, dtype, copy=None)


def value(data: Any) -> Any:
    """Return the array of an array, tensor or list; numbers of numpy and Python stay as they are."""
    if isinstance(data, np.ndarray | np.generic | bool | float):
        return data
    if isinstance(data, int):
        return data if -(2**63) <= data < 2**64 else float(data)
    return array(data, copy=None)


def plain(data: Any) -> Any:
    """Return lists of numbers with arrays in the place of tensors; measured."""
    if isinstance(data, Tensor):
        return data.numpy()
    if isinstance(data, range):
        running.machine.budget.fits(len(data), "the array")
        return data
    if isinstance(data, np.ndarray | np.generic | int | float):
        return data
    if not isinstance(data, list | tuple):
        raise _no_number(data)
    return _without_tensors(data) if _look_through(data) else data


def _look_through(data: Any) -> bool:
    """Whether there are tensors in nested lists; refuse lists that are too deep or large or hold other values."""
    waiting, seen, has_tensors = [(data, 1)], 0, False
    while waiting:
        items, depth = waiting.pop()
        seen += len(items)
        running.machine.budget.fits(seen, "the array")
        if depth > DEEPEST:
            raise ValueError(f"an array has at most {DEEPEST} axes")
        for item in () if set(map(type, items)) <= OF_PYTHON.keys() else items:
            if isinstance(item, list | tuple | range):
                waiting.append((item, depth + 1))
            elif isinstance(item, Tensor):
                has_tensors = True
            elif isinstance(item, np.ndarray):
                seen += item.size
            elif not isinstance(item, np.generic | int | float):
                raise _no_number(item)
    return has_tensors


def _no_number(data: Any) -> UnsupportedError:
    return UnsupportedError(f"an array holds numbers here, not '{type_name(data)}'", python=TypeError, help=LIST)


def _without_tensors(data: Any) -> Any:
    """Put arrays in the place of tensors; recursion is at most as deep as an array has axes."""
    if isinstance(data, list | tuple):
        return [_without_tensors(item) for item in data]
    return data.numpy() if isinstance(data, Tensor) else data


def fits(size: float) -> None:
    """Refuse an array of absurd size."""
    running.machine.budget.fits(int(size), "the array")


def fit_together(*values: Any) -> None:
    """Refuse arrays that broadcast to absurd size; numpy checks whether they broadcast."""
    sizes = zip_longest(*(reversed(np.shape(array)) for array in values), fillvalue=1)
    fits(math.prod(map(max, sizes)))


def shape_of(shape: Any) -> tuple[int, ...]:
    """Return a shape, given as a number or several; measured."""
    if isinstance(shape, Sequence | np.ndarray) and len(shape) > DEEPEST:
        most = f"maximum supported dimension for an ndarray is currently {DEEPEST}"
        raise ValueError(f"{most}, found {len(shape)}")
    sizes = tuple(map(int, shape)) if isinstance(shape, Sequence | np.ndarray) else (int(shape),)
    fits(math.prod(sizes))
    return sizes
