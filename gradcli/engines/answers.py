"""Batches of answers to batches of verdicts: the rows of a student in one task, graded in a process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.course.variants import Variants, read_variants
from gradcli.homework.grading import graded
from gradcli.homework.model import Result
from gradcli.homework.submission.classes import COLUMNS, NOBODY, by_student
from gradcli.homework.submission.files import File
from gradcli.homework.submission.hand_ins import HandIn
from gradcli.homework.submission.names import identity
from gradcli.render.check.document import answer_document
from gradcli.source import Source
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.values import dump
from gradcli.workers.apart import Apart

KEY = "key"  # the column that all rows of a student share, however the name is spelt
FRAME = File(Path("frame"))
ROWS = 2**14  # of a batch of verdicts
Answers = list[tuple[str, ...]]  # the cells of COLUMNS


def readable(schema: Any) -> None:
    """Refuse a frame that has no answers of students; EvaluationError."""
    types = pyarrow("types")
    for name in COLUMNS:
        if (count := schema.names.count(name)) != 1:
            raise EvaluationError(
                "E201",
                f"no column {name}: there {'is' if len(schema) == 1 else 'are'} {', '.join(schema.names) or 'none'}"
                if not count
                else f"the frame has {name} twice",
                help=f"a row has {', '.join(COLUMNS)}",
            )
        kind = schema.field(name).type
        if types.is_integer(kind) and name != "answer":
            continue
        if not (types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)):
            raise EvaluationError(
                "E207", f"the column {name} has {kind}, not strings", help="give it as text, as it was typed"
            )


def keys() -> Any:
    """Return the schema of `keyed`."""
    pa = pyarrow()
    return pa.schema([(name, pa.string()) for name in (KEY, *COLUMNS)])


def keyed(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the columns of answers with the key by which a student's rows come together."""
    pa = pyarrow()
    for batch in batches:
        columns = [batch.column(name).cast(pa.string()) for name in COLUMNS]
        known = {name: identity((name or "").strip() or NOBODY) for name in columns[0].unique().to_pylist()}
        key = pa.array([known[name] for name in columns[0].to_pylist()], pa.string())
        yield pa.record_batch([key, *columns], schema=keys())


def verdicts() -> Any:
    """Return the schema of verdicts, a row for each answer: flat, for not every engine keeps nested columns.

    `mistake` and `message` are of the likeliest diagnosis; `diagnoses` has all of them, as JSON.
    """
    pa = pyarrow()
    names = (*COLUMNS, "verdict", "points", "max_points", "remark", "mistake", "message", "diagnoses")
    return pa.schema([(name, pa.float64() if name in ("points", "max_points") else pa.string()) for name in names])


@dataclass(frozen=True)
class Grades:
    """The work of a task: a function from batches of `keyed` to batches of verdicts, in the order of the students."""

    assignment: Assignment
    variants: Variants | None = None

    @classmethod
    def of(cls, assignment: str | Path, variants: str | Path | None) -> Grades:
        """Read an assignment and the sheets of its students. Raises GradcliError, also for keys that cannot be made."""
        read = read_assignment(text_of(assignment))
        sheets = None if variants is None else read_variants(text_of(variants), read)
        if read.varies and sheets is None:
            raise UsageError(
                "E024", "the values of this assignment differ from student to student", help="give variants"
            )
        grades = cls(read, sheets)
        with Apart(grades.graded) as apart:
            apart([])
        return grades

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        rows = sorted(row for batch in batches for row in rows_of(batch))
        if rows:
            with Apart(self.graded) as apart:
                yield from apart([row[1:] for row in rows])

    def graded(self, rows: Answers) -> list[Any]:
        """Return batches of verdicts on the answers of some students, each walled for itself."""
        work = (HandIn(FRAME, one.student, one) for one in by_student(str(FRAME.path), ((0, row) for row in rows)))
        results = graded(self.assignment, [FRAME], variants=self.variants, work=work)
        found = (row for result in results for row in told(result))
        return [pyarrow().RecordBatch.from_pylist([first, *islice(found, ROWS - 1)], verdicts()) for first in found]


def rows_of(batch: Any) -> Iterator[tuple[str, ...]]:
    columns = [batch.column(name).to_pylist() for name in (KEY, *COLUMNS)]
    for row in zip(*columns, strict=True):
        yield tuple((cell or "").strip() for cell in row)


def told(result: Result) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer of a student, with the fields that the documents of `gradcli check` have."""
    for marked in result.answers:
        answer = answer_document(replace(marked, expected=None, ledger=()))
        first = answer["diagnoses"][0] if answer["diagnoses"] else {}
        yield answer | {
            "student": result.student,
            "answer": answer["given"],
            "remark": "; ".join(filter(None, [answer["remark"], *result.remarks])) or None,
            "mistake": first.get("code"),
            "message": first.get("message"),
            "diagnoses": dump(answer["diagnoses"]),
        }


def text_of(given: str | Path) -> Source:
    """Return a text, or that of the file at a path: a Path, or a string on one line."""
    if isinstance(given, str) and "\n" in given:
        return Source(given, "assignment")
    try:
        return Source(Path(given).read_text(encoding="utf-8"), str(given))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError("E003", f"cannot read {given}: {reason}", help="give its path, or its text") from None
