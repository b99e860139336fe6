"""The sums with products of the optimizers are rounded once where torch rounds them once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.numerics.fusing import added, blended, divided, multiplied

NUMBERS = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)
WEIGHTS = st.floats(-2, 2).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(NUMBERS, NUMBERS, WEIGHTS)
def test_sums_are_rounded_once(x: float, y: float, factor: float) -> None:
    exact = float(Fraction(x) + Fraction(factor) * Fraction(y))
    assert added(np.float64(x), np.float64(y), factor) == exact
    assert added(np.array([x]), np.array([y]), factor).tolist() == [exact]


@given(NUMBERS, NUMBERS, NUMBERS, WEIGHTS)
def test_products_of_three_are_rounded_twice(x: float, y: float, z: float, factor: float) -> None:
    exact = float(Fraction(x) + Fraction(y * factor) * Fraction(z))
    assert multiplied(np.float64(x), np.float64(y), np.float64(z), factor) == pytest.approx(exact, 1e-15, 1e-300)


@given(NUMBERS, NUMBERS)
def test_a_blend_reaches_both_ends(x: float, y: float) -> None:
    assert blended(np.float32(x), np.float32(y), 0.0) == np.float32(x)
    assert blended(np.float32(x), np.float32(y), 1.0) == np.float32(y)


def test_values_keep_their_dtype() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        for value in (dtype(2), np.array([2, 3], dtype)):
            assert added(value, value, 0.1).dtype == dtype
            assert multiplied(value, value, value, 0.1).dtype == dtype
            assert divided(value, value, value, 0.1).dtype == dtype
            assert blended(value, value, 0.7).dtype == dtype


def test_single_precision_is_rounded_once() -> None:
    """An example where rounding the product first gives another last digit."""
    x, y = np.float32(1), np.float32(1 + 2**-12)
    factor = 1 + 2**-12
    assert added(x, y, factor) == np.float32(float(Fraction(1) + Fraction(factor) ** 2))
