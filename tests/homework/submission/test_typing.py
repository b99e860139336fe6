"""Hand-ins of a synthetic class, typed in every style: verdicts are as in the key, and nothing wrong is credited."""

from __future__ import annotations

import random

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import CREDITED
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source
from tests.homework.klass.course import questions
from tests.homework.klass.model import Asked
from tests.homework.klass.students import students
from tests.homework.klass.typing import Answer, Text, settled, sheet, typed
from tests.programs import some

STUDENTS = 15


@pytest.mark.slow
@pytest.mark.parametrize("seed", some([1, 2], 2))
def test_a_class_is_read_in_any_mixture_of_styles(seed: int) -> None:
    asked = questions(seed)
    grader = Grader(read_assignment(Source("".join(map(Asked.toml, asked)), "class.toml")))
    count, misses, credited = 0, [], []
    for student in students(asked, STUDENTS, seed):
        draw = random.Random(f"{seed} {student.name}")
        texts = [
            Text("", "") if "missing" in one.verdicts else typed(one.value, draw, one.digits or 4)
            for one in student.answers
        ]
        lines = [
            Answer(one.question, one.quantity, text.text) for one, text in zip(student.answers, texts, strict=True)
        ]
        result = grader.grade(read_lines("s.txt", student.name, sheet(lines, draw), grader.labels))
        found = {(one.question, one.quantity): one for one in result.answers}
        assert result.remarks == ()
        for one, text in zip(student.answers, settled(texts), strict=True):
            marked = found[one.question, one.quantity]
            count += 1
            if text.ambiguous:
                continue
            if marked.verdict not in one.verdicts:
                misses.append((one.quantity, text, one.verdicts, marked.verdict, marked.remark))
            if marked.verdict in CREDITED and not one.verdicts & CREDITED:
                credited.append((one.quantity, text, marked))
    assert not credited
    assert len(misses) <= count / 100, misses
