"""The level `rule` over a class of made mistakes: no form has a right number, with any sign, or what leads to it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.disclosure import for_student, revealed
from gradcli.homework.grading import Grading
from gradcli.homework.model import Marked, Result
from gradcli.render.check.feedback import feedback_page, feedback_text
from gradcli.render.check.reports.registry import REPORTS
from gradcli.render.text.looks import Asked
from gradcli.source import Source
from tests.homework.klass.course import questions
from tests.homework.klass.students import students
from tests.homework.klass.table import opened, sheet

NUMBER = re.compile(r"(?<![\w.])\d+\.\d+(?:e-?\d+)?(?!\w|\.\d)")
CLOSE = 2e-3
STUDENTS = 4


def telling(answer: Marked) -> set[float]:
    """Return the numbers that give an answer away: the right one, and what the typed one is to be multiplied by."""
    right = answer.expected
    if answer.verdict == "correct" or not isinstance(right, np.floating | float):
        return set()
    try:
        typed = float(answer.given or "")
    except ValueError:
        return {abs(float(right))}
    shares = {abs(right / typed), abs(typed / right)} if typed and right else set()
    return {float(one) for one in (abs(right), *shares) if np.isfinite(one)}


def written(grading: Grading, result: Result) -> str:
    """Write one answer in every form that students read, without what they typed themselves."""
    shown = replace(
        result, answers=tuple(replace(one, given="?", read_as="", points=0.0, max_points=0.0) for one in result.answers)
    )
    reports = (one.write(grading.assignment, [shown]) for one in REPORTS.values() if one.per_student)
    return "".join(chain([feedback_text(grading, shown, Asked()), feedback_page(grading, shown, Asked())], *reports))


def leaking(grading: Grading, result: Result, level: str, secrets: set[float], own: set[float]) -> list[float]:
    """Return the secrets that stand in what a student reads at a level; numbers of the question are the student's."""
    found = {float(one) for one in NUMBER.findall(written(grading, for_student(revealed(result, level))))} - own
    return [secret for secret in secrets if any(abs(secret - one) <= CLOSE * secret for one in found)]


@pytest.mark.slow
def test_the_rule_gives_no_number_away() -> None:
    seed = 3
    asked = questions(seed)
    source = "".join(one.toml() for one in asked)
    grading = Grading(read_assignment(Source(source, "class.toml")))
    own = {float(one) for one in NUMBER.findall(source)}
    looked_at = given_away = 0
    for student in students(asked, STUDENTS, seed):
        result = grading.grader.grade(opened(student.name, sheet(student), grading.grader.labels))
        for answer in result.answers:
            if secrets := telling(answer) - own:
                looked_at += 1
                alone = replace(result, answers=(answer,))
                leaks = leaking(grading, alone, "rule", secrets, own)
                assert not leaks, (answer.question, answer.quantity, answer.diagnoses[:3], leaks)
                if given_away == 0:
                    given_away = len(leaking(grading, alone, "value", secrets, own))
    assert given_away, "what is looked for is found where it stands"
    assert looked_at > STUDENTS
