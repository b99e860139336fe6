"""Submissions: text and JSON; what is wrong with one answer costs no other."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcli.homework.submission.submissions import Submission, read_json, read_text
from tests.homework.submission.diamond import ASKED, GRADER, RIGHT, verdicts


def of_text(text: str) -> Submission:
    return read_text("ada.txt", "ada", text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# nothing\n\n", []),
        ("[d]\ns = 4", [("d", "s", "4")]),
        ("[ d ]\r\n  s=4 # four\r\n", [("d", "s", "4")]),
        ("[d]\rs = 4\rq = 5", [("d", "s", "4"), ("d", "q", "5")]),
        ("[d]\ns =\nq = 5", [("d", "s", None), ("d", "q", "5")]),
        ("[d]\ns = # later\n", [("d", "s", None)]),
        ("[d]\n∂q/∂s = 2*s", [("d", "∂q/∂s", "2*s")]),
        ("[d]\nZ = [\n1, 2\n]\ns = 1", [("d", "Z", "[\n1, 2\n]"), ("d", "s", "1")]),
        ("[d]\nZ = [1,\ns = 4", [("d", "Z", "[1,"), ("d", "s", "4")]),
        ("[d]\ns = 4 = 5", [("d", "s", "4 = 5")]),
        ("[d]\ns = 4; q = 5", [("d", "s", "4; q = 5")]),
    ],
)
def test_text(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    found = of_text(text)
    assert [(g.question, g.quantity, g.text) for g in found.given] == expected
    assert found.remarks == ()


@pytest.mark.parametrize("line", ["dL/dz: 4", "= 5", "the answer is 4", "[d", "- 4", "[d] s = 4"])
def test_a_line_that_is_no_answer_is_told_with_its_number(line: str) -> None:
    found = of_text(f"[d]\ns = 9\n{line}\nq = 80\n")
    assert verdicts(GRADER.grade(found)) | {"s": "correct", "q": "correct"} == verdicts(GRADER.grade(found))
    assert found.remarks[0].startswith("line 3 is no [question], and no quantity = answer: ")


@given(st.text())
@example("[d]\n" + "[" * 500)
@example("=\n=\n")
@example("s = (\n(\n)")
@example("[\n]\n=")
@example("\x1b[31m=\x00\x85\u2028")
def test_any_text_is_a_submission(text: str) -> None:
    result = GRADER.grade(of_text(text))
    assert len(result.answers) >= len(RIGHT)


@given(st.text(st.characters(exclude_characters="\r\n")), st.sampled_from(sorted(RIGHT)))
@example("[e]", "q")
@example("x = [1,", "q")
@example("q = (", "s")
@example("local ds/dx = {[", "q")
def test_a_bad_line_costs_no_other_answer(line: str, quantity: str) -> None:
    """Whatever stands there, the answers above and, under a heading of their own, those below count."""
    others = [f"{name} = {value}" for name, value in RIGHT.items() if name != quantity]
    text = "\n".join(["[d]", *others[:2], "[zzz]", line, "[d]", *others[2:], ""])
    found = verdicts(GRADER.grade(of_text(text)))
    assert {found[name] for name in RIGHT if name != quantity} == {"correct"}


@given(st.text(max_size=30), st.sampled_from(sorted(RIGHT)))
@example("9**9**9**9", "s")
@example("nan", "q")
@example("__import__('os')", "q")
def test_a_bad_answer_costs_no_other_answer(answer: str, quantity: str) -> None:
    answers = json.dumps({"d": {**RIGHT, quantity: answer}})
    found = verdicts(GRADER.grade(read_json("ada.json", "ada", answers)))
    assert {found[name] for name in RIGHT if name != quantity} == {"correct"}


@pytest.mark.parametrize("again", ["∂q/∂s", "dq/ds", "s.grad", "d q / d s", "d(q)/d(s)"])
def test_a_quantity_that_is_repeated_is_unreadable_alone(again: str) -> None:
    lines = [f"{name} = {value}" for name, value in RIGHT.items()]
    found = GRADER.grade(of_text("\n".join(["[d]", *lines, f"{again} = 18"])))
    assert verdicts(found) == dict.fromkeys(RIGHT, "correct") | {"dq/ds": "unreadable"}
    assert found.answers[2].remark == "given 2 times, on lines 4 and 7"


def test_what_was_not_asked() -> None:
    found = GRADER.grade(of_text("s = 9\n[d]\nz = 3\nz =\n[e]\ns = 4\n"))
    extra = [(a.question, a.quantity, a.verdict, a.remark) for a in found.answers[len(RIGHT) :]]
    assert extra == [
        ("", "s", "unreadable", "no [question] stands above it"),
        ("d", "z", "unreadable", "this was not asked"),
        ("e", "s", "unreadable", "there is no such question; did you mean [d]?"),
    ]
    assert set(verdicts(found).values()) == {"missing"}
    assert found.max_score == len(RIGHT)


@pytest.mark.parametrize(
    ("answer", "text", "verdict"),
    [
        ('"9"', "9", "correct"),
        ("8", "8", "wrong"),
        ("null", "None", "missing"),
        ("true", "True", "unreadable"),
        ('{"x": 1}', "", "unreadable"),
        ("NaN", "NaN", "unreadable"),
        ("9" * 5000, "9" * 5000, "unreadable"),
        ('"\\u001b[2J"', "\x1b[2J", "unreadable"),
    ],
)
def test_json(answer: str, text: str | None, verdict: str) -> None:
    found = read_json("ada.json", "ada", f'{{" d": {{"s ": {answer}, "q": 80}}}}')
    assert found.given[0].text == text
    assert (found.given[0].question, found.given[0].quantity) == ("d", "s")
    marked = GRADER.grade(found)
    assert (verdicts(marked)["s"], verdicts(marked)["q"]) == (verdict, "correct")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{\n", "it is not JSON: line 2: "),
        ("3", "it is no object"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"d": ' * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_not_json(text: str, why: str) -> None:
    found = read_json("ada.json", "ada", text)
    assert found.unreadable.startswith(why)
    assert set(verdicts(GRADER.grade(found)).values()) == {"unreadable"}


@pytest.mark.slow
@pytest.mark.parametrize("line", ["s = 9\n", "[", "s = (\n", "s = 9, [\n[\n", "=", "a\n", "s = (,", " ", "\r", "[d]\n"])
def test_time_grows_with_the_text_alone(line: str) -> None:
    """With the square of it, each would take hours."""
    assert list(verdicts(GRADER.grade(of_text("[d]\n" + line * 10_000)))) == ASKED
