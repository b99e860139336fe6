"""Common divisors and multiples of whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.primitive import primitive
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import operation

divisor = primitive("gcd", np.gcd)
multiple = primitive("lcm", np.lcm)


def _check_whole(name: str, *operands: Tensor) -> None:
    for x in operands:
        if x.dtype.kind == "f" or all(each.dtype == np.bool_ for each in operands):
            raise AutogradError(f"\"{name}_cpu\" not implemented for '{TYPE_NAMES[x.dtype]}'")


@operation("gcd([12, 9], [8, 6])")
def gcd(input: Tensor, other: Tensor) -> Any:
    """The greatest common divisor of whole numbers."""
    _check_whole("gcd", input, other)
    return divisor(input, other)


@operation("lcm([4, 9], [6, 6])")
def lcm(input: Tensor, other: Tensor) -> Any:
    """The least common multiple of whole numbers."""
    _check_whole("lcm", input, other)
    return multiple(input, other)
