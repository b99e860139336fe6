"""Functions that are computed number by number: values beyond the range of doubles, and on the way there."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import tensor
from gradcli.ops.support.surface import OPERATIONS

INF = math.inf
BEYOND = [
    ("gelu", (-9.0,), -1.01572956535845658e-18),
]
EXTREMES = [
    0.0,
    -0.0,
    5e-324,
    1e-300,
    0.5,
    1 - 2**-53,
    1.5,
    2.0,
    30.0,
    172.5,
    1e8,
    1e154,
    1e300,
    1.7e308,
    INF,
    math.nan,
]
ONE = (
    "erf",
    "gelu",
)


@pytest.mark.parametrize(("name", "arguments", "expected"), BEYOND)
def test_what_is_too_large_is_infinite(name: str, arguments: tuple[Any, ...], expected: float) -> None:
    found = OPERATIONS[name](*(tensor(np.array(x)) if isinstance(x, float) else x for x in arguments))
    np.testing.assert_allclose(found.value, expected, rtol=1e-14)


@pytest.mark.parametrize("name", ONE)
def test_every_number_has_a_value_and_a_gradient(name: str) -> None:
    signed = [sign * x for x in EXTREMES for sign in (1, -1)]
    x = tensor(np.array(signed), requires_grad=True)
    with np.errstate(all="ignore"):
        result = OPERATIONS[name](x)
        (gradient,) = grad([result.sum()], [x])
    assert gradient is not None
    assert result.shape == gradient.shape == x.shape
