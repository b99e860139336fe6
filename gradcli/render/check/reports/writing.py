"""Writing a report: to standard output or a file, or a file for each student to a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from gradcli.errors import UsageError
from gradcli.homework.assignment.outline import Outline
from gradcli.homework.model import Result
from gradcli.render.check.reports.registry import REPORTS, FileNames
from gradcli.render.text.streams import encodable
from gradcli.source import visible


def write_report(name: str, output: str, outline: Outline, results: Iterator[Result]) -> None:
    """Write a report of `REPORTS` to a path, or to standard output for `-`; UsageError where that is not possible."""
    report = REPORTS[name]
    folder = Path(output)
    if report.per_student and output != "-" and (output.endswith("/") or folder.is_dir()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(str(folder), error) from None
        names = FileNames(report.suffix)
        for result in results:
            write(str(folder / names.name(result.student)), report.write(outline, [result]))
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
    write(output, report.write(outline, results))


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
