"""Arrays that broadcast: the size of the result is measured before memory is taken."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running

Binary = Callable[[Any, Any], Any]

ARRAYS = (Tensor, np.ndarray)
KINDS = "'numpy.ndarray' and 'Tensor'"
CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on "
    "this error; it may not be given on all Python implementations."
)
NOT_AN_ARRAY = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
SMALL = 2**12  # two arrays of fewer entries cannot broadcast to more than 2**24


def spread(apply: Binary, sign: str) -> Binary:
    """Wrap an operator whose arrays may broadcast: the size of the result is measured first.

    A number of numpy's beside a tensor is a plain number, as torch takes it.
    """

    def call(a: Any, b: Any) -> Any:
        if isinstance(a, ARRAYS):
            if isinstance(b, ARRAYS):
                check_spread(a, b)
                if isinstance(a, Tensor) is not isinstance(b, Tensor):
                    return with_array(apply, sign, a, b)
            elif isinstance(b, np.generic) and isinstance(a, Tensor):
                b = b.item()
        elif isinstance(a, np.generic) and isinstance(b, Tensor):
            a = a.item()
        return apply(a, b)

    return call


def with_array(apply: Binary, sign: str, a: Any, b: Any) -> Any:
    """Apply an operator to a tensor and an array, as numpy does for torch; an array first is mostly refused."""
    if isinstance(a, np.ndarray) and sign != "/":
        raise TypeError(CONCATENATION if sign == "+" else f"unsupported operand type(s) for {sign}: {KINDS}")
    if mode.grad_enabled and (a if isinstance(a, Tensor) else b).requires_grad:
        raise AutogradError(NOT_AN_ARRAY)
    return Tensor(np.asarray(apply(*(x.value if isinstance(x, Tensor) else x for x in (a, b))))[()])


def check_spread(*arrays: Any) -> None:
    """Refuse arrays that broadcast to absurd size."""
    values = [x.value if isinstance(x, Tensor) else x for x in arrays]
    if max(value.size for value in values) <= SMALL:
        return
    sizes = zip_longest(*(reversed(value.shape) for value in values), fillvalue=1)
    running.machine.budget.fits(prod(max(lengths) for lengths in sizes), "the result")
