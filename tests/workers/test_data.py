"""Answers come back as they are, and what no process of ours says is refused."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from gradcli.errors import AutogradError, EvaluationError, GradcliError, UsageError
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.model import Branch, Diagnosis, Marked, Result
from gradcli.language.tree import Expression
from gradcli.source import Source, Span
from gradcli.workers.data import MOST_PARTS, Reader, UnfitError, Writer, classes_in
from gradcli.workers.messages import message_of, read_message

DIAGNOSIS = Diagnosis("a", "n", "r", "m", "d", np.float64(1.5), certain=True, edges=((1, 2),))
MARKED = Marked("q", "x", "3", np.arange(3.0), "wrong", 0.5, 1, "", (DIAGNOSIS,), (Branch(("a",), None, present=True),))
RESULT = Result("f", "ada", (MARKED, MARKED, replace(MARKED, expected=WITHHELD, reason="time", verdict="unreadable")))
VALUES = [
    None, True, 7, 1.5, float("inf"), "é\ud800", b"x", [1, (2, "a")], {"a": {1: None}}, (), np.float32(0.1),
    np.int64(3), np.bool_(True), np.zeros((2, 0)), np.array(4.0), np.array([True]),
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_plain_values(value: Any) -> None:
    found = read_message(message_of(value, Any), Any)
    assert (repr(found), type(found)) == (repr(value), type(value))


def test_a_class_is_known_once_however_far_it_is_made() -> None:
    gc.disable()
    try:
        for kind in filter(is_dataclass, Expression.__subclasses__()):  # asked, its methods are made from another class
            names = [one.__name__ for one in classes_in.__wrapped__(Expression)]
            assert sorted({*names}) == sorted(names)
            assert names == [one.__name__ for one in classes_in(Expression)]
            assert kind.__name__ in names
    finally:
        gc.enable()


def test_results() -> None:
    (found,) = read_message(message_of([RESULT], list[Result]), list[Result])
    assert repr(found) == repr(RESULT)
    assert found.answers[0] is found.answers[1]
    assert found.answers[2].expected is WITHHELD


@pytest.mark.parametrize(
    "error",
    [
        EvaluationError("E210", "no", help="do", span=Span(1, 2), source=Source("abc", "here"), label="l"),
        UsageError("E001", "no"),
        AutogradError("torch says so"),
    ],
)
def test_errors(error: GradcliError) -> None:
    found = read_message(message_of(error, GradcliError), GradcliError)
    assert (type(found), found.facts(), found.args) == (type(error), error.facts(), error.args)


UNFIT = [
    replace(RESULT, student=3),
    replace(RESULT, answers=[MARKED]),
    replace(RESULT, answers=(RESULT,)),
    replace(RESULT, reason="whim"),
    *(replace(RESULT, answers=(replace(MARKED, **facts),)) for facts in (
        {"verdict": "perfect"}, {"points": float("inf")}, {"points": float("nan")}, {"points": 10**400},
        {"points": "1"}, {"given": 3}, {"diagnoses": (MARKED,)}, {"reason": ""}, {"expected": [1.0]},
        {"expected": {"a": 1}}, {"expected": b"x"}, {"expected": slice(1)}, {"expected": np.zeros((2**25, 0))},
    )),
]  # fmt: skip


@pytest.mark.parametrize("result", UNFIT)
def test_facts_that_cannot_be(result: Result) -> None:
    with pytest.raises(UnfitError):
        read_message(message_of([result], list[Result]), list[Result])


def test_a_long_text_stands_beside_what_is_parsed() -> None:
    long = "[,é\ud800" * MOST_PARTS
    text, buffers = Writer(Any).written([long, long])
    assert len(text) < 100
    assert Reader(Any).read(text, buffers) == [long, long]


@pytest.mark.parametrize("part", [b'["l"]', b"1", b'"a"', b"[[]]", b'{"a": 1}'])
def test_a_text_that_takes_more_memory_than_it_is_long(part: bytes) -> None:
    text = b"[0, [" + b",".join([b'"l"', *[part] * (2**23 // len(part))]) + b"]]"
    tracemalloc.start()
    try:
        with pytest.raises(UnfitError):
            Reader(Any).read(text, [])
        assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("value", [object(), print, int, np.dtype("f8"), np.array(["a"]), np.array([None]), RESULT])
def test_what_is_no_data(value: Any) -> None:
    with pytest.raises(UnfitError):
        message_of(value, Any)
