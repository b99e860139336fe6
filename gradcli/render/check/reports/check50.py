"""check50's JSON: one submission, one check an answer.

An answer that is missing or cannot be read is neither right nor wrong: like a check that did not run, `passed` is null.
"""

from __future__ import annotations

import gradcli
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import CREDITED, VERDICTS, Marked, Result
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
    remarks,
)
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain

UNCHECKED = frozenset(("missing", "unreadable"))


def document(assignment: Assignment, result: Result) -> Document:
    """The report of one submission. Remarks about the file are a check of their own, as there is no other place."""
    names: set[str] = set()
    checks = [_file(result)] if result.remarks else []
    for answer in result.answers:
        check = _check(answer)
        while check["name"] in names:
            check["name"] += "'"
        names.add(check["name"])
        checks.append(check)
    return {"slug": assignment.file, "results": checks, "version": gradcli.__version__}


def _file(result: Result) -> Document:
    first, *others = remarks(result)
    cause = {"rationale": first, "help": "\n".join(others) or None}
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
    name = f"{clipped(answer.question, NAME)}: {clipped(answer.quantity, NAME)}"
    passed = True if answer.verdict in CREDITED else None if answer.verdict in UNCHECKED else False
    return {
        "name": name,
        "description": name,
        "passed": passed,
        "log": [ledger(answer)] if answer.ledger and not passed else [],
        "cause": None if passed else _cause(answer),
        "data": {
            "verdict": answer.verdict,
            "points": plain(answer.points),
            "max_points": plain(answer.max_points),
            "mistakes": mistakes(answer),
            "reason": answer.reason,
        },
        "dependency": None,
    }


def _cause(answer: Marked) -> Document:
    """Return the reason why an answer did not pass; check50 wants `expected` and `actual` together or not at all."""
    written, right = given(answer), expected(answer)
    rationale = f"{written}: {VERDICTS[answer.verdict]}" if written else VERDICTS[answer.verdict]
    if gap := difference(answer):
        rationale += f", yours is {gap}"
    lines = [clipped(answer.remark, SENTENCE)] if answer.remark else []
    cause = {"rationale": rationale, "help": "\n".join([*lines, *diagnoses(answer)]) or None}
    if answer.verdict in UNCHECKED or not written or not right:
        return cause
    return {**cause, "expected": right, "actual": written}
