"""The table for a class."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from gradcli.homework.model import Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.table import check_table, not_graded
from gradcli.render.text.looks import Looks
from tests.homework.results import ASSIGNMENT, CLASS, ENDED, PARTLY, results, unread
from tests.render.check.test_page import ESCAPE, assert_harmless

TABLE = r"""
Backpropagation, week 1   3 students, mean 1.5 of 4.33 points (35%)

Students
  bob                             2 of 2    100%
  ada                             2.5 of 9  28%   4 wrong                1 missing            fanout-overwrite
  \u202eeve ]]><script>\x00\ud800 0 of 2    0%    1 wrong  2 unreadable             1 remark
Mistakes, those of most students first
  fanout-overwrite kept one branch where the branches add up  1 student  1 answer  in diamond (1)
Questions
  diamond 50% right  4 of 8 answers  40% of the points
  chain   0% right   0 of 3 answers  17% of the points
"""


def added(members: tuple[Result, ...] | list[Result]) -> ClassTotals:
    totals = ClassTotals(ASSIGNMENT)
    for result in members:
        totals.add(result)
    return totals


def test_table() -> None:
    assert check_table(added(CLASS), Looks()) == TABLE.strip()


UNGRADED = r"""
Not graded
  ada diamond: dq/ds    grading it took too long
  dan class/dan\x1b[2J  it is \u202eempty
Questions
"""
SENTENCE = (
    r"not graded: ada in diamond: dq/ds (grading it took too long) and dan in class/dan\x1b[2J (it is \u202eempty)"
)


def test_what_was_not_graded_is_listed() -> None:
    totals = added([replace(PARTLY, answers=(ENDED,)), unread("class/dan\x1b[2J", "dan", "it is \u202eempty", None)])
    assert UNGRADED.strip() in check_table(totals, Looks())
    assert not_graded(totals) == SENTENCE
    absent = added([unread("", "eve", "no sheet was handed out to this student", None)])
    assert not_graded(absent) == "not graded: eve (no sheet was handed out to this student)"
    assert not_graded(added([replace(PARTLY, answers=(ENDED,) * 90)])).endswith(" and 87 more")


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(results(), max_size=4), st.sampled_from([50, 80, None]), st.booleans())
def test_any_class(members: list[Result], width: int | None, color: bool) -> None:
    table = check_table(added(members), Looks(width=width, color=color))
    text = ESCAPE.sub("", table)
    assert_harmless(text)
    if width is not None:
        assert max(map(cell_len, text.split("\n"))) <= width
