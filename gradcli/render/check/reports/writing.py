"""Writing a report: to standard output or a file, or a file for each student to a folder."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.render.check.reports.registry import REPORTS
from gradcli.render.text.streams import encodable
from gradcli.source import visible

LONGEST = 100  # characters of a file's name
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # no files on Windows


def write_report(name: str, output: str, assignment: Assignment, results: Iterator[Result]) -> None:
    """Write a report of `REPORTS` to a path, or to standard output for `-`. Raises UsageError where it cannot."""
    report = REPORTS[name]
    folder = Path(output)
    if report.per_student and output != "-" and (output.endswith("/") or folder.is_dir()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(str(folder), error) from None
        names = FileNames(report.suffix)
        for result in results:
            write(str(folder / names.name(result.student)), report.write(assignment, [result]))
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
    write(output, report.write(assignment, results))


def write(output: str, parts: Iterable[str]) -> None:
    if output == "-":
        for part in parts:
            sys.stdout.write(encodable(part, sys.stdout))
        return
    try:
        with Path(output).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(parts)
    except OSError as error:
        raise unwritten(output, error) from None


def unwritten(output: str, error: OSError) -> UsageError:
    return UsageError("E011", f"cannot write {visible(output)}: {error.strerror}", help="check the path after -o")


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
