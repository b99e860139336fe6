"""Submissions in batches: the files that are graded, and a grader that works in any process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment, read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.files import files_of, students_of
from gradcli.homework.submission.submissions import Submission, submissions
from gradcli.source import Source, visible

BATCH = 16  # submissions that a process grades at a time


@dataclass
class Grading:
    """Grades batches of submissions; another process builds its own grader from the text of the assignment."""

    text: str
    name: str

    def __getstate__(self) -> tuple[str, str]:
        return self.text, self.name

    def __setstate__(self, state: tuple[str, str]) -> None:
        self.text, self.name = state

    @property
    def assignment(self) -> Assignment:
        return read_assignment(Source(self.text, self.name))

    @cached_property
    def grader(self) -> Grader:
        return Grader(self.assignment)

    def __call__(self, batch: Iterable[Submission]) -> list[Result]:
        return [self.grader.grade(submission) for submission in batch]


def files_to_grade(names: Sequence[str], output: str) -> list[Path]:
    """Return the files to grade; UsageError where there are none, or where the report `output` would replace them."""
    if not names:
        raise UsageError(
            "E002",
            "there is no submission",
            help="name files or folders, such as gradcli check week1.toml answers/",
        )
    found, target = files_of(names), Path(output).resolve()
    if output != "-" and target in {Path(name).resolve() for name in names} | {f.parent.resolve() for f in found}:
        raise UsageError(
            "E023", f"{visible(output)} holds submissions", help="write to another place, such as -o reports/"
        )
    files = [file for file in found if file.resolve() != target]  # a report of the last time is no submission
    if not files:
        raise UsageError("E003", "there are no submissions in the folder", help="they end in .txt, .json or .csv")
    return files


def batches(files: Sequence[Path], size: int) -> Iterator[list[Submission]]:
    """Yield the submissions in the files, so many at a time."""
    named = zip(files, students_of(files), strict=True)
    handed_in = (submission for file, student in named for submission in submissions(file, student))
    return iter(lambda: list(islice(handed_in, size)), [])
