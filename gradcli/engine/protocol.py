"""Python's protocols on Tensors: fast operators, length, truth, numbers, items, augmented assignment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.modes import mode, warn_once
from gradcli.engine.operators import FUNCTIONS, OPERAND, Arithmetic, Binary, binary, reflected
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import AutogradError

GRADIENT_LOST = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "Consider using tensor.detach() first."
)
NO_OPTIONS: dict[str, Any] = {}


def direct_operator(name: str) -> Binary:
    """Return the operator that applies the primitive without lowering: scalar programs spend their time here."""

    def operator(self: Any, other: Any) -> Any:
        try:
            return FUNCTIONS["apply"](REGISTRY[name], (self, other), NO_OPTIONS)
        except (AttributeError, TypeError):
            if isinstance(other, OPERAND):
                raise
            return NotImplemented

    return operator


def in_place_operator(name: str) -> Binary:
    """Return the operator that writes its result over the tensor: `x += 1`."""

    def operator(self: Any, other: Any) -> Any:
        return FUNCTIONS["change"](self, FUNCTIONS[name], other) if isinstance(other, OPERAND) else NotImplemented

    return operator


def single(value: Any) -> Any:
    """Return the number that an array of one element holds."""
    if value.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return value.item()


class TensorProtocol(Arithmetic):
    """The special methods of Tensors."""

    __slots__ = ()
    value: Any
    __add__, __sub__, __mul__, __truediv__ = map(direct_operator, ("add", "sub", "mul", "div"))
    __and__, __rand__ = binary("and"), reflected("and")
    __or__, __ror__ = binary("or"), reflected("or")
    __xor__, __rxor__ = binary("xor"), reflected("xor")
    __lshift__, __rlshift__ = binary("lshift"), reflected("lshift")
    __rshift__, __rrshift__ = binary("rshift"), reflected("rshift")
    __iadd__, __isub__, __imul__ = in_place_operator("add"), in_place_operator("sub"), in_place_operator("mul")
    __itruediv__, __ifloordiv__ = in_place_operator("truediv"), in_place_operator("floordiv")
    __imod__, __ipow__ = in_place_operator("mod"), in_place_operator("pow")
    __iand__, __ior__, __ixor__ = in_place_operator("and"), in_place_operator("or"), in_place_operator("xor")
    __ilshift__, __irshift__ = in_place_operator("lshift"), in_place_operator("rshift")

    def __matmul__(self, other: Any) -> Any:
        return FUNCTIONS["matmul"](self, other) if isinstance(other, ARRAYS) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return FUNCTIONS["matmul"](other, self) if isinstance(other, ARRAYS) else NotImplemented

    def __getattr__(self, name: str) -> Any:
        return FUNCTIONS["getattr"](self, name)

    def __getitem__(self, items: Any) -> Any:
        return FUNCTIONS["getitem"](self, items)

    def __setitem__(self, items: Any, value: Any) -> None:
        FUNCTIONS["setitem"](self, items, value)

    def __delitem__(self, items: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __contains__(self, item: Any) -> bool:
        if not isinstance(item, TensorProtocol | int | float):
            raise AutogradError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(item)}."
            )
        return bool(np.any(FUNCTIONS["eq"](self, item).value))

    def __iter__(self) -> Iterator[Any]:
        if not self.value.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(FUNCTIONS["unbind"](self))

    def __reversed__(self) -> Any:
        return FUNCTIONS["flip"](self, 0) if self.value.ndim else self

    def __abs__(self) -> Any:
        return FUNCTIONS["abs"](self)

    def __pos__(self) -> Any:
        AutogradError.when(self.value.dtype == np.bool_, "The `+` operator, on a bool tensor is not supported.")
        return self

    def __invert__(self) -> Any:
        if self.value.dtype.kind == "f":
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return FUNCTIONS["invert"](self)

    def __len__(self) -> int:
        if not self.value.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self.value)

    def __bool__(self) -> bool:
        if self.value.size != 1:
            many = "no values" if not self.value.size else "more than one value"
            raise AutogradError(f"Boolean value of Tensor with {many} is ambiguous")
        if mode.examples is not None:
            mode.examples.refuse(self, "bool")
        return bool(self.value)

    def __float__(self) -> float:
        if self.requires_grad and mode.grad_enabled:
            warn_once(GRADIENT_LOST)
        if mode.examples is not None:
            mode.examples.refuse(self, "item")
        return float(single(self.value))

    def __int__(self) -> int:
        if mode.examples is not None:
            mode.examples.refuse(self, "item")
        return int(single(self.value))

    def __index__(self) -> int:
        if self.value.size != 1 or self.value.dtype.kind == "f":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.value.item())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = self.numpy()
        return array.astype(dtype) if dtype is not None and dtype != array.dtype else array


ARRAYS = (TensorProtocol, np.ndarray)
