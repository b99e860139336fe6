"""check50's JSON: one submission, one check an answer.

An answer that is missing or cannot be read is neither right nor wrong: like a check that did not run, `passed` is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gradcli
from gradcli.homework.assignment.outline import Outline
from gradcli.homework.model import CREDITED, Marked, Result
from gradcli.render.check.marking import (
    NAME,
    SENTENCE,
    clipped,
    diagnoses,
    difference,
    expected,
    given,
    ledger,
    mistakes,
    verdict,
)
from gradcli.render.check.reports.single import only
from gradcli.render.documents.explanation import Document
from gradcli.render.text.looks import Looks
from gradcli.stream.values import dump, plain

LOOKS = Looks()
UNCHECKED = frozenset(("missing", "unreadable"))


def write(outline: Outline, results: Iterable[Result]) -> Iterator[str]:
    """The text of the report; ValueError unless there is exactly one result."""
    yield dump(document(outline, only(results)), indent=2, ascii=True) + "\n"


def document(outline: Outline, result: Result) -> Document:
    """The report of one submission. Remarks about the file are a check of their own, as there is no other place."""
    names: set[str] = set()
    checks = [_file(result)] if result.remarks else []
    for answer in result.answers:
        check = _check(answer)
        while check["name"] in names:
            check["name"] += "'"
        names.add(check["name"])
        checks.append(check)
    return {"slug": outline.file, "results": checks, "version": gradcli.__version__}


def _file(result: Result) -> Document:
    remarks = [clipped(remark, SENTENCE, LOOKS) for remark in result.remarks]
    cause = {"rationale": remarks[0], "help": "\n".join(remarks[1:]) or None}
    return {
        "name": "the file",
        "description": "the file is as it was asked for",
        "passed": False,
        "log": [],
        "cause": cause,
        "data": {},
        "dependency": None,
    }


def _check(answer: Marked) -> Document:
    name = f"{clipped(answer.question, NAME, LOOKS)}: {clipped(answer.quantity, NAME, LOOKS)}"
    passed = True if answer.verdict in CREDITED else None if answer.verdict in UNCHECKED else False
    return {
        "name": name,
        "description": name,
        "passed": passed,
        "log": [ledger(answer, LOOKS)] if answer.ledger and not passed else [],
        "cause": None if passed else _cause(answer),
        "data": {
            "verdict": answer.verdict,
            "points": plain(answer.points),
            "max_points": plain(answer.max_points),
            "mistakes": mistakes(answer),
        },
        "dependency": None,
    }


def _cause(answer: Marked) -> Document:
    """Why an answer did not pass; what is right and what was written are there together or not at all."""
    written, right = given(answer, LOOKS), expected(answer, LOOKS)
    rationale = f"{written}: {verdict(answer)}" if written else verdict(answer)
    if gap := difference(answer, LOOKS):
        rationale += f", yours is {gap}"
    lines = [clipped(answer.remark, SENTENCE, LOOKS)] if answer.remark else []
    cause = {"rationale": rationale, "help": "\n".join([*lines, *diagnoses(answer, LOOKS)]) or None}
    if answer.verdict in UNCHECKED or not written or not right:
        return cause
    return {**cause, "expected": right, "actual": written}
