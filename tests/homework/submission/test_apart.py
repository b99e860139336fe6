"""Answers that share a line, go on below, or stand under a heading with a slip in it."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source

GRADER = Grader(
    read_assignment(
        Source(
            "[[question]]\nid = 'diamond'\nprogram = 's = x**2; c = k*s; q = s*s'\n"
            "at = { x = 1.5, k = [[1.0], [2.0], [4.0]] }\nask = ['s', 'c', 'q', 'dq/ds']\n",
            "week.toml",
        )
    )
)


def graded(text: str) -> Result:
    return GRADER.grade(read_lines("a", "a", text, GRADER.labels))


def right(text: str) -> set[str]:
    return {answer.quantity for answer in graded(text).answers if answer.verdict == "correct"}


@pytest.mark.parametrize(
    ("text", "quantities"),
    [
        ("[diamond]\ns = 2.25, a) dq/ds: 4.50; q is 5.0625", {"s", "dq/ds", "q"}),
        ("[diamond]\ndq/ds = 2 *  s = 4.50", {"dq/ds"}),  # a chain of equations
        ("[dimond]\ns = 2.25", {"s"}),
        ("## daimond\ns = 2.25", {"s"}),
        ("diamond (10 points)\ns = 2.25 (2 points?)", {"s"}),
        ("[diamond]\ns = 2.2500…", {"s"}),
    ],
)
def test_they_are_read(text: str, quantities: set[str]) -> None:
    assert right(text) == quantities
