"""The page for one student: what it says, at any width, whatever the student wrote."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from gradcli.homework.disclosure import revealed
from gradcli.homework.model import VERDICTS, Branch, Marked, Result, Value
from gradcli.render.check.marking import MARKS, difference, expected, ledger, percent
from gradcli.render.check.page import MOST, check_page
from gradcli.render.text.looks import Looks
from tests.homework.results import ASSIGNMENT, HOSTILE, PARTLY, results

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
PAGE = """\
ada   2.5 of 9 points (28%)

diamond (2 of 6): Differentiate q = (x^2 + 1)(x^2 - 1) at x = 2 by hand.
  ✓ s           1 of 1  4      right
  ✗ dq/ds       0 of 1  5      not right                         right is 8       3 too small
      you kept the branch through p; s also feeds m, which adds 5 (fanout-overwrite at s: ∂q/∂p·∂p/∂s)
      perhaps: you gave the local derivative (local-not-total at q: p)
      has q ← m ← s +5, lacks q ← p ← s +3
  ✓ local ds/dx 1 of 1  20     follows from your earlier number  right is 4
      from your dq/ds = 5
  ✗ dq/dx       0 of 3  4*x^2  not right                         right is 4·x**3
      at x = 2.37 yours is 22.4676
chain (0.5 of 3)
  ✗ dz/dW  0 of 1    [[1,2],[3,4]]  not the right shape        right is [[0, 1, 2], [3, 4, 5]]
  … w.grad 0 of 1                   no answer                  right is None
  ~ w      0.5 of 1  0.33           right, but too few digits  right is 0.333333                0.00333 too small"""
NARROW = """\
ada   2.5 of 9 points (28%)

diamond (2 of 6)
  + s           1 of 1  4      right
  x dq/ds       0 of 1  5      not right
      you kept the branch through p; s also feeds
        m
      perhaps: you gave the local derivative
      has q <- m <- s, lacks q <- p <- s
  + local ds/dx 1 of 1  20
                follows from your earlier number
  x dq/dx       0 of 3  4*x^2  not right
chain (0.5 of 3)
  x dz/dW  0 of 1    [[1,2],[3,4]]
           not the right shape
  . w.grad 0 of 1                   no answer
  ~ w      0.5 of 1  0.33
           right, but too few digits"""


def test_page() -> None:
    assert check_page(PARTLY, Looks(), assignment=ASSIGNMENT) == PAGE
    assert check_page(PARTLY, Looks(width=120), assignment=ASSIGNMENT) == PAGE


def test_narrow_ascii_page_for_students() -> None:
    assert check_page(revealed(PARTLY, "rule"), Looks(width=50, ascii=True)) == NARROW


def test_colour_changes_nothing_but_colour() -> None:
    coloured = check_page(PARTLY, Looks(width=80, color=True), assignment=ASSIGNMENT)
    assert "\x1b[32m✓ s" in coloured
    assert "\x1b[31m✗ dq/ds" in coloured
    assert "\x1b[35m~ w" in coloured
    plain = check_page(PARTLY, Looks(width=80), assignment=ASSIGNMENT)
    assert [line.rstrip() for line in ESCAPE.sub("", coloured).split("\n")] == plain.split("\n")


@pytest.mark.parametrize("width", [50, 80, 120, None])
@pytest.mark.parametrize("ascii", [False, True])
def test_hostile_submissions(width: int | None, ascii: bool) -> None:
    page = check_page(HOSTILE, Looks(width=width, ascii=ascii))
    assert_harmless(page)
    assert page.isascii() or not ascii
    assert "__import__('os')\\x1b[2J" in page
    assert "[red]no[/red]\\x0a" in page
    assert "there is no question 'nowhere]]>'" in page
    assert len(page) < 2000
    if width is not None:
        assert max(map(cell_len, page.split("\n"))) <= width


@pytest.mark.slow
@settings(max_examples=15)
@given(results(), st.sampled_from([50, 80, 120, None]), st.booleans(), st.booleans())
def test_any_submission(result: Result, width: int | None, ascii: bool, color: bool) -> None:
    page = check_page(result, Looks(width=width, ascii=ascii, color=color), assignment=ASSIGNMENT)
    text = ESCAPE.sub("", page)
    assert color or page == text
    assert_harmless(text)
    if width is not None:
        assert max(map(cell_len, text.split("\n"))) <= width


def assert_harmless(page: str) -> None:
    bad = {c for c in page if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")} - {"\n"}
    assert not bad


def test_every_verdict_has_a_mark() -> None:
    assert MARKS.keys() == VERDICTS.keys()
    assert all(ascii.isascii() for _, ascii in MARKS.values())


def wrong(given: str | None, truth: Value, verdict: str = "wrong") -> Marked:
    return Marked("q", "s", given, truth, verdict, 0.0, 1.0)


@pytest.mark.parametrize(
    ("given", "truth", "right", "gap"),
    [
        ("5", np.float64(8), "8", "3 too small"),
        ("-5", np.float64(-8), "-8", "3 too large"),
        ("0.333333", np.float64(1 / 3), "0.333333333", "3.33e-07 too small"),
        ("14", np.float64(14), "", ""),
        ("14.0", np.float64(14), "14", ""),
        ("1/3", np.float64(0.5), "0.5", ""),
        ("1", True, "True", ""),
        ("True", True, "", ""),
        ("True", np.bool_(True), "", ""),
        ("0", None, "None", ""),
        ("[1, 2]", np.array([1.0, 3.0]), "[1, 3]", ""),
        ("[1, 2]", np.array([1.0, 2.0]), "", ""),
        ("x", "2·x", "2·x", ""),
        ("3", np.float64(np.nan), "nan", ""),
        ("3", np.float64(np.inf), "inf", ""),
        ("9" * 400, np.float64(1), "1", ""),
        ("0.1", np.float32(0.2), "0.2", "0.1 too small"),
    ],
)
def test_what_is_right_never_looks_like_the_answer(given: str, truth: Value, right: str, gap: str) -> None:
    answer = wrong(given, truth)
    assert (expected(answer, Looks()), difference(answer, Looks())) == (right, gap)


def test_ledgers_are_cut() -> None:
    answer = replace(
        PARTLY.answers[1],
        ledger=(
            *(Branch(("q", f"p{n}", "s"), np.float64(-n), False) for n in range(1, 9)),
            Branch(tuple(f"v{n}" for n in range(40)), np.array([1.0, 2.0]), True),
        ),
    )
    text = ledger(answer, Looks())
    assert text.startswith("has v0 ← v1 ← v2 ← v3 ← … ← v37 ← v38 ← v39 [1, 2], lacks q ← p1 ← s -1 and ")
    assert text.endswith(" and 2 more")


def test_a_file_of_any_length_has_a_page() -> None:
    many = replace(PARTLY, answers=PARTLY.answers[:1] * (MOST + 1234), remarks=("late",) * 5000)
    page = check_page(many, Looks(width=80))
    assert "… 1,234 more answers: --all shows each" in page
    assert "and 4,990 more" in page
    assert page.count("\n") < MOST + 20
    assert check_page(many, Looks(width=80), all=True).count("✓") == MOST + 1234


@pytest.mark.parametrize(
    ("scored", "of", "written"),
    [(0, 3, "0%"), (3, 3, "100%"), (0.001, 1, "1%"), (999.9, 1000, "99%"), (1, 3, "33%"), (1, 0, ""), (4, 3, "133%")],
)
def test_percent(scored: float, of: float, written: str) -> None:
    assert percent(scored, of) == written
