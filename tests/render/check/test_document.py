"""The document of a class: after its schema, strict, and written as a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.homework.disclosure import LEVELS, revealed
from gradcli.homework.model import Result
from gradcli.homework.totals import ClassTotals
from gradcli.render.check.document import LONGEST, check_document, submission
from gradcli.stream.values import dump
from tests.commands.running import document
from tests.homework.results import ASSIGNMENT, CLASS, results


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
