"""dtypes and sizes as snippets see them, and a tensor in another dtype: `x.to(...)`, `x.double()`, `x.type(...)`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.broadcast import to_copy
from gradcli.engine.checks.promotion import CATEGORIES, result_type, widest
from gradcli.engine.dtypes import OF_PYTHON, TYPE_NAMES
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, Facade, type_name
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.devices import Device, check_device
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
        sizes = tuple.__getitem__(self, at)
        return Size(sizes) if isinstance(at, slice) else sizes


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


def cast(x: Tensor, dtype: Any, *, copy: bool = False) -> Tensor:
    """Return the tensor in another dtype; the tensor itself if it has that dtype."""
    wanted = np.dtype(numpy_dtype(dtype))
    if x.dtype == wanted and not copy:
        return x
    if wanted.kind == "f":
        return to_copy(x, dtype=wanted)  # type: ignore[no-any-return]
    integers = Tensor(x.value.astype(wanted))  # integers are outside the graph
    if running.machine.timeline is not None:
        running.machine.timeline.cut(x, integers, f"the cast to {wanted}")
    return integers


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
        elif isinstance(argument, list | tuple | dict):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(argument).__name__})")
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


NATURAL = {bool: np.dtype(np.bool_), int: np.dtype(np.int64)}


def result_of(first: Any, second: Any) -> DType:
    """`torch.result_type` of two tensors, or of a tensor and a plain number, of which only the category counts."""
    tensors = [x.value for x in (first, second) if isinstance(x, Tensor)]
    numbers = [_natural(x) for x in (first, second) if not isinstance(x, Tensor)]
    if not tensors:
        return BY_NUMPY[widest(numbers)]
    promoted = result_type(tensors)
    for number in numbers:
        if CATEGORIES[number.kind] > CATEGORIES[promoted.kind]:
            promoted = number
    return BY_NUMPY[promoted]


def _natural(number: Any) -> np.dtype[Any]:
    if not isinstance(number, float) and type(number) not in NATURAL:
        raise TypeError(f"result_type() takes tensors and numbers, not {type_name(number)}")
    return mode.default_dtype if isinstance(number, float) else NATURAL[type(number)]


class Limits(Facade):
    """The limits of a dtype."""

    def __init__(self, name: str, type: Any) -> None:
        if not isinstance(type, DType):
            raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not {type_name(type)}")
        self.dtype = type.numpy.name


class Finfo(Limits):
    """`torch.finfo`: the limits of a floating point dtype."""

    def __init__(self, type: Any = None) -> None:
        super().__init__("finfo", BY_NUMPY[mode.default_dtype] if type is None else type)
        kind = np.dtype(self.dtype)
        if kind.kind != "f":
            raise TypeError("torch.finfo() requires a floating point input type")
        limits = np.finfo(kind)
        self.bits = limits.bits
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.tiny)
        self.resolution = float(str(limits.resolution))

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{name}={getattr(self, name):g}' for name in names)}, dtype={self.dtype})"


class Iinfo(Limits):
    """`torch.iinfo`: the limits of an integer dtype."""

    def __init__(self, type: Any) -> None:
        super().__init__("iinfo", type)
        kind = np.dtype(self.dtype)
        if kind.kind not in "iu":
            raise TypeError("torch.iinfo() requires an integer input type")
        limits = np.iinfo(kind)
        self.bits, self.max, self.min = limits.bits, int(limits.max), int(limits.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


MEMBERS: dict[str, Any] = {
    "result_type": result_of,
    "finfo": Finfo,
    "iinfo": Iinfo,
}
