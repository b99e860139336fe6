"""What the commands on a program share: their options, the values that they read, how their output looks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

from gradcli.errors import EvaluationError, UsageError


class Color(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


class ErrorFormat(StrEnum):
    full = "full"
    concise = "concise"
    json = "json"


class Dtype(StrEnum):
    float64 = "float64"
    float32 = "float32"


@dataclass(frozen=True)
class Job:
    """One program at one point, as the options say it."""

    source: Any  # Source
    values: dict[str, Any]
    wrt: list[str] | None
    of: str | None
    upstream: Any
    dtype: str
    json: bool
    looks: Any  # Looks

    def explain(self) -> Any:
        """The explanation; bindings that nothing uses are warned about."""
        from gradcli.explanation.build import explain_source

        return explain_source(
            self.source, self.values, wrt=self.wrt, of=self.of, upstream=self.upstream, dtype=self.dtype
        )

    def symbolic(self) -> Any:
        """The explanation at made-up scalars for the variables that have no value: its formulas hold at any."""
        from dataclasses import replace

        from gradcli.explanation.variables import placeholders

        made_up = placeholders(self.source, self.values)
        try:
            return replace(self, values={**made_up, **self.values}).explain()
        except EvaluationError as error:
            if made_up and not error.help:
                error.help = (
                    f"{', '.join(made_up)} without a value are numbers here; give an array a value of its shape"
                )
            raise

    def verify(self) -> Any:
        """Each gradient three ways."""
        from gradcli.explanation.verify import verify_source

        return verify_source(
            self.source, self.values, wrt=self.wrt, of=self.of, upstream=self.upstream, dtype=self.dtype
        )

    def print_document(self, document: dict[str, Any]) -> None:
        from gradcli.render.text.streams import print_document

        print_document(document)


def program_options(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROGRAM [NAME=VALUE]...", help="The program, then a value for each variable."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("-f", "--file", metavar="FILE", help="Read the program from a file; - is standard input."),
    ] = None,
    wrt: Annotated[
        str | None, typer.Option("--wrt", metavar="A,B", help="Differentiate only these; the others are constants.")
    ] = None,
    of: Annotated[
        str | None, typer.Option("--of", metavar="NAME", help="The output. [default: the last statement]")
    ] = None,
    upstream: Annotated[
        str | None, typer.Option("--upstream", metavar="VALUE", help="The gradient that enters at the output.")
    ] = None,
    dtype: Annotated[Dtype, typer.Option("--dtype", help="The precision of the arithmetic.")] = Dtype.float64,
    precision: Annotated[
        int, typer.Option("--precision", min=1, max=17, metavar="N", help="Significant digits in the text output.")
    ] = 6,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Colour in the text output.")] = Color.auto,
    ascii: Annotated[bool, typer.Option("--ascii", help="Plain ASCII: d and * for ∂ and ·.")] = False,
    error_format: Annotated[
        ErrorFormat, typer.Option("--error-format", help="How errors are told.")
    ] = ErrorFormat.full,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> Job:
    """Read what the options name; this function's parameters are the shared options."""
    from gradcli.commands.bindings import read_bindings, read_value
    from gradcli.commands.programs import read_program
    from gradcli.render.text.looks import looks

    source, rest = read_program(list(arguments or ()), file)
    return Job(
        source=source,
        values=read_bindings(rest, source),
        wrt=None if wrt is None else [spelled(name) for name in wrt.split(",") if name.strip()],
        of=None if of is None else spelled(of),
        upstream=None if upstream is None else read_value("--upstream", upstream),
        dtype=dtype.value,
        json=json,
        looks=looks(color=color.value, ascii=ascii, precision=precision),
    )


def on_a_program(command: Callable[..., int | None]) -> Callable[..., Callable[[], int | None]]:
    """Give a command `(job, *its own options)` the shared options in place of `job`.

    Calling it reads the options and no more: what it answers does the work. So the libraries are imported low on the
    stack, which below typer's frames takes a fifth longer (Python's stack of frames crosses its chunks too often).
    """
    shared = inspect.signature(program_options, eval_str=True).parameters
    signature = inspect.signature(command, eval_str=True)
    own = [p for name, p in signature.parameters.items() if name != "job"]

    def run(**given: Any) -> Callable[[], int | None]:
        def work() -> int | None:
            job = program_options(**{name: given.pop(name) for name in shared})
            return command(job, **given)

        return work

    combined = signature.replace(parameters=[*shared.values(), *own], return_annotation=int)
    run.__signature__ = combined  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in combined.parameters.values()}
    run.__doc__ = command.__doc__
    run.__name__ = command.__name__
    return run


def spelled(name: str) -> str:
    """A name as programs have it, whichever way it was typed; what is no name stays as it is."""
    from gradcli.language.names import read_name

    return read_name(name.strip()) or name.strip()


def one_of(name: str, choice: str, known: list[str]) -> str:
    """A word among known ones, or an error that suggests the closest."""
    from gradcli.source import did_you_mean

    if choice in known:
        return choice
    close = did_you_mean(choice, known)
    raise UsageError(
        "E008",
        f"there is no {name} {choice!r}",
        help=f"did you mean {close}?" if close else f"there are {', '.join(known)}",
    )
