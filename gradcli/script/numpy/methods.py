"""The attributes of arrays, of numpy's numbers and of dtypes, as snippets see them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.script.numpy.functions import FUNCTIONS
from gradcli.script.numpy.values import SCALARS, dtype_of, value
from gradcli.script.python.members.tables import describe, fields
from gradcli.script.python.text.formatting import FORMATS
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES

SHARED = (
    "sum mean std var prod min max argmin argmax any all cumsum cumprod ravel squeeze swapaxes argsort trace diagonal "
    "round nonzero take searchsorted clip repeat dot"
)


def reshape(a: Any, *shape: Any, order: str = "C") -> Any:
    """`a.reshape(2, 3)` and `a.reshape((2, 3))`."""
    sizes = shape[0] if len(shape) == 1 else shape
    return a.reshape(sizes if isinstance(sizes, int) else tuple(map(int, sizes)), order=order)


def astype(a: Any, dtype: Any, copy: bool = True) -> Any:
    """Return the numbers in another dtype."""
    return a.astype(dtype_of(dtype), copy=copy)


METHODS: dict[str, Callable[..., Any]] = {name: FUNCTIONS[name] for name in SHARED.split()}
METHODS |= {
    "reshape": reshape,
    "transpose": lambda a, *axes: a.transpose(*axes),
    "astype": astype,
    "copy": lambda a, order="C": a.copy(order),
    "flatten": lambda a, order="C": a.flatten(order),
    "fill": lambda a, number: a.fill(value(number)),
    "sort": lambda a, axis=-1: a.sort(axis),
    "item": lambda a, *index: a.item(*index),
    "tolist": lambda a: a.tolist(),
    "conj": lambda a: a.conj(),
    "conjugate": lambda a: a.conj(),
    "is_integer": lambda a: a.is_integer(),
    "view": lambda a, dtype=None: a.view() if dtype is None else a.view(dtype_of(dtype)),
}


PROPERTIES = fields("shape ndim size T nbytes itemsize strides real imag dtype")
PROPERTIES["__class__"] = lambda value: TYPES[type(value)]

NDARRAY = TYPES[np.ndarray] = BuiltinType("ndarray", np.ndarray, module="numpy")
ABSTRACT = {name: BuiltinType(name, getattr(np, name), module="numpy") for name in ("floating", "integer", "generic")}

describe(np.ndarray, methods=METHODS, getters=PROPERTIES | fields("base flat"))
describe(np.generic, methods=METHODS, getters=PROPERTIES)
describe(np.dtype, getters=fields("name kind itemsize char"))
describe(np.finfo, getters=fields("eps max min tiny bits dtype"))
describe(np.iinfo, getters=fields("max min bits dtype"))
TYPES.update((scalar.dtype.type, scalar) for scalar in SCALARS.values())
FORMATS[np.generic] = FORMATS[np.ndarray] = format
