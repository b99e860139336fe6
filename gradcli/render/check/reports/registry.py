"""The formats of `gradcli check --report`: to add one, write its file beside this one and a line in `REPORTS`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.render.check.reports import check50, gradebook, gradescope, junit
from gradcli.render.documents.explanation import Document
from gradcli.stream.values import dump

Writer = Callable[[Assignment, Iterable[Result]], Iterator[str]]

LONGEST = 100  # characters of a file's name
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # no files on Windows


@dataclass(frozen=True, slots=True)
class Report:
    """One format. `write` yields the text in parts, as results come in.

    `reveal` is the level shown unless another is asked for. A report `per_student` holds one submission, and `write`
    raises ValueError for none or several.
    """

    write: Writer
    suffix: str
    reveal: str = "value"
    per_student: bool = False


def for_student(document: Callable[[Assignment, Result], Document]) -> Report:
    """A report that students read: the document of one submission, as JSON."""

    def write(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
        found = list(results)
        if len(found) != 1:
            raise ValueError("this report is about one submission: write one for each student")
        yield dump(document(assignment, found[0]), indent=2, ascii=True) + "\n"

    return Report(write, ".json", "rule", per_student=True)


REPORTS = {
    "gradescope": for_student(gradescope.document),
    "check50": for_student(check50.document),
    "junit": Report(junit.write, ".xml"),
    "csv": Report(gradebook.write, ".csv"),
    "mistakes": Report(gradebook.write_mistakes, ".csv"),
}


class FileNames:
    """Names for one file a student: safe on any system, and no two the same."""

    def __init__(self, suffix: str) -> None:
        self.suffix = suffix
        self._taken: set[str] = set()

    def name(self, student: str) -> str:
        """A name without folders, whatever the student is called."""
        stem = file_stem(student)
        found, count = stem, 1
        while found.casefold() in self._taken:
            count += 1
            found = f"{stem}-{count}"
        self._taken.add(found.casefold())
        return found + self.suffix


def file_stem(student: str) -> str:
    """Letters, digits, dots, hyphens and underscores of a name; others become underscores."""
    text = unicodedata.normalize("NFC", student[:LONGEST])
    stem = re.sub(r"[^\w.-]", "_", text).strip(".") or "_"
    return f"_{stem}" if stem.startswith("-") or DEVICES.fullmatch(stem) else stem
