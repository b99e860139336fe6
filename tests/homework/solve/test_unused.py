"""Wrong numbers that a student did not go on with, and gradients that are known under another name."""

from __future__ import annotations

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source


def verdicts(body: str, *lines: str) -> list[str]:
    grader = Grader(read_assignment(Source(f'[[question]]\nid = "week"\n{body}', "week.toml")))
    result = grader.grade(read_lines("a", "a", "\n".join(("[week]", *lines)), grader.labels))
    return [answer.verdict for answer in result.answers]


SHARED = "program = 'a = x*y; b = a + x; c = a*x; f = b*c + y'\nat = { x = 1.3, y = 2.2 }\n"  # a 2.86, b 4.16, c 3.718


def test_a_wrong_number_that_right_ones_do_not_have_is_left_out() -> None:
    body = SHARED + "ask = ['local da/dx', 'df/db', 'df/da', 'df/dx']\n"
    lines = ["local da/dx = 3.0", "df/db = 9.9", "df/da = 9.126", "df/dx = 42.9936"]  # df/da has the right df/db
    assert verdicts(body, *lines) == ["wrong", "wrong", "correct", "carried"]
    lines[2] = "df/da = 5.5"  # nothing shows now that df/db was not gone on with
    lines[3] = "df/dx = 32.1156"
    assert verdicts(body, *lines) == ["wrong", "wrong", "wrong", "wrong"]
