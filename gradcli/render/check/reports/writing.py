"""Writing a report: to standard output or a file, or a file for each student to a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.expected_answers import foreseen
from gradcli.homework.model import Result
from gradcli.homework.worker import in_worker
from gradcli.render.check.reports.cells import file_name
from gradcli.render.check.reports.registry import QUESTIONS, REPORTS
from gradcli.render.text.streams import encodable
from gradcli.stream.outputs import Output
from gradcli.workers.files import beside, is_folder, refuse_overwriting, unwritten_error
from gradcli.workers.limits import Limits


def write_report(
    name: str, output: str, assignment: Assignment, results: Iterator[Result], inputs: Iterable[str] = ()
) -> None:
    """Write a report of `REPORTS` to a path, or to standard output for `-`.

    Raises UsageError where it cannot, and in place of writing over one of the `inputs`.
    """
    report = REPORTS[name]
    folder = Path(output)
    if report.per_student and is_folder(output):
        write_folder(
            folder, ((result.student, report.write(assignment, [result])) for result in results), report.suffix, inputs
        )
        return
    if report.per_student:
        first = list(islice(results, 2))
        if len(first) != 1:
            raise UsageError(
                "E023",
                f"a {name} report is about one submission",
                help="give one submission, or a folder to write to: -o reports/",
            )
        results = iter(first)
    write_parts(output, report.write(assignment, results), in_lines=report.in_lines)


def write_questions(name: str, output: str, assignment: Assignment, level: str, limits: Limits) -> int:
    """Write the questions of an assignment in a format of `QUESTIONS`. Raises UsageError where it cannot."""
    if is_folder(output):
        raise UsageError("E023", f"{name} questions are one file", help="name a file to write to: -o questions.xml")
    write_parts(output, in_worker(partial(questions_text, name, assignment), [level], assignment, limits))
    return 0


def questions_text(name: str, assignment: Assignment, level: str) -> str:
    """Return the questions of an assignment in a format of `QUESTIONS`."""
    return "".join(QUESTIONS[name](assignment, foreseen(assignment, level)))


def write_parts(output: str, parts: Iterable[str], *, in_lines: bool = False) -> None:
    """Write a text to standard output or a file, line by line or all at once."""
    path = Path(output)
    if output == "-":
        for part in parts if in_lines else ["".join(parts)]:
            sys.stdout.write(encodable(part, sys.stdout))
    elif in_lines or not is_replaceable(path):
        write(output, parts)
    else:  # a link that is named is followed
        write_beside(path.resolve() if path.is_symlink() else path, parts)


def write_folder(folder: Path, texts: Iterable[tuple[str, Iterable[str]]], suffix: str, inputs: Iterable[str]) -> None:
    """Write a file for each student, whose parts come with the name, into a folder, which is made if there is none."""
    make(folder)
    for student, parts in texts:
        write_in(folder, file_name(student, suffix), parts, inputs)


def write_in(folder: Path, name: str, parts: Iterable[str], inputs: Iterable[str]) -> None:
    """Write one file, none of the inputs, into a folder, which is made where there is none."""
    make(folder)
    refuse_overwriting(str(folder / name), inputs)
    write_beside(folder / name, parts)


def beside_folder(folder: Path) -> Path:
    """Return the folder for the class, beside that of its students, so that either can be handed on alone."""
    whole = folder.resolve()
    return whole.parent / f"{whole.name}-class"


def make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten_error(str(folder), error.strerror) from None


def write(path: str, parts: Iterable[str], place: Path | None = None) -> None:
    """Write whole lines as they come, perhaps beside the path for now."""
    try:
        with closing(Output(path, place)) as target:
            for part in parts:
                target.write(part.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise unwritten_error(path, error.strerror) from None


def is_replaceable(path: Path) -> bool:
    """Return whether there is a file or nothing at a path, in a folder where another one can be put in its place."""
    with suppress(OSError, ValueError, RuntimeError):  # RuntimeError: links in a circle
        return (path.is_file() or not path.exists()) and os.access(path.resolve().parent, os.W_OK)
    return False


def write_beside(path: Path, parts: Iterable[str]) -> None:
    """Write a file all at once: what lies in its place, a link too, is replaced and not followed."""
    try:
        with beside(path) as part:
            write(str(path), parts, part)
    except OSError as error:
        raise unwritten_error(str(path), error.strerror) from None
