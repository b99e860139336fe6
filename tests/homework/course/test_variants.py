"""The record of the sheets: read as it was written, and refused where it is another."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gradcli.errors import UsageError
from gradcli.homework.course.variants import NO_SHEET, Variants, read_variants
from gradcli.homework.grading import Grader
from gradcli.homework.submission.submissions import read_text
from gradcli.render.check.key import variants_text
from gradcli.source import Source
from tests.commands.running import validator
from tests.homework.course.weeks import LAYER, WEEK, variants, week


def written() -> str:
    return variants_text(week(), variants())


def read(text: str, assignment: str = WEEK + LAYER) -> Variants:
    return read_variants(Source(text, "variants.json"), week(assignment))


def test_it_is_read_as_it_was_written() -> None:
    validator("variants").validate(json.loads(written()))
    assert repr(list(read(written()))) == repr(list(variants()))
    assert [line.startswith('{"student": ') for line in written().splitlines()] == [False, True, True, True, False]


def test_grading_reads_it_and_derives_nothing() -> None:
    """Other choices in the assignment of later change no sheet."""
    later = f"{WEEK}{LAYER}".replace("[1.3, 1.7, 2.2, 2.6]", "[7.5, 8.5]")
    question, _ = read(written(), later).sheets["ada"].of(week(later)).questions
    assert question.at["x"] == 2.6


def changed(**parts: Any) -> str:
    return json.dumps({**json.loads(written()), **parts})


def about(**parts: Any) -> str:
    return changed(assignment={**json.loads(written())["assignment"], **parts})


ADA = {"student": "ada", "values": {"diamond": {"x": 1}, "layer": {"W": [[1]], "x": [1]}}}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", "no record"),
        ("[" * 100_000, "no record"),
        ('{"schema": "gradcli.check/1"}', "another document"),
        (changed(students=[{"student": "ada"}]), "no record"),
        (changed(students=[{**ADA, "values": {"diamond": {"x": [1, [2]]}}}]), "no record"),
        (changed(students=[{**ADA, "values": {"diamond": {"x": float("nan")}}}]), "no record"),
        (changed(students=[{**ADA, "values": {"diamond": {"x": 1}}}]), "other variables"),
        (about(title="Week 4", file="week4.toml"), "another assignment .'Week 4'"),
        (about(title="", file="week4.toml"), "another assignment"),
    ],
)
def test_any_other_text_is_refused(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as refused:
        read(text)
    assert "--handout" in refused.value.help


@pytest.mark.parametrize(("parts", "is_told"), [({"title": "Weak 3"}, True), ({"file": "old/sheet3.toml"}, False)])
def test_of_file_and_title_one_may_have_changed(parts: dict[str, str], is_told: bool, recwarn: Any) -> None:
    assert repr(list(read(about(**parts)))) == repr(list(variants()))
    assert [str(one.message) for one in recwarn] == [
        "the sheets in variants.json were handed out as 'Weak 3'"
    ] * is_told


def test_each_is_graded_by_the_own_sheet() -> None:
    grader = Grader(week(), variants=variants())
    for sheet in variants():
        x = float(np.asarray(sheet.values["diamond"]["x"]))
        answers = f"[diamond]\ns = {x**2!r}\ndq/ds = {2 * x**2!r}\ndq/dx = {4 * x**3!r}\n"
        result = grader.grade(read_text(f"{sheet.student}.txt", sheet.student.upper(), answers))
        assert [answer.verdict for answer in result.answers[:3]] == ["correct"] * 3
        assert grader.keys_of(sheet.student)["layer"].question.at["W"] is sheet.values["layer"]["W"]


def test_who_has_no_sheet_is_told_so_and_hears_of_nobody() -> None:
    result = Grader(week(), variants=variants()).grade(read_text("eda.txt", "eda", "[diamond]\ns = 4.84\n"))
    assert (result.unreadable, result.score) == (NO_SHEET, 0)
    assert {answer.verdict for answer in result.answers} == {"unreadable"}


def test_a_wrong_answer_that_is_right_on_another_sheet() -> None:
    sheets = {name: replace(variants().sheets["ada"], student=name) for name in ("ada", "dan")}
    sheets["dan"] = replace(sheets["dan"], values={**sheets["dan"].values, "diamond": {"x": np.float64(2.2)}})
    sheets["ada"] = replace(sheets["ada"], values={**sheets["ada"].values, "diamond": {"x": np.float64(1.7)}})
    grader = Grader(week(), variants=Variants(sheets))
    found = grader.grade(
        read_text("ada.txt", "ada", "[diamond]\ns = 4.84\ndq/ds = 9.68\ndq/dx = 7\n[layer]\nz = [1, 2]")
    )
    assert [answer.elsewhere for answer in found.answers] == [("dan",), ("dan",), (), (), ()]
    right = grader.grade(read_text("dan.txt", "dan", "[diamond]\ns = 4.84\n"))
    assert right.answers[0].verdict == "correct"
    assert not any(answer.elsewhere for answer in right.answers)
