"""The document of a class: after its schema, strict, and written as a stream."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.homework.disclosure import LEVELS, revealed
from gradcli.homework.model import ENDINGS, Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.document import LONGEST, check_document, submission
from gradcli.stream.values import dump
from tests.commands.running import document, validator
from tests.homework.results import ASSIGNMENT, CLASS, ENDED, HOSTILE, PARTLY, PERFECT, results, unread


def written(members: list[Result] | tuple[Result, ...], *, ascii: bool = False) -> str:
    return "".join(check_document(ASSIGNMENT, members, ClassTotals(ASSIGNMENT), ascii=ascii))


def test_a_class() -> None:
    found = document(written(CLASS))
    assert (found["schema"], found["ok"]) == ("gradcli.check/1", False)
    assert found["assignment"]["max_score"] == 9.0
    assert found["assignment"]["questions"][1] == {
        "id": "chain",
        "text": "",
        "quantities": ["dz/dW", "w.grad", "w"],
        "max_score": 3.0,
    }
    bob, ada, eve = found["submissions"]
    assert (bob["file"], bob["student"], bob["score"], bob["max_score"]) == ("class/bob.txt", "bob", 2.0, 2.0)
    assert ada["answers"][1] == {
        "question": "diamond",
        "quantity": "dq/ds",
        "given": "5",
        "expected": 8.0,
        "verdict": "wrong",
        "points": 0.0,
        "max_points": 1.0,
        "remark": "",
        "diagnoses": [
            {
                "code": "fanout-overwrite",
                "node": "s",
                "rule": "∂q/∂p·∂p/∂s",
                "message": "you kept the branch through p; s also feeds m, which adds 5",
                "value": 5.0,
                "certain": True,
                "says": "",
            },
            {
                "code": "local-not-total",
                "node": "q",
                "rule": "p",
                "message": "you gave the local derivative",
                "value": 5.0,
                "certain": False,
                "says": "",
            },
        ],
        "ledger": [
            {"path": ["q", "p", "s"], "value": 3.0, "present": False},
            {"path": ["q", "m", "s"], "value": 5.0, "present": True},
        ],
        "elsewhere": [],
        "note": None,
        "reason": None,
        "read_as": "",
    }
    assert [answer["expected"] for answer in ada["answers"][3:6]] == ["4·x**3", [[0, 1, 2], [3, 4, 5]], None]
    assert len(eve["answers"][2]["given"]) == LONGEST
    assert found["mistakes"] == [
        {
            "code": "fanout-overwrite",
            "title": "kept one branch where the branches add up",
            "students": 1,
            "answers": 1,
            "questions": [{"question": "diamond", "answers": 1}],
        }
    ]


def test_what_was_not_graded() -> None:
    found = document(written([replace(PARTLY, answers=(ENDED,)), unread("class/dan.txt", "dan", "it is empty", None)]))
    ada, dan = found["submissions"]
    assert (ada["answers"][0]["verdict"], ada["answers"][0]["reason"], ada["reason"]) == ("unreadable", "time", None)
    assert (dan["answers"][0]["reason"], dan["reason"], dan["remarks"]) == (None, None, ["it is empty"])
    assert found["ungraded"] == [
        {
            "student": "ada",
            "file": "class/ada.txt",
            "question": "diamond",
            "quantity": "dq/ds",
            "reason": "time",
            "message": "grading it took too long",
        },
        {
            "student": "dan",
            "file": "class/dan.txt",
            "question": None,
            "quantity": None,
            "reason": None,
            "message": "it is empty",
        },
    ]


def test_the_schema_names_every_reason() -> None:
    assert validator("check").schema["$defs"]["reason"]["enum"] == [*ENDINGS, None]


def test_nobody_and_everybody_right() -> None:
    assert document(written(()))["ok"]
    assert document(written([PERFECT, PERFECT]))["ok"]


@pytest.mark.parametrize("level", LEVELS)
def test_levels_have_the_same_shape(level: str) -> None:
    found = document(written([revealed(result, level) for result in CLASS]))
    assert found["submissions"][1]["answers"][1]["expected"] == (8.0 if level == "value" else None)
    assert bool(found["mistakes"]) == (level in ("rule", "value"))


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(results(), max_size=3), st.booleans(), st.sampled_from(LEVELS))
def test_any_class(members: list[Result], ascii: bool, level: str) -> None:
    members = [revealed(result, level) for result in members]
    text = written(members, ascii=ascii)
    assert text.count("\n") == 1
    assert text[:-1].isprintable() or not ascii
    found = document(text)
    assert found["ok"] == all(result.is_right for result in members)
    assert found["submissions"] == [json.loads(dump(submission(result))) for result in members]
    text.encode()


def test_what_acts_on_a_terminal_is_escaped() -> None:
    text = written([HOSTILE])
    assert not {"\x1b", "\x00", "\u202e", "\ud800"} & set(text)
    assert document(text)["submissions"][0]["student"] == HOSTILE.student


@pytest.mark.slow
def test_memory_does_not_grow_with_the_answers() -> None:
    def many(count: int) -> Iterator[Result]:
        for number in range(count):
            yield replace(PARTLY, student=f"student {number}", answers=PARTLY.answers * 20)

    def peak(count: int) -> int:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        length = sum(len(part) for part in check_document(ASSIGNMENT, many(count), ClassTotals(ASSIGNMENT)))
        assert length > 20_000 * count
        return tracemalloc.get_traced_memory()[1] - before

    tracemalloc.start()
    try:
        peak(10)
        assert peak(40) - peak(10) < 30 * 2_000
    finally:
        tracemalloc.stop()


def test_the_first_parts_come_before_the_last_result() -> None:
    asked: list[str] = []

    def members() -> Iterator[Result]:
        for result in CLASS:
            asked.append(result.student)
            yield result

    parts = check_document(ASSIGNMENT, members(), ClassTotals(ASSIGNMENT))
    next(parts)
    assert asked == []
    next(parts)
    assert asked == ["bob"]
