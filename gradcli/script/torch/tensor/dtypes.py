"""dtypes and sizes as snippets see them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.dtypes import OF_PYTHON
from gradcli.engine.tensor import Tensor
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.tensor.printing import dtype_text, size_text


class DType:
    """A dtype, such as `torch.float32`; there is one object of each."""

    def __init__(self, numpy: Any) -> None:
        self.numpy = np.dtype(numpy)

    def __repr__(self) -> str:
        return dtype_text(self.numpy)


NAMES = {
    "float32": np.float32,
    "float64": np.float64,
    "float16": np.float16,
    "int64": np.int64,
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
    "uint8": np.uint8,
    "bool": np.bool_,
}
ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}
DTYPES = {name: DType(numpy) for name, numpy in NAMES.items()}
DTYPES |= {alias: DTYPES[name] for alias, name in ALIASES.items()}
BY_NUMPY = {DTYPES[name].numpy: DTYPES[name] for name in NAMES}


describe(
    DType,
    getters={
        "is_floating_point": lambda dtype: dtype.numpy.kind == "f",
        "is_complex": lambda dtype: False,
        "is_signed": lambda dtype: dtype.numpy.kind in "if",
        "itemsize": lambda dtype: dtype.numpy.itemsize,
    },
)


class OfDtype(type):
    """The class of types such as `torch.FloatTensor`, whose instances are the tensors of one dtype."""

    dtype: np.dtype[Any]

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor) and value.dtype == cls.dtype


def numpy_dtype(dtype: Any) -> Any:
    """Return the numpy dtype of a torch dtype, a tensor type, or Python's float, int or bool; others as they are."""
    if isinstance(dtype, DType):
        return dtype.numpy
    if isinstance(dtype, BuiltinType):
        if isinstance(dtype.python, OfDtype):
            return dtype.python.dtype
        return OF_PYTHON.get(dtype.python, dtype)
    return dtype


class Size(tuple[int, ...]):
    """`torch.Size`: a tuple whose sums and slices are sizes too."""

    __slots__ = ()

    def numel(self) -> int:
        return math.prod(self)

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return Size(tuple.__mul__(self, count))

    def __getitem__(self, at: Any) -> Any:
        found = tuple.__getitem__(self, at)
        return Size(found) if isinstance(at, slice) else found


# As Python's own messages name them.
DType.__name__, Size.__name__ = "torch.dtype", "torch.Size"


def size_of(items: Any = ()) -> Size:
    """`torch.Size([2, 3])`."""
    sizes = tuple(items)
    for position, item in enumerate(sizes):
        if not isinstance(item, int):
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{type(item).__name__}')")
    return Size(sizes)


REPRESENTATIONS[Size] = size_text
describe(Size, methods={"index": tuple.index, "count": tuple.count, "numel": Size.numel})


TYPES[DType] = BuiltinType("dtype", DType, module="torch")
TYPES[Size] = BuiltinType("Size", Size, size_of, module="torch")


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that shapes broadcast to; the one that does not fit is named."""
    given = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    if any(size < 0 for shape in given for size in shape):
        raise ValueError("Attempting to broadcast a dimension with negative length!")
    common = [1] * max(map(len, given), default=0)
    for position, shape in enumerate(given):
        for at in range(-1, -1 - len(shape), -1):
            if common[at] == 1:
                common[at] = shape[at]
            elif shape[at] not in (1, common[at]):
                raise RuntimeError(f"shape {represent(shapes[position])} cannot broadcast to {common}")
    return Size(common)
