"""Batches of answers to batches of verdicts: the rows of a student in one task, graded in a process of its own.

How often a class makes a mistake is known when all are graded, so there are three tasks: results, habits, and verdicts.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gradcli.errors import EvaluationError, UsageError
from gradcli.facts import dataclass
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.course.variants import Variants, read_variants
from gradcli.homework.diagnose.ordering import Habits, Sizes, ordered
from gradcli.homework.grading import graded
from gradcli.homework.model import Result
from gradcli.homework.solve.runs import scripts
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
RESULT, HABITS, SIZES = "result", "habits", "sizes"  # columns of pickled facts
ROWS = 2**10  # students of a batch
Answers = list[tuple[str, ...]]  # the cells of COLUMNS


def refuse_unreadable(schema: Any) -> None:
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
        key_of_name = {name: identity((name or "").strip() or NOBODY) for name in columns[0].unique().to_pylist()}
        key = pa.array([key_of_name[name] for name in columns[0].to_pylist()], pa.string())
        yield pa.record_batch([key, *columns], schema=keys())


def verdicts() -> Any:
    """Return the schema of verdicts, a row for each answer: flat, for not every engine keeps nested columns.

    `mistake` and `message` are of the likeliest diagnosis; `diagnoses` has all of them, as JSON.
    """
    pa = pyarrow()
    names = (*COLUMNS, "verdict", "points", "max_points", "remark", "mistake", "message", "diagnoses")
    return pa.schema([(name, pa.float64() if name in ("points", "max_points") else pa.string()) for name in names])


def pickled(name: str) -> Any:
    """Return the schema of a column of pickled facts."""
    return pyarrow().schema([(name, pyarrow().binary())])


@dataclass(frozen=True)
class Grades:
    """The work of a task: from batches of `keyed` to batches of results, a row for each student, in their order."""

    assignment: Assignment
    variants: Variants | None = None

    @classmethod
    def of(cls, assignment: str | Path, variants: str | Path | None) -> Grades:
        """Read an assignment and the sheets of its students. Raises GradcliError, also for keys that cannot be made."""
        questions = read_assignment(text_of(assignment))
        sheets = None if variants is None else read_variants(text_of(variants), questions)
        if questions.varies and sheets is None:
            raise UsageError(
                "E024", "the values of this assignment differ from student to student", help="give variants"
            )
        grades = cls(questions, sheets)
        with Apart(grades.graded, asks=scripts.__name__) as grader:
            grader([])
        return grades

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        rows = sorted(row for batch in batches for row in rows_of(batch))
        if rows:
            with Apart(self.graded, asks=scripts.__name__) as grader:
                results = grader([row[1:] for row in rows])
            yield from (batch_of(RESULT, results[start : start + ROWS]) for start in range(0, len(results), ROWS))

    def graded(self, rows: Answers) -> list[bytes]:
        """Return the pickled results of some students, each walled for itself."""
        work = [HandIn(FRAME, x.student, x) for x in by_student(str(FRAME.path), ((0, row) for row in rows))]
        results = graded(self.assignment, work, variants=self.variants)
        return [pickle.dumps(slim(result), pickle.HIGHEST_PROTOCOL) for result in results]


def slim(result: Result) -> Result:
    """Return a result without the facts that no verdict shows."""
    return replace(result, answers=tuple(replace(answer, expected=None, ledger=()) for answer in result.answers))


def habits(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the mistakes of the students whose results are in a task, in one row."""
    mistakes = Habits()
    for result in unpickled(RESULT, batches):
        mistakes.add(result)
    yield batch_of(HABITS, [pickle.dumps(mistakes)])


def sizes(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield how common each mistake is in the class, in one row, of the habits of all tasks."""
    of_class = Habits()
    for task_habits in unpickled(HABITS, batches):
        of_class.update(task_habits)
    yield batch_of(SIZES, [pickle.dumps({kind: size for kind, size in of_class.sizes().items() if size})])


def in_class_order(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield verdicts on batches of results that have the sizes in each row, a row for each answer."""
    for batch in batches:
        class_sizes: Sizes = next(unpickled(SIZES, [batch.slice(0, 1)]), {})
        rows = (row for result in unpickled(RESULT, [batch]) for row in verdict_rows(ordered(result, class_sizes)))
        yield pyarrow().RecordBatch.from_pylist(list(rows), verdicts())


def batch_of(name: str, rows: Sequence[bytes]) -> Any:
    return pyarrow().record_batch([pyarrow().array(rows, pyarrow().binary())], schema=pickled(name))


def unpickled(name: str, batches: Iterable[Any]) -> Iterator[Any]:
    return (pickle.loads(row) for batch in batches for row in batch.column(name).to_pylist())


def rows_of(batch: Any) -> Iterator[tuple[str, ...]]:
    columns = [batch.column(name).to_pylist() for name in (KEY, *COLUMNS)]
    for row in zip(*columns, strict=True):
        yield tuple((cell or "").strip() for cell in row)


def verdict_rows(result: Result) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer of a student, with the fields that the documents of `gradcli check` have."""
    for marked in result.answers:
        answer = answer_document(marked)
        first = answer["diagnoses"][0] if answer["diagnoses"] else {}
        yield answer | {
            "student": result.student,
            "answer": answer["given"],
            "remark": "; ".join(filter(None, [answer["remark"], *result.remarks])) or None,
            "mistake": first.get("code"),
            "message": first.get("message"),
            "diagnoses": dump(answer["diagnoses"]),
        }


def text_of(path_or_text: str | Path) -> Source:
    """Return a text as a source: a string of several lines, or the text of the file at a path."""
    if isinstance(path_or_text, str) and "\n" in path_or_text:
        return Source(path_or_text, "assignment")
    try:
        return Source(Path(path_or_text).read_text(encoding="utf-8"), str(path_or_text))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise UsageError("E003", f"cannot read {path_or_text}: {reason}", help="give its path, or its text") from None
