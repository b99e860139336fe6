"""Numbers as they are typed: which digits count, and how many are enough."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.homework.submission.numerals import Tolerance, read_numeral
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
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
