"""`gradcli check`: homework."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import combinations, product
from typing import Annotated

from gradcli.commands.course.options import InCourse, Request, Reveal
from gradcli.commands.declared import Argument, Option
from gradcli.commands.inputs.programs import read_source
from gradcli.commands.options import ItemLimited, Raw, Reported, Standalone
from gradcli.errors import InternalError, UsageError
from gradcli.render.check.reports.registry import QUESTIONS, REPORTS, known
from gradcli.source import visible

KINDS = ("--lint", "--key", "--handout")  # in place of grading
OTHERS = (
    "--report",
    "--reveal",
    "a submission",
    "--attempts",
    "--overrides",
    "--against",
    "--layout",
    "--map",
    "--export-mistakes",
)
EXCLUSIVE = [  # pairs of options that do not go together
    ("--report", "--json"),
    ("--report", "--format"),
    *combinations(KINDS, 2),
    *product(KINDS, OTHERS),
    ("--handout", "--json"),
    ("--handout", "--variants"),
    ("--lint", "--roster"),
    ("--lint", "--variants"),
    ("--key", "--roster"),
]
FOLDERS = {"check": "check -o FOLDER/", "check --handout": "check --handout", "check --key": "check --key"}


def completed(incomplete: str) -> list[str]:
    """The reports that a shell may complete a beginning to."""
    return [name for name in (*REPORTS, *QUESTIONS) if name.startswith(incomplete)]


def command(
    assignment: Annotated[str, Argument(metavar="ASSIGNMENT", help="The questions, a TOML file.")],
    submissions: Annotated[
        list[str] | None,
        Argument(
            metavar="[SUBMISSION]...", help="Answers: .txt, .json and .csv files, or folders; - is standard input."
        ),
    ] = None,
    report: Annotated[
        str | None,
        Option(
            "--report",
            metavar="NAME",
            help=f"The format of another tool, or a table: {', '.join([*REPORTS, *QUESTIONS])}.",
            autocompletion=completed,
        ),
    ] = None,
    reveal: Annotated[
        Reveal | None,
        Option("--reveal", help="How much is shown. [default: value; rule in reports that students read]"),
    ] = None,
    lint: Annotated[bool, Option("--lint", help="Look for questions that wrong methods answer rightly.")] = False,
    key: Annotated[bool, Option("--key", help="The worked solutions, and an answer file filled in.")] = False,
    handout: Annotated[bool, Option("--handout", help="Blank sheets: with --roster one a student.")] = False,
    secret_file: Annotated[
        str | None, Option("--secret-file", metavar="FILE", help="The secret that the values of sheets hang on.")
    ] = None,
    no_simplify: Raw = False,
    all: Annotated[bool, Option("--all", help="Every row, and of a class every student's page.")] = False,
    jobs: Annotated[int, Option("--jobs", min=1, max=1024, metavar="N", help="Processes that grade.")] = 1,
    exit_zero: Annotated[bool, Option("--exit-zero", help="Exit with 0 whatever the answers are.")] = False,
    standalone: Standalone = False,
    *,
    course: InCourse,
    page: Reported,
    limits: ItemLimited,
) -> int:
    """Grade homework, and name the mistake behind each wrong answer.

    Exit 0 if all answers are right, 1 if one is not, 2 if a file is not there.

    \b
    Examples:
      gradcli check week1.toml ada.txt
      gradcli check week1.toml answers/ --report csv -o grades.csv
      gradcli check week1.toml class.csv --json | jq .mistakes
      gradcli check week1.toml answers/ --format html -o feedback/
      gradcli check --lint week1.toml
      gradcli check --key week1.toml
      gradcli check --handout week1.toml --roster roster.csv --secret-file secret -o sheets/
      gradcli check week1.toml answers/ --roster roster.csv --variants sheets/variants.json --against old.json
    """
    options = {
        "--lint": lint, "--key": key, "--handout": handout, "--report": report, "--json": page.json,
        "--format": page.format, "--reveal": reveal, "a submission": submissions, "--roster": course.roster,
        "--variants": course.variants, "--attempts": course.attempts, "--overrides": course.overrides,
        "--against": course.against, "--layout": course.layout,
        "--map": course.map, "--export-mistakes": course.export_mistakes,
    }  # fmt: skip
    for first, second in EXCLUSIVE:
        if options[first] and options[second]:
            raise UsageError("E001", f"{first} does not go with {second}", help=f"leave out {second}")
    if report is not None and known(report) in QUESTIONS and submissions:
        raise UsageError("E001", f"--report {report} does not go with a submission", help="leave out the submissions")
    for option, value, place in (
        ("--no-simplify", no_simplify, "--key" * (not key)),
        ("--secret-file", secret_file, "--handout" * (not handout)),
        ("--allow-lower", course.allow_lower, "--against" * (not course.against)),
    ):
        if value and place:
            raise UsageError("E001", f"{option} is for {place}", help=f"add {place}, or leave it out")
    if assignment == "-" and "-" in (submissions or []):
        raise UsageError(
            "E014", "the questions and the answers cannot both be on standard input", help="give one as a file"
        )
    refuse_missing(submissions or [])
    from gradcli.homework.assignment.assignments import read_assignment
    from gradcli.homework.solve.runs import scripts
    from gradcli.workers.files import refuse_overwriting, refuse_unwritable
    from gradcli.workers.zygote import zygote_waiting

    kind = next((f"check {first}" for first in KINDS if options[first]), "check")
    inputs = [assignment, *course.files, *([secret_file] if secret_file else ())]
    refuse_overwriting(page.destination, inputs)
    if course.export_mistakes:
        refuse_unwritable(course.export_mistakes)
        refuse_overwriting(course.export_mistakes, [*inputs, *(submissions or ())])
    work = scripts.WORK
    if key:  # which shows what scripts do
        from gradcli.render.check import worked

        work = worked.WORK
    with zygote_waiting(work), nullcontext("report") if report else opened(page, kind) as form:
        text = read_source(assignment, help="give the path of an assignment, a .toml file")
        questions = read_assignment(text)
        request = Request(report, reveal and reveal.value, page, limits, form, all, jobs, inputs, standalone=standalone)
        if report in QUESTIONS:
            from gradcli.render.check.reports.writing import write_questions

            return write_questions(report, page.destination, questions, request.reveal or "rule", limits.of_item)
        if kind != "check":
            from gradcli.commands.course.handout import hand_out, print_key, print_lint

            if lint:
                exit_code = print_lint(questions, request)
                return 0 if exit_zero else exit_code
            if handout:
                return hand_out(questions, request, course, secret_file)
            return print_key(questions, request, course, is_raw=no_simplify)
        from gradcli.commands.course.marking import grade

        totals = grade(questions, submissions or [], request, course)
    if report and totals.ungraded:  # a gradebook has no place for it
        from gradcli.render.check.table import not_graded
        from gradcli.render.text.streams import warn

        warn(not_graded(totals))
    if request.bugs:
        raise InternalError(request.bugs[0])
    return 0 if totals.is_right or exit_zero else 1


def refuse_missing(submissions: Sequence[str]) -> None:
    """Refuse a path where nothing is, before anybody is graded; UsageError."""
    for path in submissions:
        try:
            if path != "-":
                os.lstat(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            message = f"cannot read {visible(path)}: {error.strerror}"
            raise UsageError("E003", message, help="check the path of the submission") from None
        except (OSError, ValueError):  # the reader reports it
            pass


def opened(page: Reported, kind: str) -> AbstractContextManager[str]:
    """Return the form, and send the output to its destination; a folder is filled file by file."""
    if page.is_folder and kind in FOLDERS:
        return nullcontext(page.chosen(FOLDERS[kind]))
    return page.opened(kind, ())
