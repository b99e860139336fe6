"""The document of `gradcli check --json`, schema `gradcli.check/1`, written submission by submission."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from gradcli.homework.assignment.assignments import Assignment, Question
from gradcli.homework.disclosure import WITHHELD
from gradcli.homework.model import Branch, Diagnosis, Marked, Result
from gradcli.homework.totals import ClassTotals, Elsewhere, Mistake, Occurrences, Sheet, Ungraded
from gradcli.render.check.marking import sentence
from gradcli.render.documents.explanation import Document
from gradcli.render.text.looks import Looks
from gradcli.stream.values import Json, dump, plain

LONGEST = 10_000  # characters of a text from a submission
ELLIPSIS = Looks().ellipsis
FIELDS = {  # the attributes that an object of the document has
    Assignment: ("title", "file", "max_score", "questions"),
    Question: ("id", "text", "quantities", "max_score"),
    Result: (*("file", "student", "name", "email", "score", "max_score", "answers", "remarks", "notes", "reason"),),
    Marked: (
        *("question", "quantity", "given", "expected", "verdict", "points", "max_points"),
        *("remark", "diagnoses", "ledger", "reason", "read_as", "elsewhere", "note"),
    ),
    Diagnosis: ("code", "node", "rule", "message", "value", "certain", "says"),
    Branch: ("path", "value", "present"),
    Mistake: ("code", "title", "students", "answers", "questions"),
    Occurrences: ("question", "answers"),
    Elsewhere: ("student", "answers", "sheets"),
    Sheet: ("student", "answers"),
    Ungraded: ("student", "file", "question", "quantity", "reason", "message"),
}


def check_document(
    assignment: Assignment, results: Iterable[Result], totals: ClassTotals, *, ascii: bool = False
) -> Iterator[str]:
    """The parts of the document in turn; each result is counted in `totals` and then forgotten.

    `ok` comes last, for only then is it known. All parts make one line.
    """
    head = dump({"schema": "gradcli.check/1", "assignment": _json(assignment, math.inf)}, ascii=ascii)
    yield f'{head[:-1]}, "submissions": ['
    for count, result in enumerate(results):
        totals.add(result)
        yield ", " * (count > 0) + dump(submission(result), ascii=ascii)
    summary = {name: _json(getattr(totals, name), math.inf) for name in ("mistakes", "ungraded", "elsewhere")}
    yield f"], {dump({**summary, 'ok': totals.is_right}, ascii=ascii)[1:]}\n"


def submission(result: Result) -> Document:
    """One submission with its answers."""
    document: Document = _json(result, LONGEST)
    return document


def answer_document(answer: Marked) -> Document:
    """One answer with its verdict."""
    document: Document = _json(answer, LONGEST)
    return document


def _json(value: Any, longest: float) -> Json:
    """A value as JSON has it, texts cut to `longest` characters; null for None and for a value that is not shown."""
    kind = type(value)  # asked before isinstance, which takes as long as all else for the many parts of a class
    if kind in FIELDS:
        fields = {name: _json(getattr(value, name), longest) for name in FIELDS[kind]}
        return {**fields, "message": _json(sentence(value), longest)} if kind is Diagnosis else fields
    if value is None or value is WITHHELD:
        return None
    if kind is tuple or kind is list:
        return [_json(item, longest) for item in value]
    if isinstance(value, str):
        return value if len(value) <= longest else value[: LONGEST - 1] + ELLIPSIS
    return plain(value)
