"""A product and a sum are rounded once."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gradcli.engine.numerics.fusing import fused

NUMBERS = st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-6)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_sums_are_rounded_once(x: float, y: float, factor: float) -> None:
    exact = float(Fraction(x) + Fraction(factor) * Fraction(y))
    assert fused(np.array([y]), factor, x).tolist() == [exact]


def test_single_precision_is_rounded_once() -> None:
    """An example where rounding the product first gives another last digit."""
    x, y = np.float32(1), np.array([1 + 2**-12], np.float32)
    factor = 1 + 2**-12
    found = fused(y, factor, x)
    assert found.dtype == np.float32
    assert found[0] == np.float32(float(Fraction(1) + Fraction(factor) ** 2))
