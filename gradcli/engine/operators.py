"""Python's operators on Tensors and Formulas, and the table of the functions that they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Binary = Callable[[Any, Any], Any]

# Functions of the layers above, by the names under which the engine calls them; the layers register them.
FUNCTIONS: dict[str, Callable[..., Any]] = {}


def binary(name: str) -> Binary:
    """Return the operator that calls the function of that name; of foreign values Python asks the other operand."""

    def operator(self: Any, other: Any) -> Any:
        return FUNCTIONS[name](self, other) if isinstance(other, OPERAND) else NotImplemented

    return operator


def reflected(name: str) -> Binary:
    """Return the operator whose first operand stands on the right: `2 - x`."""

    def operator(self: Any, other: Any) -> Any:
        return FUNCTIONS[name](other, self) if isinstance(other, OPERAND) else NotImplemented

    return operator


class Arithmetic:
    """The operators that Tensors and Formulas share. `==` stays identity: graphs keep tensors in dictionaries."""

    __slots__ = ()
    __add__, __radd__ = binary("add"), reflected("add")
    __sub__, __rsub__ = binary("sub"), reflected("sub")
    __mul__, __rmul__ = binary("mul"), reflected("mul")
    __truediv__, __rtruediv__ = binary("truediv"), reflected("truediv")
    __floordiv__, __rfloordiv__ = binary("floordiv"), reflected("floordiv")
    __mod__, __rmod__ = binary("mod"), reflected("mod")
    __pow__, __rpow__ = binary("pow"), reflected("pow")
    __lt__, __le__, __gt__, __ge__ = binary("lt"), binary("le"), binary("gt"), binary("ge")

    def __neg__(self) -> Any:
        return FUNCTIONS["neg"](self)


OPERAND = (Arithmetic, int, float, np.generic, np.ndarray)
