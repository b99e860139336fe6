"""Python's operators, methods and attributes on Tensors and Formulas: the operations that users call by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.ops.pointwise import arithmetic, comparisons
from gradcli.ops.support.arguments import as_tensor
from gradcli.ops.support.protocol import OPERAND, PROTOCOL, guarded
from gradcli.ops.support.surface import OPERATIONS

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": arithmetic.add_,
    "sub": arithmetic.sub_,
    "mul": arithmetic.mul_,
    "truediv": arithmetic.div_,
    "floordiv": arithmetic.quotient,
    "pow": arithmetic.pow_,
    "mod": arithmetic.remainder_,
}
DIRECT = {"add": arithmetic.add, "sub": arithmetic.sub, "mul": arithmetic.mul, "truediv": arithmetic.div}
UNARY: dict[str, Callable[[Any], Any]] = {"neg": lambda x: arithmetic.neg(x)}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": comparisons.less,
    "le": comparisons.at_most,
    "gt": comparisons.greater,
    "ge": comparisons.at_least,
}
ATTRIBUTES = ("T", "mT", "H", "mH")


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _method(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self, other)


def _applied(primitive: Primitive) -> Callable[[Any, Any], Any]:
    """The primitive itself where no lowering is needed: scalar programs spend their time here."""
    apply, none = primitive.apply, dict[str, Any]()

    def operator(self: Tensor, other: Any) -> Any:
        try:
            return apply((self, other), none)
        except (AttributeError, TypeError):
            if isinstance(other, OPERAND):
                raise
            return NotImplemented

    return operator


def _index(self: Tensor, items: Any) -> Any:
    return OPERATIONS["index"].function(self, items)


def _matmul(self: Any, other: Any) -> Any:
    if not isinstance(other, Tensor | np.ndarray):
        return NotImplemented
    return OPERATIONS["matmul"].function(as_tensor(self), as_tensor(other))


def _rmatmul(self: Any, other: Any) -> Any:
    return _matmul(as_tensor(other), self) if isinstance(other, np.ndarray) else NotImplemented


def _missing(self: Tensor, name: str) -> Any:
    """`x.sum` and `x.T`: the operation of that name on this tensor; `x.add_` writes its result over `x`."""
    if name.endswith("_"):
        from gradcli.ops.indexing.assignment import in_place_method

        in_place = in_place_method(name)
        if in_place is not None:
            return partial(in_place, self)
    if name in ATTRIBUTES:
        return OPERATIONS[name].function(self)
    if name not in OPERATIONS or not OPERATIONS[name].method:
        raise AttributeError(f"'Tensor' object has no attribute {name!r}")
    return partial(OPERATIONS[name].function, self)


def install() -> None:
    """Give both carriers their operators. `==` stays identity: graphs keep tensors in dictionaries."""
    methods = {"getitem": _index, "matmul": _matmul, "rmatmul": _rmatmul, "getattr": _missing}
    for name, method in {**methods, **PROTOCOL}.items():
        setattr(Tensor, f"__{name}__", method)
    for carrier, read in ((Tensor, guarded), (Formula, _method)):
        for name, function in BINARY.items():
            setattr(carrier, f"__{name}__", read(function))
            setattr(carrier, f"__r{name}__", read(_reflected(function)))
        for name, function in COMPARISONS.items():
            setattr(carrier, f"__{name}__", read(function))
        for name, convert in UNARY.items():
            setattr(carrier, f"__{name}__", convert)
    for name, primitive in DIRECT.items():
        setattr(Tensor, f"__{name}__", _applied(primitive))
