"""What a teacher has before a class: the key, what lint says of the assignment, and who has which values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.homework.answer_file import answers
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.course.variants import SCHEMA, Sheet
from gradcli.homework.grading import Grader
from gradcli.homework.lint.lint import KINDS, Finding
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.worked import worked_document, worked_sections
from gradcli.render.documents.explanation import Document, explanation_document
from gradcli.render.lesson.page import page
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks, asked
from gradcli.source import visible
from gradcli.stream.values import dump, plain


def lint_text(assignment: Assignment, findings: Sequence[Finding], looks: Looks) -> str:
    """Write the findings question by question, with better values."""
    if not findings:
        count = len(assignment.questions)
        clean = f"{visible(assignment.source.name)}: {count} question{'s' * (count != 1)}, nothing to mend"
        return lay_out([Section("", [Row((clean,))])], looks)
    sections = []
    for id in dict.fromkeys(finding.question for finding in findings):
        question_findings = [finding for finding in findings if finding.question == id]
        sections.append(Section(visible(id), list(rows(assignment, question_findings))))
    return lay_out(sections, looks)


def rows(assignment: Assignment, findings: Sequence[Finding]) -> Iterator[Row]:
    for finding in findings:
        line = assignment.source.position(finding.span.start).line
        yield Row((f"line {line}", KINDS[finding.code], visible(finding.message)))
    for help in dict.fromkeys(finding.help for finding in findings if finding.help):
        yield Row((f"help: {visible(help)}",), "note")


def lint_document(assignment: Assignment, findings: Sequence[Finding]) -> Document:
    """Return the findings, schema `gradcli.lint/1`; lines and columns count from 1."""
    return {
        "schema": "gradcli.lint/1",
        "ok": not findings,
        "file": assignment.source.name,
        "findings": [
            {
                "code": finding.code,
                "question": finding.question,
                "quantity": finding.quantity or None,
                "message": finding.message,
                "help": finding.help or None,
                "line": place.line,
                "column": place.column,
            }
            for finding in findings
            for place in [assignment.source.position(finding.span.start)]
        ],
    }


def variants_text(assignment: Assignment, sheets: Iterable[Sheet]) -> str:
    """Write the record, a line a student, so that one can look somebody up."""
    varying = [question.id for question in assignment.questions if question.varies]
    about = {"title": assignment.title, "file": assignment.file, "questions": varying}
    head = dump({"schema": SCHEMA, "ok": True, "assignment": about}, ascii=True)
    lines = ",\n".join(dump(sheet_document(sheet), ascii=True) for sheet in sheets)
    return f'{head[:-1]}, "students": [\n{lines}\n]}}\n'


def sheet_document(sheet: Sheet) -> Document:
    """Return the values of one student."""
    values = {id: {name: plain(value) for name, value in at.items()} for id, at in sheet.values.items()}
    return {"student": sheet.student, "values": values}


def key_page(grader: Grader, answers: str, looks: Looks, *, all: bool = False) -> str:
    """Everything as text; the answers are marked off, so that they can be cut out."""
    return "\n\n".join([*worked(grader, looks, all=all), heading("Answers", looks), answers]).rstrip()


def worked(grader: Grader, looks: Looks, *, all: bool) -> Iterator[str]:
    for id, key in grader.keys.items():
        text = visible(" ".join(key.question.text.split()))
        yield heading(f"{id}: {text}" if text else id, looks)
        if key.question.code and not key.question.code.program:  # an engine, or a function that has cases
            continue
        with np.errstate(all="ignore"):
            if isinstance(key.solution, SnippetSolution):
                yield lay_out(worked_sections(key.solution, asked(looks, all=all, why=False)), looks)
            else:
                yield from (page(lesson, looks, all=all) for lesson in map(folded, key.solution.explanations()))


def heading(text: str, looks: Looks) -> str:
    return lay_out([Section("", [Row((f"# {text}",), "title")])], looks)


def key_document(grader: Grader) -> Document:
    """Return the key as a document, schema `gradcli.key/1`; its answers are a submission in JSON."""
    return {
        "schema": "gradcli.key/1",
        "ok": True,
        "answers": {id: answers(key) for id, key in grader.keys.items()},
        "solutions": {id: list(solutions(grader, id)) for id in grader.keys},
    }


def solutions(grader: Grader, id: str) -> Iterator[Document]:
    solution = grader.keys[id].solution
    with np.errstate(all="ignore"):
        if isinstance(solution, SnippetSolution):
            yield worked_document(id, solution)
        else:
            yield from (explanation_document(explanation) for explanation in solution.explanations())
