"""The documents of autograders: one submission for Gradescope, PrairieLearn and check50, a class for JUnit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

import gradcli
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import CREDITED, VERDICTS, Marked, Result
from gradcli.render.check.marking import (
    NAME,
    SENTENCE,
    clipped,
    diagnoses,
    difference,
    exact,
    expected,
    given,
    ledger,
    mistakes,
    remarks,
    report,
)
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import plain

# Gradescope's `results.json`: one submission, one test an answer.
#
# Every text is marked as plain: Gradescope would read the text of the whole submission as HTML.


def gradescope(assignment: Assignment, result: Result) -> Document:
    """The report of one submission; the test `2.1` is the first answer to the second question."""
    answers: dict[str, int] = {}  # to each question so far
    tests = []
    for answer in result.answers:
        answers[answer.question] = answers.get(answer.question, 0) + 1
        question, quantity = named(answer)
        tests.append({
            "name": f"{question}: {quantity}",
            "number": f"{list(answers).index(answer.question) + 1}.{answers[answer.question]}",
            "score": plain(answer.points),
            "max_score": plain(answer.max_points),
            "status": "passed" if answer.verdict in CREDITED else "failed",
            "output": report(answer),
            "output_format": "text",
            "tags": [question, answer.verdict],
            "visibility": "visible",
            "extra_data": {"question": question, "quantity": quantity, **facts(answer)},
        })  # fmt: skip
    return {"score": plain(result.score), "output": "\n".join(remarks(result)), "output_format": "text", "tests": tests}


def named(answer: Marked) -> tuple[str, str]:
    return clipped(answer.question, NAME), clipped(answer.quantity, NAME)


def facts(answer: Marked) -> Document:
    return {"verdict": answer.verdict, "mistakes": mistakes(answer), "reason": answer.reason}


# PrairieLearn's `results.json` of an external grader: one submission, one test an answer.
#
# The score is a share. A submission that cannot be read at all is not gradable: it costs its student no attempt.
MOST_TESTS = 400  # tests: PrairieLearn takes no file beyond 1 MB


def prairielearn(assignment: Assignment, result: Result) -> Document:
    """The report of one submission."""
    lines = remarks(result)
    if result.unreadable:
        return {"gradable": False, "format_errors": lines, "message": "\n".join(lines)}
    share = result.score / result.max_score if result.max_score else float(result.is_right)
    hidden = len(result.answers) - MOST_TESTS
    if hidden > 0:
        lines.append(f"and {hidden} more answers")
    return {
        "gradable": True,
        "score": plain(min(max(share, 0.0), 1.0)),
        "message": "\n".join(lines),
        "tests": [
            {
                "name": ": ".join(named(answer)),
                "description": "",
                "points": plain(answer.points),
                "max_points": plain(answer.max_points),
                "message": VERDICTS[answer.verdict],
                "output": report(answer),
            }
            for answer in result.answers[:MOST_TESTS]
        ],
    }


# check50's JSON: one submission, one check an answer.
#
# An answer that is missing or cannot be read is neither right nor wrong: like a check that did not run, `passed` is
# null.
UNCHECKED = frozenset(("missing", "unreadable"))


def check50(assignment: Assignment, result: Result) -> Document:
    """The report of one submission. Remarks about the file are a check of their own, as there is no other place."""
    checks: dict[str, Document] = {}
    if result.remarks:
        first, *others = remarks(result)
        cause = {"rationale": first, "help": "\n".join(others) or None}
        checks["the file"] = _check("the file", "the file is as it was asked for", False, [], cause, {})
    for answer in result.answers:
        name = description = ": ".join(named(answer))
        while name in checks:
            name += "'"
        passed = True if answer.verdict in CREDITED else None if answer.verdict in UNCHECKED else False
        paths = [ledger(answer)] if answer.ledger and not passed else []
        points = {"points": plain(answer.points), "max_points": plain(answer.max_points)}
        data = {"verdict": answer.verdict, **points, **facts(answer)}
        checks[name] = _check(name, description, passed, paths, None if passed else _cause(answer), data)
    return {"slug": assignment.file, "results": list(checks.values()), "version": gradcli.__version__}


def _check(
    name: str, description: str, passed: bool | None, log: list[str], cause: Document | None, data: Document
) -> Document:
    check = {"name": name, "description": description, "passed": passed, "log": log, "cause": cause, "data": data}
    return {**check, "dependency": None}


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


# JUnit XML: a test suite a student, a test case an answer, after the schema of Jenkins.
#
# The name of a case's class begins with the student, for readers put cases of one class and name together. A wrong
# answer is a failure and so is a missing one, for readers count a skipped one as no failure; an answer or a file that
# cannot be read is an error. That schema has properties for suites alone, so the points of answers are there.


def junit(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """The text of the report, a part for each student; all ASCII, so that it is right in any encoding."""
    name = _attribute(assignment.title or assignment.file).encode("ascii", "xmlcharrefreplace").decode()
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name={name}>\n'
    for result in results:
        yield "".join(f"{line}\n" for line in _suite(result)).encode("ascii", "xmlcharrefreplace").decode()
    yield "</testsuites>\n"


def _suite(result: Result) -> Iterator[str]:
    tags = [_tag(answer) for answer in result.answers]
    counts = {
        "tests": len(tags) + bool(result.remarks),
        "failures": tags.count("failure"),
        "errors": tags.count("error") + bool(result.remarks),
        "skipped": 0,
    }
    attributes = " ".join(f'{name}="{count}"' for name, count in counts.items())
    yield f"<testsuite name={_attribute(result.student)} {attributes} file={_attribute(result.file)}>"
    yield "<properties>"
    yield _property("score", exact(result.score))
    yield _property("max_score", exact(result.max_score))
    for answer in result.answers:
        scored = f"{exact(answer.points)}/{exact(answer.max_points)}"
        yield _property(f"points {_name(answer.question)}: {_name(answer.quantity)}", scored)
    yield "</properties>"
    if result.remarks:
        lines = remarks(result)
        yield _case(result.student, "the file", "error", result.reason or "remark", lines[0], "\n".join(lines))
    for answer, tag in zip(result.answers, tags, strict=True):
        group = f"{_name(result.student)}.{_name(answer.question)}"
        kind = answer.reason or answer.verdict
        yield _case(group, answer.quantity, tag, kind, VERDICTS[answer.verdict], report(answer))
    yield "</testsuite>"


def _tag(answer: Marked) -> str:
    if answer.verdict in CREDITED:
        return ""
    return "error" if answer.verdict == "unreadable" else "failure"


def _case(group: str, name: str, tag: str, kind: str, message: str, text: str) -> str:
    opening = f"<testcase classname={_attribute(group)} name={_attribute(name)}"
    if not tag:
        return f"{opening}/>"
    said = f"<{tag} type={_attribute(kind)} message={_attribute(message)}>{escape(text)}</{tag}>"
    return f"{opening}>{said}</testcase>"


def _property(name: str, value: str) -> str:
    return f"<property name={quoteattr(name)} value={quoteattr(value)}/>"


def _name(text: str) -> str:
    return clipped(text, NAME)


def _attribute(text: str) -> str:
    """Quote a text. `clipped` has escaped the characters that XML 1.0 does not have."""
    return quoteattr(clipped(text, SENTENCE))
