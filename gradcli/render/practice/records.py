"""Exercises as JSON records, one a line, for other front ends: the schema is `gradcli.practice/1`.

A front end reads a record of the kind `ask`, and writes `{"answer": "26"}`, `{"hint": true}` or `{"give_up": true}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.practice.session import Exercise, Score, Told
from gradcli.render.check.document import answer_document
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain

FIRST = "answer first: a hint explains the answer that you have typed"
MOVES = ("answer", "hint", "give_up")


def record(kind: str, **facts: Any) -> Document:
    return {"schema": "gradcli.practice/1", "ok": True, "kind": kind, **facts}


def topics(pairs: Iterable[tuple[str, Assignment]]) -> Document:
    return record("topics", topics=[{"name": name, "title": assignment.title} for name, assignment in pairs])


def question(asked: Question) -> Document:
    return record(
        "question",
        id=asked.id,
        text=asked.text,
        program=asked.source.text,
        is_script=asked.is_script,
        at={name: plain(value) for name, value in asked.at.items()},
    )


def ask(exercise: Exercise) -> Document:
    return record(
        "ask",
        question=exercise.question.id,
        quantity=exercise.ask.written,
        form=exercise.ask.form,
        choices=list(exercise.ask.words.choices),
        points=plain(exercise.ask.points),
        number=exercise.number,
        count=exercise.count,
    )


def disclosed(shown: Told) -> Document:
    """Return the record of a move; the right answer stands in it at the level `value`, when the quantity is over."""
    return record(
        "told", level=shown.level, is_right=shown.is_right, is_over=shown.is_over, answer=answer_document(shown.answer)
    )


def nothing() -> Document:
    """The answer to a hint before any answer: there is nothing to tell about."""
    return record("nothing", message=FIRST)


def score(total: Score, seed: int, *, is_complete: bool) -> Document:
    return record(
        "score",
        points=plain(total.points),
        max_points=plain(total.max_points),
        at_once=total.at_once,
        with_help=total.with_help,
        given_up=total.given_up,
        seed=seed,
        is_complete=is_complete,
    )


def read_move(line: str) -> tuple[str, str]:
    """Read a record of a front end as a move and its text. Raises UsageError for any other text."""
    try:
        document = json.loads(line)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict) and len(document) == 1:
        ((move, value),) = document.items()
        if move == "answer" and isinstance(value, str | int | float) and not isinstance(value, bool):
            return move, str(value)
        if move in MOVES[1:] and value is True:
            return move, ""
    raise UsageError("E028", "this is no move", help='write {"answer": "26"}, {"hint": true} or {"give_up": true}')
