"""Dtypes compared: the promotion of two, casts from one to another, and the limits of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.checks.promotion import CATEGORIES, result_type, widest
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.script.python.values.attributes import Facade, type_name
from gradcli.script.torch.tensor.dtypes import BY_NUMPY, DType

NATURAL = {bool: np.dtype(np.bool_), int: np.dtype(np.int64)}


def result_of(first: Any, second: Any) -> DType:
    """`torch.result_type` of two tensors, or of a tensor and a plain number, of which only the category counts."""
    tensors = [x.value for x in (first, second) if isinstance(x, Tensor)]
    numbers = [_natural(x) for x in (first, second) if not isinstance(x, Tensor)]
    if not tensors:
        return BY_NUMPY[widest(numbers)]
    found = result_type(tensors)
    for number in numbers:
        if CATEGORIES[number.kind] > CATEGORIES[found.kind]:
            found = number
    return BY_NUMPY[found]


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
        found = np.finfo(kind)
        self.bits = found.bits
        self.eps, self.max, self.min = float(found.eps), float(found.max), float(found.min)
        self.tiny = self.smallest_normal = float(found.tiny)
        self.resolution = float(str(found.resolution))

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
        found = np.iinfo(kind)
        self.bits, self.max, self.min = found.bits, int(found.max), int(found.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


MEMBERS: dict[str, Any] = {
    "result_type": result_of,
    "finfo": Finfo,
    "iinfo": Iinfo,
}
