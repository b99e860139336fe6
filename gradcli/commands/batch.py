"""`gradcli batch`: one program at many points, or many programs."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import typer

from gradcli.commands.job import Color, Dtype, ErrorFormat


class Format(StrEnum):
    jsonl = "jsonl"
    csv = "csv"


def command(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [NAME=VALUE]...", help="The program, then values that hold for every record."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("-f", "--file", metavar="FILE", help="Read the program from a file."),
    ] = None,
    input: Annotated[
        str, typer.Option("-i", "--input", metavar="FILE", help="The records; - is standard input.")
    ] = "-",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="The results; - is standard output.")
    ] = "-",
    format: Annotated[
        Format | None, typer.Option("--format", help="[default: as the files' names end, else jsonl]")
    ] = None,
    wrt: Annotated[
        str | None, typer.Option("--wrt", metavar="A,B", help="Differentiate only these; the others are constants.")
    ] = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="NAME", help="The output. [default: the last statement]")
    ] = None,
    forward_only: Annotated[bool, typer.Option("--forward-only", help="The value alone, no gradients.")] = False,
    upstream: Annotated[
        str | None, typer.Option("--upstream", metavar="VALUE", help="The gradient that enters at the output.")
    ] = None,
    dtype: Annotated[Dtype, typer.Option("--dtype", help="The precision of the arithmetic.")] = Dtype.float64,
    each: Annotated[
        bool, typer.Option("--each", help='Every record brings its own: {"program": "x**2", "at": {"x": 3}}.')
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=1024, metavar="N", help="Processes that compute.")] = 1,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first record that fails.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Colour of the progress bar.")] = Color.auto,
    ascii: Annotated[bool, typer.Option("--ascii", help="Plain ASCII in the progress bar.")] = False,
    error_format: Annotated[
        ErrorFormat, typer.Option("--error-format", help="How errors are told.")
    ] = ErrorFormat.full,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> Callable[[], int]:
    """Run a program at many points: JSON Lines or CSV in, the same out, one result a record.

    \b
    Examples:
      echo '{"x1": 1, "a": 2, "x2": 3}' | gradcli batch "z=(x1+a*x2)**2"
      gradcli batch "sigmoid(w*x + b)" b=0.5 -i points.csv -o results.csv.gz
      gradcli batch --each --jobs 4 < programs.jsonl
    """

    def work() -> int:
        from gradcli.commands.batches import BatchJob
        from gradcli.commands.job import spelled
        from gradcli.render.text.looks import looks

        job = BatchJob(
            arguments=list(arguments or ()),
            file=file,
            input=input,
            output=output,
            format=None if format is None else format.value,
            wrt=None if wrt is None else tuple(spelled(name) for name in wrt.split(",") if name.strip()),
            of=None if of is None else spelled(of),
            is_forward_only=forward_only,
            upstream=upstream,
            dtype=dtype.value,
            is_each=each,
            jobs=jobs,
            is_fail_fast=fail_fast,
            looks=looks(color=color.value, ascii=ascii, precision=6),
            error_format=error_format.value,
        )
        return job.run()

    return work
