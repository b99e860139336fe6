"""Results are computed once, and the oldest are forgotten."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission import numerals
from gradcli.homework.submission.plain import numbers, reading
from gradcli.render.check.document import submission
from gradcli.source import Source
from tests.homework.klass.course import questions
from tests.homework.klass.students import students
from tests.homework.klass.table import opened
from tests.homework.klass.typing import typed_sheet


@pytest.mark.slow
def test_a_student_has_the_same_result_after_others_and_alone() -> None:
    asked = questions(7)
    source = Source("".join(one.toml() for one in asked), "class.toml")
    shared = Grader(read_assignment(source))
    for student in students(asked, 5, 7):
        text = typed_sheet(student)
        result = shared.grade(opened(student.name, text, shared.labels))
        if student.name.endswith("4"):
            for one in (numerals.remembered, numbers.remembered, reading.remembered):
                one.cache_clear()
            alone = Grader(read_assignment(source))
            assert submission(alone.grade(opened(student.name, text, alone.labels))) == submission(result)
