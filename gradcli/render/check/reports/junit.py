"""JUnit XML: a test suite a student, a test case an answer, after the schema of Jenkins.

The name of a case's class begins with the student, for readers put cases of one class and name together. A wrong answer
is a failure and so is a missing one, for readers count a skipped one as no failure; an answer or a file that cannot
be read is an error. That schema has properties for suites alone, so the points of answers are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import CREDITED, VERDICTS, Marked, Result
from gradcli.render.check.marking import NAME, SENTENCE, clipped, exact, remarks, report


def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
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
