"""Results are computed once, and the oldest are forgotten."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.remembered import Remembered
from gradcli.homework.submission.lines import read_lines
from gradcli.render.check.document import submission
from gradcli.source import Source
from tests.homework.klass.course import questions
from tests.homework.klass.students import students
from tests.homework.klass.table import in_their_ways


def test_only_the_latest_results_are_kept() -> None:
    computed: list[str] = []
    remembered: Remembered[str] = Remembered(2)
    for key in ["a", "b", "a", "c", "a", "b", None, None]:
        remembered.once(key, lambda key=key: computed.append(key) or "")  # type: ignore[misc]
    assert computed == ["a", "b", "c", "b", None, None]
    assert list(remembered.found) == ["a", "b"]


@pytest.mark.slow
def test_a_student_has_the_same_result_after_others_and_alone() -> None:
    asked = questions(7)
    source = Source("".join(one.toml() for one in asked), "class.toml")
    shared = Grader(read_assignment(source))
    for student in students(asked, 10, 7):
        text = in_their_ways(student)
        result = shared.grade(read_lines("ada.txt", student.name, text, shared.labels))
        if student.name.endswith("9"):
            alone = Grader(read_assignment(source))
            assert submission(alone.grade(read_lines("ada.txt", student.name, text, alone.labels))) == submission(
                result
            )
