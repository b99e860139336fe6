"""What Python asks of a tensor: its length, its truth, a number, membership, augmented assignment."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.pointwise import arithmetic
from gradcli.ops.support.surface import OPERATIONS

Binary = Callable[[Any, Any], Any]
GRADIENT_LOST = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
OPERAND = (Tensor, int, float, np.generic, np.ndarray)


def _length(self: Tensor) -> int:
    if not self.ndim:
        raise TypeError("len() of a 0-d tensor")
    return self.shape[0]


def _truth(self: Tensor) -> bool:
    if self.value.size != 1:
        many = "no values" if not self.value.size else "more than one value"
        raise AutogradError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(self.value)


def _single(self: Tensor) -> Any:
    if self.value.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self.value.item()


def _float(self: Tensor) -> float:
    if self.requires_grad and mode.grad_enabled:
        warnings.warn(GRADIENT_LOST, UserWarning, stacklevel=2)
    return float(_single(self))


def _position(self: Tensor) -> int:
    if self.value.size != 1 or self.dtype.kind == "f":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.value.item())


def _contains(self: Tensor, item: Any) -> bool:
    if not isinstance(item, Tensor | int | float):
        raise AutogradError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(item)}.")
    return bool(np.any(OPERATIONS["eq"].function(self, item).value))


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    array = self.numpy()
    return array.astype(dtype) if dtype is not None and dtype != array.dtype else array


def _iterate(self: Tensor) -> Iterator[Tensor]:
    if not self.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(OPERATIONS["unbind"].function(self))


def _reversed(self: Tensor) -> Tensor:
    return OPERATIONS["flip"].function(self, 0) if self.ndim else self


def _positive(self: Tensor) -> Tensor:
    if self.dtype == np.bool_:
        raise AutogradError("The `+` operator, on a bool tensor is not supported.")
    return self


def _inverted(self: Tensor) -> Any:
    if self.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return OPERATIONS["bitwise_not"].function(self)


def guarded(function: Binary) -> Binary:
    """The operator on tensors and numbers; of anything else Python asks the other operand, and then refuses."""

    def apply(self: Any, other: Any) -> Any:
        return function(self, other) if isinstance(other, OPERAND) else NotImplemented

    return apply


def _named(name: str) -> Binary:
    """The operation of that name, whose family is imported when it is first used."""
    return lambda a, b: OPERATIONS[name].function(a, b)


def _assign(self: Tensor, items: Any, value: Any) -> None:
    from gradcli.ops.indexing.assignment import assign

    assign(self, items, value)


def _delete(self: Tensor, items: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


def _augmented(function: Binary) -> Binary:
    def apply(self: Tensor, other: Any) -> Tensor:
        from gradcli.engine.memory.in_place import change

        return change(self, function, other)

    return guarded(apply)


def _reflected(function: Binary) -> Binary:
    return guarded(lambda self, other: function(other, self))


BITS = {
    **{name: f"bitwise_{name}" for name in ("and", "or", "xor")},
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
AUGMENTED: dict[str, Binary] = {
    "add": arithmetic.add_,
    "sub": arithmetic.sub_,
    "mul": arithmetic.mul_,
    "truediv": arithmetic.div_,
    "floordiv": arithmetic.quotient,
    "pow": arithmetic.pow_,
    "mod": arithmetic.remainder_,
    **{name: _named(operation) for name, operation in BITS.items()},
}
PROTOCOL: dict[str, Callable[..., Any]] = {
    "len": _length,
    "bool": _truth,
    "float": _float,
    "int": lambda self: int(_single(self)),
    "index": _position,
    "contains": _contains,
    "array": _array,
    "iter": _iterate,
    "reversed": _reversed,
    "pos": _positive,
    "abs": lambda self: OPERATIONS["abs"].function(self),
    "invert": _inverted,
    "setitem": _assign,
    "delitem": _delete,
    **{f"i{name}": _augmented(function) for name, function in AUGMENTED.items()},
    **{name: guarded(_named(operation)) for name, operation in BITS.items()},
    **{f"r{name}": _reflected(_named(operation)) for name, operation in BITS.items()},
}
