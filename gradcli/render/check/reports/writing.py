"""Writing a report: to standard output or a file, or a file for each student to a folder."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from secrets import token_hex

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.render.check.reports.naming import file_name
from gradcli.render.check.reports.registry import REPORTS
from gradcli.render.text.streams import encodable
from gradcli.source import visible
from gradcli.stream.outputs import Output


def write_report(name: str, output: str, assignment: Assignment, results: Iterator[Result]) -> None:
    """Write a report of `REPORTS` to a path, or to standard output for `-`. Raises UsageError where it cannot."""
    report = REPORTS[name]
    folder = Path(output)
    if report.per_student and output != "-" and (output.endswith("/") or folder.is_dir()):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(str(folder), error) from None
        for result in results:
            write_beside(folder / file_name(result.student, report.suffix), report.write(assignment, [result]))
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
    """Write to standard output, or to a place that the command line names: a link there is followed."""
    if output == "-":
        for part in parts:
            sys.stdout.write(encodable(part, sys.stdout))
        return
    try:
        with closing(Output(output)) as target:
            for part in parts:
                target.write(part.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise unwritten(output, error) from None


def write_beside(path: Path, parts: Iterable[str]) -> None:
    """Write a file of a folder all at once: what lies in its place, a link too, is replaced and not followed."""
    part = path.with_name(f".{token_hex(8)}.part")
    try:
        with part.open("x", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(parts)
        part.replace(path)
    except OSError as error:
        raise unwritten(str(path), error) from None
    finally:
        with suppress(OSError):
            part.unlink()


def unwritten(output: str, error: OSError) -> UsageError:
    return UsageError("E011", f"cannot write {visible(output)}: {error.strerror}", help="check the path after -o")
