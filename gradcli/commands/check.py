"""`gradcli check`: homework."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gradcli.commands.options import ItemLimited, Raw, Reported, Standalone
from gradcli.commands.programs import read_source
from gradcli.commands.reports import QUESTIONS, Report, Reveal, print_questions, usual_level
from gradcli.errors import InternalError, UsageError

if TYPE_CHECKING:
    from gradcli.homework.assignment.assignments import Assignment
    from gradcli.homework.model import Result
    from gradcli.homework.totals import ClassTotals
    from gradcli.render.text.looks import Looks


OTHERS = ("--report", "--reveal", "a submission")
ALONE = [
    ("--lint", "--key"),
    ("--report", "--json"),
    ("--report", "--format"),
    *((one, other) for one in ("--lint", "--key") for other in OTHERS),
]


def command(
    assignment: Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="The questions, a TOML file.")],
    submissions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SUBMISSION]...", help="Answers: .txt, .json and .csv files, or folders; - is standard input."
        ),
    ] = None,
    report: Annotated[Report | None, typer.Option("--report", help="The format of another tool.")] = None,
    reveal: Annotated[
        Reveal | None,
        typer.Option("--reveal", help="How much is told. [default: value; rule in reports that students read]"),
    ] = None,
    lint: Annotated[bool, typer.Option("--lint", help="Look for questions that wrong methods answer rightly.")] = False,
    key: Annotated[bool, typer.Option("--key", help="The worked solutions, and an answer file filled in.")] = False,
    no_simplify: Raw = False,
    all: Annotated[bool, typer.Option("--all", help="Every row, and of a class every student's page.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=1024, metavar="N", help="Processes that grade.")] = 1,
    standalone: Standalone = False,
    *,
    page: Reported,
    limits: ItemLimited,
) -> int:
    """Grade homework, and name the mistake behind each wrong answer.

    \b
    Examples:
      gradcli check week1.toml ada.txt
      gradcli check week1.toml answers/ --report csv -o grades.csv
      gradcli check week1.toml class.csv --json | jq .mistakes
      gradcli check week1.toml answers/ --format html -o feedback/
      gradcli check --lint week1.toml
      gradcli check --key week1.toml
    """
    given = {
        "--lint": lint, "--key": key, "--report": report, "--json": page.json, "--format": page.format,
        "--reveal": reveal, "a submission": submissions,
    }  # fmt: skip
    for one, other in ALONE:
        if given[one] and given[other]:
            raise UsageError("E001", f"{one} does not go with {other}", help=f"leave out {other}")
    if report in QUESTIONS and submissions:
        raise UsageError("E001", f"--report {report} does not go with a submission", help="leave out the submissions")
    if no_simplify and not key:
        raise UsageError("E001", "--no-simplify is for a key", help="add --key, or leave it out")
    if assignment == "-" and "-" in (submissions or []):
        raise UsageError(
            "E014", "the questions and the answers cannot both be on standard input", help="give one as a file"
        )
    from gradcli.homework.assignment.assignments import read_assignment

    bugs: list[str] = []
    kind = "check --lint" if lint else "check --key" if key else "check"
    with nullcontext("report") if report else opened(page, kind) as form:
        text = read_source(assignment, help="give the path of an assignment, a .toml file")
        if lint or key:
            limits.begin()
        read = read_assignment(text)
        if lint:
            return print_lint(read, page, form)
        if report in QUESTIONS:
            return print_questions(read, report.value, reveal, page, limits)
        if key:
            return print_key(read, page, form, all=all, is_raw=no_simplify, standalone=standalone)
        totals = grade(read, submissions or [], report, reveal, page, limits, bugs, form=form, all=all, jobs=jobs)
    if report and totals.ungraded:  # a gradebook has no place for it
        from gradcli.render.check.table import not_graded
        from gradcli.render.text.streams import warn

        warn(not_graded(totals))
    if bugs:
        raise InternalError(bugs[0])
    return 0 if totals.is_right else 1


def grade(
    assignment: Assignment,
    submissions: list[str],
    report: Report | None,
    reveal: Reveal | None,
    page: Reported,
    limits: ItemLimited,
    bugs: list[str],
    *,
    form: str,
    all: bool,
    jobs: int,
) -> ClassTotals:
    """Grade the submissions and write what is asked for; the totals of the class."""
    from gradcli.homework.diagnose.ordering import in_class_order
    from gradcli.homework.disclosure import revealed
    from gradcli.homework.grading import graded
    from gradcli.homework.submission.files import files_to_grade
    from gradcli.homework.submission.hand_ins import is_class
    from gradcli.homework.totals import ClassTotals
    from gradcli.render.text.progress import after_a_second

    totals = ClassTotals(assignment)
    files = files_to_grade(submissions, page.destination)
    is_folder = page.is_folder and not report
    level = reveal or usual_level(report, is_folder=is_folder)
    count = None if any(map(is_class, files)) else len(files)
    with ExitStack() as stack:
        waited = after_a_second(graded(assignment, files, jobs, limits.of_item, bugs), count, page.looks, stack)
        in_order = in_class_order(waited)
        of_class = (
            counted(in_order, totals) if is_folder else in_order
        )  # an index is for teachers, and counts everything
        results = (revealed(result, level) for result in of_class)
        if report:
            from gradcli.render.check.reports.writing import write_report

            write_report(report, page.destination, assignment, counted(results, totals))
        elif is_folder:
            write_feedback(page, form, results, totals, all=all)
        elif form == "json":
            from gradcli.render.check.document import check_document
            from gradcli.render.text.looks import is_unicode

            sys.stdout.writelines(check_document(assignment, results, totals, ascii=not is_unicode(sys.stdout)))
        else:
            print_results(counted(results, totals), totals, page.looks, stack, all=all)
    return totals


def opened(page: Reported, kind: str) -> AbstractContextManager[str]:
    """Return the form, and the place for it: a folder is filled file by file."""
    if kind == "check" and page.is_folder:
        return nullcontext(page.chosen("check -o FOLDER/"))
    return page.opened(kind)


def write_feedback(page: Reported, form: str, results: Iterable[Result], totals: ClassTotals, *, all: bool) -> None:
    """Write the feedback of each student to a folder, and an index of the class to another one beside it."""
    from gradcli.commands.forms import FOLDER, FORMS, INDEX, forms, renderer
    from gradcli.homework.grading import Grading
    from gradcli.render.asked import asked
    from gradcli.render.check.reports.writing import beside_folder, write_folder, write_in

    looks = asked(page.looks, color=False, width=None, ascii=page.ascii, all=all)
    grading, folder, ending = Grading(totals.assignment), Path(page.destination), FORMS[form].endings[0]
    write = renderer(FOLDER, form)
    write_folder(folder, results, ending, lambda result: [write(grading, result, looks)])
    if form in forms(INDEX):
        pages = f"../{folder.resolve().name}"
        index = renderer(INDEX, form)(totals, pages, looks)
        write_in(beside_folder(folder), f"index{ending}", [index])


def counted(results: Iterable[Result], totals: ClassTotals) -> Iterator[Result]:
    for result in results:
        totals.add(result)
        yield result


def print_results(results: Iterator[Result], totals: ClassTotals, looks: Looks, stack: ExitStack, *, all: bool) -> None:
    """Print the page of one student, or the table of a class; the stack holds a progress bar."""
    from gradcli.render.check.page import check_page
    from gradcli.render.check.table import check_table
    from gradcli.render.text.streams import print_text

    first = list(islice(results, 2))
    if len(first) == 1:
        return print_text(check_page(first[0], looks, assignment=totals.assignment, all=all))
    for result in chain(first, results):
        if all:
            print_text(check_page(result, looks, assignment=totals.assignment, all=True) + "\n")
    stack.close()
    return print_text(check_table(totals, looks))


def print_lint(assignment: Assignment, page: Reported, form: str) -> int:
    """Print the findings in an assignment; 1 where there are some."""
    from gradcli.homework.assignment.lint import findings
    from gradcli.render.check.lint import lint_document, lint_text
    from gradcli.render.text.streams import print_document, print_text

    found = list(findings(assignment))
    if form == "json":
        print_document(lint_document(assignment, found))
    else:
        print_text(lint_text(assignment, found, page.looks))
    return 1 if found else 0


def print_key(assignment: Assignment, page: Reported, form: str, *, all: bool, is_raw: bool, standalone: bool) -> int:
    """Print the worked solutions, and the answers as a submission."""
    from gradcli.homework.assignment.worked import filled_in
    from gradcli.homework.grading import Grader
    from gradcli.render.check.key import key_document, key_page
    from gradcli.render.text.streams import print_document, print_text

    grader = Grader(assignment, is_raw=is_raw)
    if form == "json":
        print_document(key_document(grader))
    elif form == "text":
        print_text(key_page(grader, "\n".join(filled_in(grader)), page.looks, all=all))
    else:
        page.show("check --key", form, grader, all=all, standalone=standalone)
    return 0
