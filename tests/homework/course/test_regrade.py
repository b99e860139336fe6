"""Grading again: what changes student by student, and what is refused."""

from __future__ import annotations

import json

import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.overrides import differences, read_graded, refuse_lower
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.submissions import read_text
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.document import check_document
from gradcli.render.check.regrade import regrade_text
from gradcli.render.text.looks import Looks
from gradcli.source import Source
from tests.homework.course.weeks import WEEK, week


def graded(**answers: str) -> list[Result]:
    grader = Grader(week(WEEK.replace("{ choose = [1.3, 1.7, 2.2, 2.6] }", "2.2")))
    return [grader.grade(read_text(f"{who}.txt", who, f"[diamond]\n{text}\n")) for who, text in answers.items()]


def written(results: list[Result]) -> str:
    return "".join(check_document(week(WEEK), results, ClassTotals(week(WEEK))))


def read(text: str) -> object:
    return read_graded(Source(text, "old.json"), week(WEEK))


THEN = graded(ada="s = 4.84\ndq/ds = 9.68", bob="s = 4.84", eve="s = 1")
NOW = graded(ada="s = 4.84\ndq/ds = 9.68", bob="s = 4.84\ndq/ds = 9.68", dan="s = 4.84")


def test_what_changes_student_by_student() -> None:
    found = differences(read_graded(Source(written(THEN), "old.json"), week(WEEK)), NOW)
    assert [(one.student, one.before, one.after, one.is_lower) for one in found] == [
        ("bob", 1.0, 2.0, False),
        ("dan", None, 1.0, False),
        ("eve", 0.0, None, False),
    ]
    (change,) = found[0].changes
    assert (change.quantity, change.before and change.before.verdict, change.after and change.after.points) == (
        "dq/ds", "missing", 1.0,
    )  # fmt: skip
    refuse_lower(found)
    text = regrade_text(found, len(NOW), Looks())
    assert "Grading again changes 3 of 3 students" in text
    assert "bob   1 → 2 points" in text
    assert "diamond: dq/ds missing → correct  0 → 1" in text
    assert regrade_text([], 3, Looks()) == "Grading again changes none of 3 students"


def test_a_score_is_not_lowered_in_silence() -> None:
    found = differences(read_graded(Source(written(NOW), "old.json"), week(WEEK)), THEN[1:])
    with pytest.raises(
        UsageError, match=r"lowers the score of bob \(2 to 1\), ada \(2 to 0\) and dan \(1 to 0\)"
    ) as refused:
        refuse_lower(found)
    assert refused.value.help == "add --allow-lower if that is meant"


OTHER = json.loads(written(THEN))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no document of gradcli check"),
        ("[1]", "no document of gradcli check"),
        ('{"schema": "gradcli.lint/1"}', "another document"),
        (json.dumps({**OTHER, "submissions": [{"student": "ada"}]}), "no document of gradcli check"),
        (
            json.dumps({**OTHER, "submissions": [{"student": "ada", "score": float("nan"), "answers": []}]}),
            "no document of gradcli check",
        ),
        (
            json.dumps({**OTHER, "assignment": {**OTHER["assignment"], "title": "Week 4", "file": "w4.toml"}}),
            "another assignment, Week 4",
        ),
    ],
)
def test_a_document_of_something_else_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        read(text)
    assert refused.value.code == "E027"
