"""Results are computed once, and the oldest are forgotten."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.result_cache import Remembered
from gradcli.homework.submission import numerals
from gradcli.homework.submission.lines import read_lines
from gradcli.homework.submission.plain import numbers, reading
from gradcli.render.check.document import submission
from gradcli.source import Source
from tests.homework.klass.course import questions
from tests.homework.klass.students import students
from tests.homework.klass.table import opened
from tests.homework.klass.typing import typed_sheet


def test_only_the_latest_results_are_kept() -> None:
    computed: list[str] = []
    remembered: Remembered[str] = Remembered(2)
    for key in ["a", "b", "a", "c", "a", "b", None, None]:
        remembered.once(key, lambda key=key: computed.append(key) or "")  # type: ignore[misc]
    assert computed == ["a", "b", "c", "b", None, None]
    assert list(remembered.found) == ["a", "b"]


def test_a_number_is_remembered_with_its_digits_and_by_its_quantity() -> None:
    text = "[[question]]\nid = 'q'\nprogram = 's = 2*x; t = 4*x'\nat = { x = 1.0001 }\nask = ['s', 't']\n"
    answers = ["4", "4.0", "4.00", "4,00", "4.000", "4.0004", "400e-2", "2.00", "$2.00$", "2"]

    def verdicts(grader: Grader, answer: str) -> list[tuple[str, str]]:
        given = read_lines("ada.txt", "ada", f"[q]\ns = {answer}\nt = {answer}\n", grader.labels)
        return [(one.verdict, one.given or "") for one in grader.grade(given).answers]

    shared = Grader(read_assignment(Source(text, "class.toml")))
    alone = {one: verdicts(Grader(read_assignment(Source(text, "class.toml"))), one) for one in answers}
    assert {one: verdicts(shared, one) for one in [*answers, *reversed(answers)]} == alone
    assert [alone[one][1][0] for one in ("4", "4.00", "2.00")] == ["precision", "correct", "wrong"]
    assert alone["2.00"][0][0] == alone["$2.00$"][0][0] == "correct"


@pytest.mark.slow
def test_a_student_has_the_same_result_after_others_and_alone() -> None:
    asked = questions(7)
    source = Source("".join(one.toml() for one in asked), "class.toml")
    shared = Grader(read_assignment(source))
    for student in students(asked, 10, 7):
        text = typed_sheet(student)
        result = shared.grade(opened(student.name, text, shared.labels))
        if student.name.endswith("9"):
            for one in (numerals.remembered, numbers.remembered, reading.remembered):
                one.cache_clear()
            alone = Grader(read_assignment(source))
            assert submission(alone.grade(opened(student.name, text, alone.labels))) == submission(result)
