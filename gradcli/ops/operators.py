"""Python's operators on Tensors and Formulas: the operations that users call by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.ops import arithmetic, comparisons, joining, matmul, subscript
from gradcli.ops.surface import OPERATIONS, as_tensor

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": arithmetic.add_,
    "sub": arithmetic.sub_,
    "mul": arithmetic.mul_,
    "truediv": arithmetic.div_,
    "pow": arithmetic.pow_,
    "mod": arithmetic.remainder_,
}
UNARY: dict[str, Callable[[Any], Any]] = {"neg": lambda x: arithmetic.neg(x)}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": comparisons.less,
    "le": comparisons.at_most,
    "gt": comparisons.greater,
    "ge": comparisons.at_least,
}
METHODS: dict[str, Callable[..., Any]] = {
    "__getitem__": subscript.index,
    "__iter__": lambda self: iter(joining.unbind_(self)),
    "__matmul__": lambda self, other: matmul.matmul(self, as_tensor(other)),
    "__rmatmul__": lambda self, other: matmul.matmul(as_tensor(other), self),
}
ATTRIBUTES = ("T", "mT", "H", "mH")


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self)


def _method(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self, other)


def install() -> None:
    """Give both carriers their operators. `==` stays identity: graphs keep tensors in dictionaries."""
    for name, method in METHODS.items():
        setattr(Tensor, name, method)
    for name in ATTRIBUTES:
        setattr(Tensor, name, property(OPERATIONS[name].function))
    for carrier in (Tensor, Formula):
        for name, function in BINARY.items():
            setattr(carrier, f"__{name}__", _method(function))
            setattr(carrier, f"__r{name}__", _reflected(function))
        for name, function in COMPARISONS.items():
            setattr(carrier, f"__{name}__", _method(function))
        for name, convert in UNARY.items():
            setattr(carrier, f"__{name}__", convert)
