"""Arrays that broadcast: the size of the result is measured before memory is taken."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from math import prod
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.machine import running

Binary = Callable[[Any, Any], Any]

ARRAYS = (Tensor, np.ndarray)
SMALL = 2**12  # two arrays of fewer entries cannot broadcast to more than 2**24


def spread(apply: Binary) -> Binary:
    """Wrap an operator whose arrays may broadcast: the size of the result is measured first.

    A number of numpy's beside a tensor is a plain number, as torch takes it.
    """

    def call(a: Any, b: Any) -> Any:
        if isinstance(a, ARRAYS):
            if isinstance(b, ARRAYS):
                check_spread(a, b)
            elif isinstance(b, np.generic) and isinstance(a, Tensor):
                b = b.item()
        elif isinstance(a, np.generic) and isinstance(b, Tensor):
            a = a.item()
        return apply(a, b)

    return call


def check_spread(*arrays: Any) -> None:
    """Refuse arrays that broadcast to absurd size."""
    values = [x.value if isinstance(x, Tensor) else x for x in arrays]
    if max(value.size for value in values) <= SMALL:
        return
    sizes = zip_longest(*(reversed(value.shape) for value in values), fillvalue=1)
    running.machine.budget.fits(prod(max(lengths) for lengths in sizes), "the result")
