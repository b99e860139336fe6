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


TWO = Grader(
    read_assignment(
        Source(
            "[[question]]\nid = 'q1'\nprogram = 'z = w*x; a = z*z; L = a*a'\nat = { x = 2, w = 1.5 }\nask = ['dL/dw']\n"
            "[[question]]\nid = 'q2'\nprogram = 'f = x**2*y'\nat = { x = 1, y = 2 }\nask = ['df/dx', 'df/dy']\n",
            "week.toml",
        )
    )
)


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("Esercizio 1)\nla derivata di L rispetto a w: 216", "dL/dw"),  # the program has an `a`, too
        ("Questão 1\na derivada de L em relação a w = 216", "dL/dw"),
        ("Uppgift 1\nderivatan av L med avseende på w = 216", "dL/dw"),
        ("2) a) 4", "df/dx"),
        ("Teil 2, b) 1", "df/dy"),
        ("Ex. 2 — b) 1", "df/dy"),
        ("Problem #2, part b: 1", "df/dy"),
        ("[q2]\n∂f(x,y)/∂x |_{(1,2)} = 4", "df/dx"),
    ],
)
def test_labels_and_headings_of_courses(text: str, quantity: str) -> None:
    result = TWO.grade(read_lines("a", "a", text, TWO.labels))
    assert [answer.quantity for answer in result.answers if answer.verdict == "correct"] == [quantity]
