"""Points set by hand: they replace those of the grade, and nothing in them is for nobody."""

from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.overrides import Overrides, overridden, read_overrides
from gradcli.homework.grading import Grader
from gradcli.homework.submission.submissions import read_text
from gradcli.source import Source
from tests.homework.course.weeks import WEEK, week

OVERRIDE = """\
[[override]]
student = "ADA"
question = "diamond"
quantity = "dq / ds"
points = 0.5
note = "the sheet was misprinted"
"""


def read(text: str) -> Overrides:
    known = {"ada": "Ada", "bob": "bob"}
    source = Source(text, "overrides.toml")
    return read_overrides(source, week(WEEK), lambda name: known.get(name.lower()), ["Ada", "bob"])


def test_the_points_and_the_note_are_those_of_the_teacher() -> None:
    grader = Grader(week(WEEK))
    results = [grader.grade(read_text(f"{who}.txt", who, "[diamond]\ndq/ds = 77.7\n")) for who in ("Ada", "bob")]
    ada, bob = overridden(results, read(OVERRIDE))
    assert bob is results[1]
    assert [answer.points for answer in ada.answers] == [0.0, 0.5, 0.0]
    assert [answer.note for answer in ada.answers] == [None, "the sheet was misprinted", None]
    assert (ada.answers[1].verdict, ada.score) == ("wrong", 0.5)


@pytest.mark.parametrize(
    ("old", "new", "under", "told"),
    [
        ('"ADA"', '"bobb"', '"bobb"', "did you mean bob?"),
        ('"ADA"', "3", "3", "student is 3"),
        ('student = "ADA"\n', "", "[[override]]", "there is no student"),
        ('"diamond"', '"dimond"', '"dimond"', "did you mean diamond"),
        ('"dq / ds"', '"dq/dy"', '"dq/dy"', "diamond does not ask for dq/dy"),
        ("points = 0.5", "points = nan", "nan", "points are nan"),
        ("note", "question_", "question_", "has no question_"),
        ("[[override]]", "[override]", "[override]", "start each with"),
        ("[[override]]", f"{OVERRIDE}[[override]]", '"dq / ds"', "are set twice"),
        ("note = ", "note : ", ":", "not TOML"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_place(old: str, new: str, under: str, told: str) -> None:
    text = OVERRIDE.replace(old, new, 1)
    with pytest.raises(UsageError) as refused:
        read(text)
    error = refused.value
    assert told in f"{error.message}; {error.help}"
    assert error.span is not None
    assert text.startswith(under, error.span.start)
