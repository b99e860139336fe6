"""The findings of `gradcli check --lint`: a line each, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.lint.lint import KINDS, Finding
from gradcli.render.documents.explanation import Document
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.source import visible


def lint_text(assignment: Assignment, found: Sequence[Finding], looks: Looks) -> str:
    """Write the findings question by question, with better values."""
    if not found:
        count = len(assignment.questions)
        clean = f"{visible(assignment.source.name)}: {count} question{'s' * (count != 1)}, nothing to mend"
        return lay_out([Section("", [Row((clean,))])], looks)
    sections = []
    for id in dict.fromkeys(one.question for one in found):
        own = [one for one in found if one.question == id]
        sections.append(Section(visible(id), list(rows(assignment, own))))
    return lay_out(sections, looks)


def rows(assignment: Assignment, found: Sequence[Finding]) -> Iterator[Row]:
    for one in found:
        line = assignment.source.position(one.span.start).line
        yield Row((f"line {line}", KINDS[one.code], visible(one.message)))
    for help in dict.fromkeys(one.help for one in found if one.help):
        yield Row((f"help: {visible(help)}",), "note")


def lint_document(assignment: Assignment, found: Sequence[Finding]) -> Document:
    """Return the findings, schema `gradcli.lint/1`; lines and columns count from 1."""
    return {
        "schema": "gradcli.lint/1",
        "ok": not found,
        "file": assignment.source.name,
        "findings": [document(assignment, one) for one in found],
    }


def document(assignment: Assignment, one: Finding) -> Document:
    place = assignment.source.position(one.span.start)
    return {
        "code": one.code,
        "question": one.question,
        "quantity": one.quantity or None,
        "message": one.message,
        "help": one.help or None,
        "line": place.line,
        "column": place.column,
    }
