"""The record of the sheets that were handed out: grading reads it and derives nothing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.lines import numbers
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Value
from gradcli.homework.submission.names import identity
from gradcli.source import Source, visible

SCHEMA = "gradcli.variants/1"
NO_SHEET = "no sheet was handed out to this student"
HANDED_OUT = "give the variants.json that --handout wrote beside the sheets"

At = Mapping[str, Value]  # the values of variables


@dataclass(frozen=True, slots=True)
class Sheet:
    """The values on the sheet of one student, by question."""

    student: str
    values: Mapping[str, At]

    def of(self, assignment: Assignment) -> Assignment:
        """Return the assignment as it stands on the sheet."""
        questions = (question.moved(self.values.get(question.id, {})) for question in assignment.questions)
        return replace(assignment, questions=tuple(questions))


@dataclass(frozen=True)
class Variants:
    """The sheets of all students, by the identity of the student."""

    sheets: Mapping[str, Sheet] = field(default_factory=dict)

    def of(self, student: str) -> Sheet | None:
        return self.sheets.get(identity(student))

    def __iter__(self) -> Iterator[Sheet]:
        return iter(self.sheets.values())

    def without(self, students: Iterable[str]) -> Iterator[Sheet]:
        """Yield the sheets of all other students."""
        known = set(map(identity, students))
        yield from (sheet for who, sheet in self.sheets.items() if who not in known)


def read_variants(source: Source, assignment: Assignment) -> Variants:
    """Read the record of the sheets of an assignment. Raises UsageError for any other text, or one of another."""
    try:
        record = json.loads(source.text)
        if record["schema"] != SCHEMA:
            raise unread(source, "it is another document")
        ids = set(record["assignment"]["questions"])
        varying = {question.id: set(question.varies) for question in assignment.questions if question.varies}
        title = str(record["assignment"]["title"])
        if ids != set(varying) or not assignment.is_called(title, record["assignment"]["file"]):
            raise unread(source, f"it is of another assignment ({title!r:.60}, with the questions {sorted(ids)!r:.60})")
        if title != assignment.title:
            warnings.warn(f"the sheets in {visible(source.name)} were handed out as {title!r:.60}", stacklevel=2)
        sheets = [Sheet(str(student["student"]), values(student["values"])) for student in record["students"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, EvaluationError):
        raise unread(source, "it is no record of sheets") from None
    for sheet in sheets:
        if {id: set(at) for id, at in sheet.values.items()} != varying:
            raise unread(source, f"the sheet of {sheet.student!r:.60} has other variables than the assignment")
    return Variants({identity(sheet.student): sheet for sheet in sheets})


def values(table: Mapping[str, Mapping[str, Any]]) -> Mapping[str, At]:
    """Read the values of a sheet as an assignment has them. Raises ValueError for what is no number."""
    sheet = {id: {name: np.asarray(numbers(value, name))[()] for name, value in at.items()} for id, at in table.items()}
    if not all(np.all(np.isfinite(value)) for at in sheet.values() for value in at.values()):
        raise ValueError(table)
    return sheet


def unread(source: Source, why: str) -> UsageError:
    return UsageError("E024", f"cannot read the sheets in {source.name}: {why}", help=HANDED_OUT)
