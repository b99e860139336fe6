"""`gradcli run`: a PyTorch snippet on the internal engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from gradcli.commands.job import Color, ErrorFormat


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A .py, .ipynb or .md file; - is Python on standard input.")
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Tell line by line what autograd did.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the explanation, not what is printed.")] = False,
    all: Annotated[bool, typer.Option("--all", help="Every repetition of a line, every row.")] = False,
    max_steps: Annotated[
        int, typer.Option("--max-steps", min=1, metavar="N", help="Statements that may run.")
    ] = 20_000_000,
    max_elements: Annotated[
        int, typer.Option("--max-elements", min=1, metavar="N", help="Elements of one tensor, list or text.")
    ] = 2**24,
    timeout: Annotated[float, typer.Option("--timeout", min=0.01, metavar="SECONDS", help="Wall time.")] = 60.0,
    precision: Annotated[
        int, typer.Option("--precision", min=1, max=17, metavar="N", help="Significant digits of the explanation.")
    ] = 6,
    json: Annotated[bool, typer.Option("--json", help="One JSON document: what is printed, and the timeline.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Colour in the explanation.")] = Color.auto,
    ascii: Annotated[bool, typer.Option("--ascii", help="Plain ASCII in the explanation.")] = False,
    error_format: Annotated[
        ErrorFormat, typer.Option("--error-format", help="How errors are told.")
    ] = ErrorFormat.full,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> Callable[[], int]:
    """Run a PyTorch snippet without PyTorch, and print what torch would print.

    \b
    Examples:
      gradcli run lesson.py
      gradcli run lesson.py --explain
      gradcli run lesson.ipynb --json | jq -r .printed
      gradcli run - < lesson.py
    """

    def work() -> int:
        from gradcli.commands.snippets import SnippetJob
        from gradcli.render.text.looks import looks
        from gradcli.script.limits import Limits

        job = SnippetJob(
            file=file,
            limits=Limits(steps=max_steps, elements=max_elements, seconds=timeout),
            looks=looks(color=color.value, ascii=ascii, precision=precision),
            explain=explain or quiet or json,
            quiet=quiet,
            all=all,
            json=json,
            error_form="document" if json else error_format.value,
        )
        return job.run()

    return work
