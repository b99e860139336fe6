"""The record of the sheets that were handed out, schema `gradcli.variants/1`."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.course.variants import SCHEMA, Sheet
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import dump, plain


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
