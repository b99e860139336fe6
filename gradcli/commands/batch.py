"""`gradcli batch`: one program at many points, or many programs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gradcli.commands.options import Console, ItemLimited
from gradcli.commands.programs import Program
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.stream.plan import Task


class Format(StrEnum):
    jsonl = "jsonl"
    csv = "csv"


def command(
    program: Program,
    input: Annotated[
        str, typer.Option("-i", "--input", metavar="FILE", help="The records; - is standard input.")
    ] = "-",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The results; - is standard output.")
    ] = "-",
    format: Annotated[
        Format | None, typer.Option("--format", help="[default: as the files' names end, else jsonl]")
    ] = None,
    forward_only: Annotated[bool, typer.Option("--forward-only", help="The value alone, no gradients.")] = False,
    each: Annotated[
        bool, typer.Option("--each", help='Every record brings its own: {"program": "x**2", "at": {"x": 3}}.')
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=1024, metavar="N", help="Processes that compute.")] = 1,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first record that fails.")] = False,
    *,
    console: Console,
    limits: ItemLimited,
) -> None:
    """Run a program at many points: JSON Lines or CSV in, the same out, one result a record.

    Values that are given with the program hold for every record.

    \b
    Examples:
      echo '{"x1": 1, "a": 2, "x2": 3}' | gradcli batch "z=(x1+a*x2)**2"
      gradcli batch "sigmoid(w*x + b)" b=0.5 -i points.csv -o results.csv.gz
      gradcli batch --each --jobs 4 < programs.jsonl
    """
    from warnings import simplefilter

    from gradcli.render.text.error import print_failure
    from gradcli.render.text.progress import watched
    from gradcli.stream.batches import Batch

    def watch(blocks: Any, source: Any) -> Any:
        """Show a progress bar for a file where a person waits and the results go elsewhere."""
        if source.size is None or not sys.stderr.isatty() or (output == "-" and sys.stdout.isatty()):
            return blocks
        return watched(blocks, source, console.looks, stack)

    def fail(facts: dict[str, Any]) -> None:
        print_failure(facts, console.error_format)

    if each and (program.arguments or program.file is not None):
        raise UsageError(
            "E014", "--each takes no program and no values", help="each record brings its own: leave them out"
        )
    if program.is_on_standard_input and input == "-":
        raise UsageError(
            "E014", "the program and the records cannot both be on standard input", help="give the records with -i"
        )
    task = task_of(program, is_each=each, is_forward_only=forward_only)
    simplefilter("once", UserWarning)  # a warning that holds for many records is shown once
    with ExitStack() as stack:
        Batch(task, input, output, format, each, jobs, limits.of_item, fail_fast, watch, fail).run()


def task_of(program: Program, *, is_each: bool, is_forward_only: bool) -> Task:
    """Return the program with the values and options that hold for every record."""
    from gradcli.stream.plan import Task

    options = program.options()
    if is_each:
        return Task("", "program of the record", **options, is_forward_only=is_forward_only)
    source, values = program.read()
    return Task(source.text, source.name, values, **options, is_forward_only=is_forward_only)
