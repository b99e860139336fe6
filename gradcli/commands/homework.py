"""Checking homework for the command line: what is read, graded, and written where."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any

from gradcli.commands.programs import read_text, unmasked
from gradcli.errors import UsageError
from gradcli.source import Source, visible

BATCH = 16  # submissions that a process grades at a time


@dataclass
class Grading:
    """Grades batches of submissions; another process builds its own grader from the text."""

    text: str
    name: str

    def __getstate__(self) -> tuple[str, str]:
        return self.text, self.name

    def __setstate__(self, state: tuple[str, str]) -> None:
        self.text, self.name = state

    @cached_property
    def grader(self) -> Any:
        from gradcli.homework.assignment.assignments import read_assignment
        from gradcli.homework.grading import Grader

        return Grader(read_assignment(Source(self.text, self.name)))

    def __call__(self, batch: list[Any]) -> list[Any]:
        return [self.grader.grade(submission) for submission in batch]


@dataclass
class CheckJob:
    """One run of the command, as the options say it."""

    assignment: str
    submissions: list[str]
    report: str | None
    output: str
    reveal: str | None
    all: bool
    jobs: int
    json: bool
    looks: Any  # Looks

    def read(self) -> Grading:
        file = unmasked(self.assignment)
        name = "standard input" if file == "-" else file
        return Grading(read_text(file, name, help="give the path of an assignment, a .toml file"), name)

    def files(self) -> list[Path]:
        """The files to grade; UsageError where there are none, or where a report would be written over them."""
        from gradcli.homework.submission.files import files_of

        if not self.submissions:
            raise UsageError(
                "E002",
                "there is no submission",
                help="name files or folders, such as gradcli check week1.toml answers/",
            )
        named = [unmasked(name) for name in self.submissions]
        found, target = files_of(named), Path(self.output).resolve()
        if self.output != "-" and target in {Path(name).resolve() for name in named} | {
            f.parent.resolve() for f in found
        }:
            raise UsageError(
                "E023", f"{visible(self.output)} holds submissions", help="write to another place, such as -o reports/"
            )
        files = [file for file in found if file.resolve() != target]  # a report of the last time is no submission
        if not files:
            raise UsageError("E003", "there are no submissions in the folder", help="they end in .txt, .json or .csv")
        return files

    def results(self, files: list[Path], grading: Grading, stack: ExitStack) -> Iterator[Any]:
        """The result of each submission, as much of it as is to be told, in order."""
        from gradcli.homework.disclosure import revealed
        from gradcli.homework.submission.files import students_of
        from gradcli.homework.submission.submissions import CLASS, submissions
        from gradcli.render.check.reports.registry import REPORTS
        from gradcli.render.text.progress import after_a_second
        from gradcli.stream.workers import mapped

        level = self.reveal or (REPORTS[self.report].reveal if self.report else "value")
        named = list(zip(files, students_of(files), strict=True))
        handed_in = (submission for file, student in named for submission in submissions(file, student))
        size = 1 if self.jobs == 1 else BATCH
        batches = iter(lambda: list(islice(handed_in, size)), [])
        graded = (result for batch in mapped(grading, batches, self.jobs) for result in batch)
        total = None if any(file.suffix.lower() == CLASS for file in files) else len(files)
        for result in after_a_second(graded, total, self.looks, stack):
            yield revealed(result, level)

    def grade(self) -> int:
        """Grade, and write what is asked for; 1 where something is wrong."""
        from gradcli.homework.totals import ClassTotals

        grading = self.read()
        outline = grading.grader.outline
        totals = ClassTotals(outline)
        files = self.files()
        with ExitStack() as stack:
            results = self.results(files, grading, stack)
            if self.report:
                self.write_report(outline, counted(results, totals))
            elif self.json:
                from gradcli.render.check.document import check_document
                from gradcli.render.text.looks import is_unicode

                for part in check_document(outline, results, totals, ascii=not is_unicode(sys.stdout)):
                    sys.stdout.write(part)
            else:
                self.print(outline, counted(results, totals), totals, stack)
        return 0 if totals.is_right else 1

    def print(self, outline: Any, results: Iterator[Any], totals: Any, stack: ExitStack) -> None:
        """The page of one student, or the table of a class."""
        from gradcli.render.check.page import check_page
        from gradcli.render.check.table import check_table
        from gradcli.render.text.streams import print_text

        first = list(islice(results, 2))
        if len(first) == 1:
            print_text(check_page(first[0], self.looks, outline=outline, all=self.all))
            return
        for result in chain(first, results):
            if self.all:
                print_text(check_page(result, self.looks, outline=outline, all=True) + "\n")
        stack.close()
        print_text(check_table(totals, self.looks))

    def write_report(self, outline: Any, results: Iterator[Any]) -> None:
        """A report to standard output or a file; one of a single student to a folder, a file each."""
        from gradcli.render.check.reports.registry import REPORTS, FileNames

        assert self.report is not None
        report = REPORTS[self.report]
        folder = Path(self.output)
        if report.per_student and self.output != "-" and (self.output.endswith("/") or folder.is_dir()):
            self.make(folder)
            names = FileNames(report.suffix)
            for result in results:
                self.write(str(folder / names.name(result.student)), report.write(outline, [result]))
            return
        if report.per_student:
            first = list(islice(results, 2))
            if len(first) != 1:
                raise UsageError(
                    "E023",
                    f"a {self.report} report is about one submission",
                    help="give one submission, or a folder to write to: -o reports/",
                )
            results = iter(first)
        self.write(self.output, report.write(outline, results))

    def make(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unwritten(str(folder), error) from None

    def write(self, output: str, parts: Iterable[str]) -> None:
        """Write to a file, or to standard output for `-`."""
        if output == "-":
            from gradcli.render.text.streams import encodable

            for part in parts:
                sys.stdout.write(encodable(part, sys.stdout))
            return
        try:
            with Path(output).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.writelines(parts)
        except OSError as error:
            raise unwritten(output, error) from None

    def lint(self) -> int:
        """Tell what is worth mending in an assignment; 1 where there is something."""
        from gradcli.homework.assignment.assignments import read_assignment
        from gradcli.homework.assignment.lint import findings
        from gradcli.render.check.lint import lint_document, lint_text
        from gradcli.render.text.streams import print_document, print_text

        grading = self.read()
        assignment = read_assignment(Source(grading.text, grading.name))
        found = list(findings(assignment))
        if self.json:
            print_document(lint_document(assignment, found))
        else:
            print_text(lint_text(assignment, found, self.looks))
        return 1 if found else 0

    def key(self) -> int:
        """Print the worked solutions, and the answers as a submission."""
        from gradcli.homework.assignment.worked import filled_in
        from gradcli.render.check.key import key_document, key_page
        from gradcli.render.text.streams import print_document, print_text

        grader = self.read().grader
        if self.json:
            print_document(key_document(grader))
        else:
            print_text(key_page(grader, "\n".join(filled_in(grader)), self.looks, all=self.all))
        return 0


def unwritten(output: str, error: OSError) -> UsageError:
    return UsageError("E011", f"cannot write {visible(output)}: {error.strerror}", help="check the path after -o")


def counted(results: Iterable[Any], totals: Any) -> Iterator[Any]:
    for result in results:
        totals.add(result)
        yield result
