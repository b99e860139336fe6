"""Reports: after the shape that their readers expect, and read by those readers where they are installed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.disclosure import LEVELS, revealed
from gradcli.homework.model import CREDITED, ENDINGS, Result
from gradcli.render.check.reports.registry import REPORTS
from tests.homework.results import ASSIGNMENT, CLASS, HOSTILE, PARTLY, PERFECT, results, texts, unread
from tests.render.report_shapes import CHECK50, GRADESCOPE, PRAIRIELEARN

TABLES = ("csv", "canvas", "items", "similar")


def written(format: str, *members: Result, assignment: Assignment = ASSIGNMENT) -> str:
    return "".join(REPORTS[format].write(assignment, members))


def read(format: str, result: Result) -> Any:
    """A JSON report after its schema."""
    text = written(format, result)
    assert text.isascii()
    found = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    shapes = {"gradescope": GRADESCOPE, "check50": CHECK50, "prairielearn": PRAIRIELEARN}
    jsonschema.Draft202012Validator(shapes[format]).validate(found)
    return found


def suites(*members: Result) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(written("junit", *members)).iter("testsuite"))


def strings(document: Any) -> Iterator[str]:
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict | list):
        for part in document.values() if isinstance(document, dict) else document:
            yield from strings(part)


def test_gradescope() -> None:
    found = read("gradescope", PARTLY)
    assert found["score"] == 2.5
    assert [test["number"] for test in found["tests"]] == ["1.1", "1.2", "1.3", "1.4", "2.1", "2.2", "2.3"]
    assert [test["status"] for test in found["tests"]] == ["passed", "failed", "passed", *["failed"] * 4]
    assert found["tests"][1] == {
        "name": "diamond: dq/ds",
        "number": "1.2",
        "score": 0.0,
        "max_score": 1.0,
        "status": "failed",
        "output": "5: not right; right is 8, yours is 3 too small\n"
        "you kept the branch through p; s also feeds m, which adds 5 (fanout-overwrite at s: ∂q/∂p·∂p/∂s)\n"
        "perhaps: you gave the local derivative (local-not-total at q: p)\n"
        "has q ← m ← s +5, lacks q ← p ← s +3",
        "output_format": "text",
        "tags": ["diamond", "wrong"],
        "visibility": "visible",
        "extra_data": {
            "question": "diamond",
            "quantity": "dq/ds",
            "verdict": "wrong",
            "mistakes": ["fanout-overwrite", "local-not-total"],
            "reason": None,
        },
    }
    assert read("gradescope", HOSTILE)["output"] == "there is no question 'nowhere]]>'"


def test_check50() -> None:
    found = read("check50", PARTLY)
    assert found["slug"] == "week1.toml"
    assert [check["passed"] for check in found["results"]] == [True, False, True, False, False, None, False]
    assert found["results"][1]["cause"] == {
        "rationale": "5: not right, yours is 3 too small",
        "help": "you kept the branch through p; s also feeds m, which adds 5 (fanout-overwrite at s: ∂q/∂p·∂p/∂s)\n"
        "perhaps: you gave the local derivative (local-not-total at q: p)",
        "expected": "8",
        "actual": "5",
    }
    assert found["results"][5]["cause"] == {"rationale": "no answer", "help": None}
    assert read("check50", HOSTILE)["results"][0]["cause"]["rationale"] == "there is no question 'nowhere]]>'"


def test_prairielearn() -> None:
    found = read("prairielearn", PARTLY)
    assert found["score"] == 2.5 / 9
    assert [(test["name"], test["points"], test["max_points"]) for test in found["tests"]][:2] == [
        ("diamond: s", 1.0, 1.0),
        ("diamond: dq/ds", 0.0, 1.0),
    ]
    assert found["tests"][1]["output"].startswith("5: not right; right is 8")
    assert read("prairielearn", replace(PERFECT, answers=()))["score"] == 1.0
    whole = read("prairielearn", unread("dan.txt", "dan", ENDINGS["memory"], "memory"))
    assert whole["gradable"] is False
    assert whole["format_errors"] == [ENDINGS["memory"]]


def test_canvas() -> None:
    """The head that Canvas asks for, then the points possible, and a row for each student."""
    members = (PERFECT, replace(PARTLY, name="Lovelace, Ada"), unread("dan.txt", "dan", "it is empty", None))
    rows = list(csv.reader(io.StringIO(written("canvas", *members))))
    assert rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Backpropagation, week 1"]
    assert rows[1] == ["    Points Possible", "", "", "", "", "9"]
    assert rows[3] == ["Lovelace, Ada", "", "ada", "ada", "", "2.5"]
    assert rows[4] == ["dan", "", "dan", "dan", "", ""]


def test_canvas_sees_no_words_of_its_own() -> None:
    """A student called so would set the points of the assignment, and a column of that title would be left out."""
    student = replace(PERFECT, student="Points Possible")
    rows = list(
        csv.reader(io.StringIO(written("canvas", student, assignment=replace(ASSIGNMENT, title="Final Score"))))
    )
    assert rows[0][-1] == "final score"
    assert rows[2][0] == "points possible"
    for title in rows[0][:5]:  # the points would be looked for in the first column of this name
        (head, *_) = csv.reader(io.StringIO(written("canvas", assignment=replace(ASSIGNMENT, title=title))))
        assert head.count(title) == 1


def test_junit() -> None:
    bob, ada, eve = suites(*CLASS)
    assert (bob.get("name"), bob.get("tests"), bob.get("failures"), bob.get("errors")) == ("bob", "2", "0", "0")
    assert (ada.get("tests"), ada.get("failures"), ada.get("errors")) == ("7", "5", "0")
    assert (eve.get("tests"), eve.get("failures"), eve.get("errors")) == ("4", "1", "3")
    properties = {found.get("name"): found.get("value") for found in ada.iter("property")}
    assert (properties["score"], properties["max_score"], properties["points diamond: dq/dx"]) == ("2.5", "9", "0/3")
    failures = {case.get("name"): case.find("failure") for case in ada.iter("testcase")}
    assert failures["s"] is None
    wrong = failures["dq/ds"]
    assert wrong is not None
    assert (wrong.get("type"), wrong.get("message")) == ("wrong", "not right")
    assert (wrong.text or "").splitlines()[0] == "5: not right; right is 8, yours is 3 too small"
    assert {case.get("classname") for case in ada.iter("testcase")} == {"ada.diamond", "ada.chain"}


def test_gradebook() -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", *CLASS))))
    assert rows[1] == {
        "student": "ada",
        "file": "class/ada.txt",
        "diamond": "2",
        "chain": "0.5",
        "total": "2.5",
        "max": "9",
    }
    assert rows[2]["student"] == r"\u202eeve ]]><script>\x00\ud800"


def test_mistakes() -> None:
    assert written("mistakes", *CLASS) == (
        "mistake,title,students,answers,questions\n"
        "fanout-overwrite,kept one branch where the branches add up,1,1,diamond (1)\n"
    )


@pytest.mark.slow
@settings(max_examples=15)
@given(results(), st.sampled_from(LEVELS))
def test_any_submission(result: Result, level: str) -> None:
    result = revealed(result, level)
    right = [answer.verdict in CREDITED for answer in result.answers]
    gradescope = read("gradescope", result)
    assert gradescope["score"] == result.score
    assert [test["status"] == "passed" for test in gradescope["tests"]] == right
    assert 0 <= read("prairielearn", result).get("score", 0) <= 1
    check50 = read("check50", result)
    assert [check["passed"] is True for check in check50["results"]][bool(result.remarks) :] == right
    assert len({check["name"] for check in check50["results"]}) == len(check50["results"])
    for text in strings([gradescope, check50]):
        assert text.replace("\n", "").isprintable() or "\u3000" in text or "\xa0" in text
        text.encode()


@pytest.mark.parametrize("format", TABLES)
@settings(max_examples=20)
@given(student=texts(), text=texts())
@example(student="a;=1", text="")
@example(student="a", text='b"; @x')
@example(student='a;"=1', text='"=1')
def test_no_cell_is_a_formula(format: str, student: str, text: str) -> None:
    """Also where a spreadsheet has another separator, for which the quotes within its cells are none."""
    wrong = replace(PARTLY.answers[1], given=text, diagnoses=())
    members = [replace(PERFECT, student=one, file=text, answers=(wrong,)) for one in (student, f"{student} too", text)]
    table = written(format, *members)
    cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
    cells += re.split(r"[;\t\n]", table)
    assert [cell for cell in cells if re.match(r'[\s"]*[=+\-@＝＋－＠]', cell) and not is_number(cell)] == []


def is_number(cell: str) -> bool:
    """Whether a cell is a number below zero, perhaps with others after it: `-0.5,1,0`."""
    return re.fullmatch(r"[-+][\d.e+-]+(,.*)?", cell) is not None


@pytest.mark.parametrize("text", ["=1+1", " =1+1", "\t=1", "\n@x", "-2+3", "+1", "＝1"])
def test_formulas_become_text(text: str) -> None:
    student = replace(PERFECT, student=text, file=text)
    (row,) = list(csv.reader(io.StringIO(written("csv", student))))[1:]
    assert all(cell.startswith(("'", "\\")) for cell in row[:2])
    assignment = replace(ASSIGNMENT, questions=(replace(ASSIGNMENT.questions[0], id=text),))
    (header,) = csv.reader(io.StringIO(written("csv", assignment=assignment)))
    assert header[2].startswith(("'", "\\"))


def test_what_students_read_tells_less() -> None:
    assert {name: report.reveal for name, report in REPORTS.items()} == {
        "gradescope": "rule",
        "check50": "rule",
        "prairielearn": "rule",
        "junit": "value",
        "csv": "value",
        "mistakes": "value",
        "canvas": "value",
        "items": "value",
        "similar": "value",
    }
