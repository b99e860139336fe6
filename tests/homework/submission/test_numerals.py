"""Numbers as they are typed: which digits count, and how many are enough."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.homework.submission.numerals import EXACT, Tolerance, Typed, read_numeral
from tests.homework.asking import assignment, marked


def verdict(right: str, text: str, grading: str = "") -> str:
    body = f"program = 'q = 1*x'\nat = {{ x = '{right}' }}\nask = ['q']\n"
    return marked(assignment(body, grading), {"q": text})["q"].verdict


@pytest.mark.parametrize(
    ("text", "digits", "zeros", "unit"),
    [
        ("100", 3, 2, 1.0), ("1.00e2", 3, 0, 1.0), ("100.", 3, 0, 1.0), ("0.0120", 3, 0, 1e-4), ("-7", 1, 0, 1.0),
        ("120", 3, 1, 1.0), ("1.5e-3", 2, 0, 1e-4), ("2E3", 1, 0, 1e3), (".5", 1, 0, 0.1), ("1_000", 4, 3, 1.0),
        ("−2.5", 2, 0, 0.1), ("+3.140", 4, 0, 1e-3),
    ],
)  # fmt: skip
def test_digits_of_a_numeral(text: str, digits: int, zeros: int, unit: float) -> None:
    typed = read_numeral(text)
    assert typed is not None
    assert (typed.digits, typed.zeros) == (digits, zeros)
    assert typed.unit == pytest.approx(unit)


@pytest.mark.parametrize(
    "text", ["", ".", "e5", "1e", "1.2.3", "0x10", "1 2", "--1", "nan", "inf", "1" * 400, "1e99999"]
)
def test_what_is_no_numeral(text: str) -> None:
    assert read_numeral(text) is None


@pytest.mark.parametrize("text", ["0", "0.00", "-0.0", "0e5"])
def test_zero_is_never_rounded(text: str) -> None:
    assert verdict("0", text) == "correct"
    assert verdict("0.004", text) == "wrong"
    assert read_numeral(text).digits == EXACT  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("right", "text", "expected"),
    [
        ("100.4", "100", "correct"), ("104", "100", "precision"), ("104", "1.00e2", "wrong"),
        ("149", "100", "precision"), ("151", "100", "wrong"), ("8", "10", "wrong"),
        ("100.4", "1.00e2", "correct"), ("100.4", "1e2", "precision"), ("1.38437", "1.38", "correct"),
        ("1.38437", "1.384", "correct"), ("1.38437", "1.383", "wrong"), ("1.38437", "1.4", "precision"),
        ("1.38437", "1", "precision"), ("0.012345", "0.0123", "correct"), ("0.012345", "0.012", "precision"),
        ("2/3", "0.667", "correct"), ("2/3", "0.666", "wrong"), ("2/3", "0.67", "precision"), ("2/3", "2/3", "correct"),
        ("12345", "12300", "correct"), ("12345", "12400", "wrong"), ("12345", "12000", "precision"),
        ("8", "8", "correct"),
        ("8", "8.0", "correct"), ("2.5", "2.5", "correct"), ("0.125", "0.125", "correct"),
        ("1.2345", "1.235", "correct"),
    ],
)  # fmt: skip
def test_half_a_unit_in_the_last_digit(right: str, text: str, expected: str) -> None:
    assert verdict(right, text) == expected


@pytest.mark.parametrize(
    ("precision", "text", "expected"),
    [
        (4, "1.384", "correct"), (4, "1.38", "precision"), (4, "1.3844", "correct"), (4, "1.385", "wrong"),
        (2, "1.4", "correct"), (2, "1.3", "wrong"), (6, "1.38437", "correct"), (6, "1.384", "precision"),
    ],
)  # fmt: skip
def test_so_many_digits(precision: int, text: str, expected: str) -> None:
    assert verdict("1.38437", text, f"precision = {precision}") == expected


def test_the_tolerance() -> None:
    assert verdict("1.0", "1.0009999", "rtol = 1e-3") == "correct"
    assert verdict("1.0", "1.00101", "rtol = 1e-3\natol = 0") == "wrong"
    assert verdict("0", "1e-9") == "correct"
    assert verdict("0", "2e-8") == "wrong"
    assert verdict("1000", "1000.4", "rtol = 0\natol = 0.5") == "correct"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_a_number_rounded_to_three_digits_or_more_is_right(seed: int) -> None:
    choose = random.Random(seed)
    right = choose.choice((-1, 1)) * choose.uniform(1, 10) * 10.0 ** choose.randint(-6, 6)
    digits = choose.randint(1, 8)
    written = f"{right:.{digits - 1}e}"
    typed = read_numeral(written)
    assert typed is not None
    right_now, few = Tolerance(1e-5, 0.0).judge(typed, np.float64(right))
    assert bool(right_now) or digits < 3
    assert bool(few) or digits == 1
    off = typed.value + (1 if typed.value > right else -1) * typed.unit  # the next one, on the side that is further
    assert not Tolerance(1e-9, 0.0).judge(read_numeral(f"{off:.{digits - 1}e}"), np.float64(right))[0]  # type: ignore[arg-type]


def test_no_number_is_an_infinite_one() -> None:
    typed = read_numeral("12.37")
    assert typed is not None
    assert list(Tolerance().matches(typed, np.array([np.inf, -np.inf, np.nan, 12.37]))) == [False, False, False, True]


def test_an_array_with_so_many_decimals_is_a_match_though_small_entries_have_few_digits() -> None:
    typed = Typed(np.array([1.788, 0.05]), np.array([1e-3, 1e-2]), np.array([4, 1]), np.array([0, 0]))
    numbers = np.array([[1.7883, 0.0523], [1.7883, 0.0583], [1.7833, 0.0523]])
    assert list(Tolerance().matches(typed, numbers)) == [True, False, False]
