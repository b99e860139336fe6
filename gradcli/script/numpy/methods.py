"""The attributes of arrays, of numpy's numbers and of dtypes, as snippets see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.script.numpy.functions import FUNCTIONS
from gradcli.script.numpy.values import SCALARS, dtype_of, value
from gradcli.script.python.values.attributes import BuiltinType, describe
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.formatting import FORMATS

SHARED = (
    "sum mean std var prod min max argmin argmax any all cumsum cumprod ravel squeeze swapaxes argsort trace diagonal "
    "round nonzero take searchsorted clip repeat dot"
)
GETTERS = "shape ndim size T nbytes itemsize strides real imag"


def reshape(a: Any, *shape: Any, order: str = "C") -> Any:
    """`a.reshape(2, 3)` and `a.reshape((2, 3))`."""
    sizes = shape[0] if len(shape) == 1 else shape
    return a.reshape(sizes if isinstance(sizes, int) else tuple(map(int, sizes)), order=order)


def transpose(a: Any, *axes: Any) -> Any:
    """The axes in another order; without any, the other way round."""
    return a.transpose(*axes)


def astype(a: Any, dtype: Any, copy: bool = True) -> Any:
    """The same numbers in another dtype."""
    return a.astype(dtype_of(dtype), copy=copy)


def fill(a: Any, number: Any) -> None:
    """One number everywhere."""
    a.fill(value(number))


def sort(a: Any, axis: int = -1) -> None:
    """Put the entries in order, in place."""
    a.sort(axis)


METHODS: dict[str, Callable[..., Any]] = {name: FUNCTIONS[name] for name in SHARED.split()}
METHODS |= {
    "reshape": reshape,
    "transpose": transpose,
    "astype": astype,
    "copy": lambda a, order="C": a.copy(order),
    "flatten": lambda a, order="C": a.flatten(order),
    "fill": fill,
    "sort": sort,
    "item": lambda a, *index: a.item(*index),
    "tolist": lambda a: a.tolist(),
    "conj": lambda a: a.conj(),
    "conjugate": lambda a: a.conj(),
    "is_integer": lambda a: a.is_integer(),
    "view": lambda a, dtype=None: a.view() if dtype is None else a.view(dtype_of(dtype)),
}


def _getter(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(value, name)


PROPERTIES = {name: _getter(name) for name in GETTERS.split()}
PROPERTIES |= {"dtype": _getter("dtype"), "__class__": lambda value: TYPES[type(value)]}

NDARRAY = TYPES[np.ndarray] = BuiltinType("ndarray", np.ndarray, module="numpy")
ABSTRACT = {name: BuiltinType(name, getattr(np, name), module="numpy") for name in ("floating", "integer", "generic")}

OF_ARRAYS = PROPERTIES | {"base": _getter("base"), "flat": _getter("flat")}
describe(np.ndarray, methods=METHODS, getters=OF_ARRAYS)
describe(np.generic, methods=METHODS, getters=PROPERTIES)
describe(np.dtype, getters={name: _getter(name) for name in ("name", "kind", "itemsize", "char")})
describe(np.finfo, getters={name: _getter(name) for name in ("eps", "max", "min", "tiny", "bits", "dtype")})
describe(np.iinfo, getters={name: _getter(name) for name in ("max", "min", "bits", "dtype")})
TYPES.update((scalar.dtype.type, scalar) for scalar in SCALARS.values())
FORMATS[np.generic] = FORMATS[np.ndarray] = format
