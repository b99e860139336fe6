"""`gradcli check`: homework."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from gradcli.commands.job import Color, ErrorFormat
from gradcli.errors import UsageError


class Report(StrEnum):
    gradescope = "gradescope"
    check50 = "check50"
    junit = "junit"
    csv = "csv"
    mistakes = "mistakes"


class Reveal(StrEnum):
    verdict = "verdict"
    node = "node"
    rule = "rule"
    value = "value"


OTHERS = ("--report", "--reveal", "a submission")
ALONE = [
    ("--lint", "--key"),
    ("--report", "--json"),
    *((one, other) for one in ("--lint", "--key") for other in OTHERS),
]


def command(
    assignment: Annotated[str, typer.Argument(metavar="ASSIGNMENT", help="The questions, a TOML file.")],
    submissions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SUBMISSION]...", help="Answers: .txt, .json and .csv files, or folders of them."),
    ] = None,
    report: Annotated[Report | None, typer.Option("--report", help="The format of another tool.")] = None,
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where a report goes, or a folder of reports.")
    ] = "-",
    reveal: Annotated[
        Reveal | None,
        typer.Option("--reveal", help="How much is told. [default: value; rule in reports that students read]"),
    ] = None,
    lint: Annotated[bool, typer.Option("--lint", help="Look for questions that wrong methods answer rightly.")] = False,
    key: Annotated[bool, typer.Option("--key", help="The worked solutions, and an answer file filled in.")] = False,
    all: Annotated[bool, typer.Option("--all", help="Every row, and of a class every student's page.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=1024, metavar="N", help="Processes that grade.")] = 1,
    precision: Annotated[
        int, typer.Option("--precision", min=1, max=17, metavar="N", help="Significant digits in the text output.")
    ] = 6,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Colour in the text output.")] = Color.auto,
    ascii: Annotated[bool, typer.Option("--ascii", help="Plain ASCII.")] = False,
    error_format: Annotated[
        ErrorFormat, typer.Option("--error-format", help="How errors are told.")
    ] = ErrorFormat.full,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> Callable[[], int]:
    """Grade homework, and name the mistake behind each wrong answer.

    \b
    Examples:
      gradcli check week1.toml ada.txt
      gradcli check week1.toml answers/ --report csv -o grades.csv
      gradcli check week1.toml class.csv --json | jq .mistakes
      gradcli check --lint week1.toml
      gradcli check --key week1.toml
    """
    given = {
        "--lint": lint, "--key": key, "--report": report, "--json": json, "--reveal": reveal,
        "a submission": submissions,
    }  # fmt: skip
    for one, other in ALONE:
        if given[one] and given[other]:
            raise UsageError("E001", f"{one} does not go with {other}", help=f"leave out {other}")
    if output != "-" and report is None:
        raise UsageError("E001", "-o is for a report", help="add --report, or write > FILE instead")

    def work() -> int:
        from gradcli.commands.homework import CheckJob
        from gradcli.render.text.looks import looks

        job = CheckJob(
            assignment=assignment,
            submissions=list(submissions or ()),
            report=None if report is None else report.value,
            output=output,
            reveal=None if reveal is None else reveal.value,
            all=all,
            jobs=jobs,
            json=json,
            looks=looks(color=color.value, ascii=ascii, precision=precision),
        )
        return job.lint() if lint else job.key() if key else job.grade()

    return work
