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
# As torch has them, but for igamma of the last orders, where torch's own steps overflow.
BEYOND = [
    ("zeta", (1.5, 1e-300), INF),
    ("zeta", (3.0, -1e-300), -INF),
    ("zeta", (2.0, 1e-300), INF),
    ("zeta", (12.0, 1e300), 0.0),
    ("zeta", (1e300, 1.0), 1.0),
    ("zeta", (1e8, -172.5), INF),
    ("lgamma", (1.7e308,), INF),
    ("mvlgamma", (1.7e308, 2), INF),
    ("log_ndtr", (-1.7e308,), -INF),
    ("log_ndtr", (-INF,), -INF),
    ("ndtri", (5e-324,), -38.467405617144344),
    ("erfinv", (1 - 2**-53,), 5.8635847487551676),
    ("digamma", (-999.5,), 6.907755320648796),
    ("digamma", (-1e9 - 0.5,), 20.72326583794641),
    ("digamma", (-INF,), math.nan),
    ("gelu", (-9.0,), -1.01572956535845658e-18),
    ("igamma", (1e154, 1e154), 0.5),
    ("igammac", (1e16, 2e16), 0.0),
    ("igamma", (1.7e308, 3.7), 0.0),
    ("igammac", (1.7e308, 3.7), 1.0),
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
    "lgamma",
    "digamma",
    "erf",
    "erfc",
    "erfinv",
    "erfcx",
    "ndtr",
    "ndtri",
    "log_ndtr",
    "gelu",
    "i0",
    "i1",
    "i0e",
    "i1e",
)
TWO = ("zeta", "igamma", "igammac")


@pytest.mark.parametrize(("name", "arguments", "expected"), BEYOND)
def test_what_is_too_large_is_infinite(name: str, arguments: tuple[Any, ...], expected: float) -> None:
    found = OPERATIONS[name](*(tensor(np.array(x)) if isinstance(x, float) else x for x in arguments))
    np.testing.assert_allclose(found.value, expected, rtol=1e-14)


@pytest.mark.parametrize("name", ONE + TWO)
def test_every_number_has_a_value_and_a_gradient(name: str) -> None:
    signed = [sign * x for x in EXTREMES for sign in (1, -1)]
    given = np.array(signed if name in ONE else [(x, y) for x in signed for y in signed])
    inputs = [tensor(column, requires_grad=True) for column in np.atleast_2d(given.T)]
    with np.errstate(all="ignore"):
        found = OPERATIONS[name](*inputs)
        gradients = grad([found.sum()], inputs, allow_unused=True)
    assert found.shape == (len(given),)
    assert any(g is not None and g.shape == found.shape for g in gradients)


@pytest.mark.slow
def test_zeta_far_below_zero_is_a_sum_on_both_sides() -> None:
    found = OPERATIONS["zeta"](tensor(2.0), tensor(-5000.25)).value
    pairs = sum((k + 0.75) ** -2.0 for k in range(2_000_000)) + sum((k + 0.25) ** -2.0 for k in range(5001))
    np.testing.assert_allclose(found, pairs, rtol=1e-6)
