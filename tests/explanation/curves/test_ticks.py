from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gradcli.explanation.curves.curve import labels, ticks

BOUNDS = st.floats(min_value=-1e150, max_value=1e150, allow_subnormal=False)


@given(BOUNDS, BOUNDS)
def test_ticks_are_round_and_inside(low: float, high: float) -> None:
    assume(high - low > 1e-9 * max(abs(low), abs(high)))
    found = ticks(low, high)
    assert 1 <= len(found) <= 9
    width = high - low
    assert all(low - 1e-6 * width <= tick <= high + 1e-6 * width for tick in found)
    if len(found) > 1:
        step = (found[-1] - found[0]) / (len(found) - 1)
        assert round(step / 10 ** math.floor(math.log10(step) + 1e-6), 6) in (1, 2, 5)
        assert len(set(labels(found))) == len(found)


@pytest.mark.parametrize(
    ("range", "written"),
    [
        ((0, 1), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((-3.14, 3.14), ["-3", "-2", "-1", "0", "1", "2", "3"]),
        ((0, 1e308), ["0", "2.0e307", "4.0e307", "6.0e307", "8.0e307", "1.0e308"]),
        ((-1e308, 1e308), ["-1e+308"]),
        ((5, 5), ["5"]),
        ((0, 64), ["0", "10", "20", "30", "40", "50", "60"]),
    ],
)
def test_numbers_along_an_axis(range: tuple[float, float], written: list[str]) -> None:
    assert labels(ticks(*range)) == written
