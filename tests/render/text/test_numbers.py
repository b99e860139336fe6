from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import ENDLESS, grid, number, short

GRID = np.arange(20000.0).reshape(100, 200) / 7


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (14.0, "14"),
        (np.float64(1 / 3), "0.333333"),
        (np.float32(0.1), "0.1"),
        (np.int64(7), "7"),
        (np.bool_(True), "True"),
        (1234567.0, "1234567"),
        (123456.789, "123457"),
        (1e20, "1e+20"),
        (1.5e-7, "1.5e-07"),
        (float("nan"), "nan"),
        (np.float64("inf"), "inf"),
        (np.float32("-inf"), "-inf"),
        (np.array(2.5), "2.5"),
        (np.array([]), "[]"),
        (np.zeros((0, 3)), "[] shape (0, 3)"),
        (np.array([[1, 2], [3, 4.0]]), "[[1, 2], [3, 4]]"),
        (GRID, "[[0, 0.142857, 0.285714, 0.428571, …], …] shape (100, 200)"),
        (np.arange(30.0).reshape(15, 2), "[[0, 1], …] shape (15, 2)"),
        (np.broadcast_to(1.5, (2,) * 30), "1073741824 entries, 30 dimensions"),
    ],
)
def test_short(value: Any, written: str) -> None:
    assert short(value) == written


def test_precision() -> None:
    assert short(1 / 3, 3) == "0.333"
    assert short(0.1, 17) == "0.1"
    assert short(np.float32(1 / 3), 17) == "0.33333334"
    assert short(12345.0, 2) == "12345"


@given(st.floats(allow_nan=False))
def test_full_precision_reads_back(value: float) -> None:
    assert float(number(value, 17)) == value


@given(
    arrays.arrays(st.sampled_from(["f4", "f8", "i8", "?"]), arrays.array_shapes(min_dims=0, max_dims=5, min_side=0)),
    st.integers(1, 17),
    st.booleans(),
)
def test_fits_on_a_line(value: Any, precision: int, ascii: bool) -> None:
    text = short(value, precision, ascii=ascii)
    assert len(text) <= 60
    assert text.isascii() or not ascii


def test_a_large_matrix_shows_its_corners_or_everything() -> None:
    corners = grid(GRID, Looks())
    assert corners.splitlines()[0] == "[[   0,         0.142857, …,   28.4286],"
    assert corners.splitlines()[-1] == " [2828.57,   2828.71,     …, 2857]] shape (100, 200)"
    large = GRID[:50]
    assert np.allclose(ast.literal_eval(grid(large, Looks(whole=True, precision=17))), large, rtol=0, atol=0)
    assert grid(GRID, Looks(whole=True)) == corners, f"more than {ENDLESS} entries are never listed"
