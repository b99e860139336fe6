"""The options of the commands on a program: where the program comes from, and at which point it runs."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gradcli.commands import completion
from gradcli.commands.declared import Argument, Option
from gradcli.commands.options import Limited
from gradcli.errors import EvaluationError, GradcliError, ProgramSyntaxError, UsageError
from gradcli.facts import dataclass
from gradcli.source import Source, visible

if TYPE_CHECKING:
    from gradcli.explanation.derivatives.total import Derivative
    from gradcli.explanation.model import Explanation, Gradients
    from gradcli.explanation.sizes.merging import Dims
    from gradcli.explanation.verify import Verification
    from gradcli.language.tree import Program as Parsed

SNIPPETS = (".py", ".ipynb", ".md")
IMPORT = re.compile(r"^[ \t]*(?:>>> )?(?:import|from)[ \t]+[A-Za-z_]", re.MULTILINE)
MISSING = "E201"


@contextmanager
def advised(source: Source, *, is_file: bool, is_symbolic: bool = False) -> Iterator[None]:
    """Add advice to errors of a program: another command for Python and files, another source of missing values."""
    try:
        yield
    except GradcliError as error:
        command = better_command(source, is_file=is_file)
        if command:
            also = "" if isinstance(error, ProgramSyntaxError) or not error.help else f"{error.help}; "
            error.help = f"{also}{command}"
        elif error.code == MISSING and not is_symbolic:
            error.help += "; gradcli grad --symbolic needs no values"
        raise


def better_command(source: Source, *, is_file: bool) -> str:
    """Return what to type instead for a snippet of Python, or for the name of a file in place of a program."""
    if is_file and (source.name.lower().endswith(SNIPPETS) or IMPORT.search(source.text)):
        return f"for Python type gradcli run {quoted('-' if source.name == 'standard input' else source.name)}"
    if is_file or len(source.text) > 255:
        return ""
    name = source.text.strip()
    with suppress(OSError, ValueError):
        if Path(name).is_file():
            command = "run" if name.lower().endswith(SNIPPETS) else "eval -f"
            return f"{visible(name)} is a file: type gradcli {command} {quoted(name)}"
    return "Python runs from a file: type gradcli run FILE" if IMPORT.search(source.text) else ""


def quoted(name: str) -> str:
    import shlex

    return visible(shlex.quote(name))


LARGEST = 16 * 2**20  # bytes of a program; a longer text is no program


class Dtype(StrEnum):
    float64 = "float64"
    float32 = "float32"


@dataclass(frozen=True)
class Program:
    """A program and a point, as the options say them."""

    arguments: Annotated[
        list[str] | None,
        Argument(
            metavar="PROGRAM [NAME=VALUE]...",
            help="The program, or - for standard input; then a value for each variable.",
        ),
    ] = None
    file: Annotated[
        str | None,
        Option("-f", "--file", metavar="FILE", help="Read the program from a file; - is standard input."),
    ] = None
    wrt: Annotated[
        str | None,
        Option(
            "--wrt",
            metavar="A,B",
            help="Differentiate only these; the others are constants.",
            autocompletion=completion.variables,
        ),
    ] = None
    of: Annotated[
        str | None,
        Option(
            "--of",
            metavar="NAME",
            help="The output. [default: the last statement]",
            autocompletion=completion.outputs,
        ),
    ] = None
    upstream: Annotated[
        str | None, Option("--upstream", metavar="VALUE", help="The gradient that enters at the output.")
    ] = None
    dtype: Annotated[Dtype, Option("--dtype", help="The precision of the arithmetic.")] = Dtype.float64

    def explain(
        self, limits: Limited, *, is_symbolic: bool = False, is_raw: bool = True, takes_shapes: bool = False
    ) -> Explanation:
        """Explain the program within its limits; a warning names the bindings that it does not use.

        `is_symbolic` gives made-up scalars to the variables that have no value: the formulas hold at any point.
        `is_raw` leaves formulas as the rules give them. If it `takes_shapes`, as symbols do, values may be shapes.
        """
        from gradcli.explanation.build import explain
        from gradcli.explanation.values import placeholders

        program, values, options = self.point(limits, takes_shapes=takes_shapes or is_symbolic)
        if shapes(values):
            return self.explain_shapes(program, values, options, is_raw=is_raw, is_traced=not is_symbolic)
        made_up = placeholders(program, values) if is_symbolic else {}
        try:
            with advised(program.source, is_file=self.is_file, is_symbolic=is_symbolic):
                if made_up:
                    from gradcli.explanation.sizes.generic import explain_anywhere

                    return explain_anywhere(program, made_up, values, is_raw=is_raw, **options)
                explanation = explain(program, values, **options)
        except EvaluationError as error:
            if made_up and not error.help:
                is_or_are = (
                    f"{', '.join(made_up)} without a value {'is a number' if len(made_up) == 1 else 'are numbers'}"
                )
                error.help = f"{is_or_are} here; give an array its shape, such as {next(iter(made_up))}:3"
            raise
        if is_raw:
            return explanation
        from gradcli.explanation.formulas.simplified import simplified

        return simplified(explanation)

    def gradients(self, limits: Limited) -> Gradients:
        """Differentiate the program once, within its limits, and say nothing more; warns as `explain` does."""
        from gradcli.explanation.build import gradients

        program, values, options = self.point(limits)
        with advised(program.source, is_file=self.is_file):
            return gradients(program, values, **options)

    def explain_shapes(
        self, program: Parsed, values: dict[str, Any], options: dict[str, Any], *, is_raw: bool, is_traced: bool
    ) -> Explanation:
        """Explain the program at any size."""
        from gradcli.explanation.sizes.generic import explain_at_any_size

        if options["upstream"] is not None:
            raise UsageError("E001", "--upstream needs numbers, and a shape has none", help="leave it out")
        dims = shapes(values)
        numbers = {name: value for name, value in values.items() if name not in dims}
        settings = {"wrt": options["wrt"], "of": options["of"], "is_raw": is_raw, "is_traced": is_traced}
        with advised(program.source, is_file=self.is_file):
            return explain_at_any_size(program, dims, numbers, **settings)

    def derivatives(
        self, limits: Limited, order: int, *, mixed: bool, is_symbolic: bool, is_raw: bool
    ) -> tuple[Derivative, ...]:
        """Differentiate several times, or every entry of the output; `is_symbolic` as formulas."""
        from gradcli.explanation.derivatives import total
        from gradcli.explanation.sizes.generic import formulas_anywhere, formulas_at_any_size
        from gradcli.explanation.values import placeholders

        program, values, options = self.point(limits, takes_shapes=is_symbolic)
        del options["upstream"]
        with advised(program.source, is_file=self.is_file):
            if not is_symbolic:
                return total.derivatives(program, values, order, mixed=mixed, **options)
            del options["dtype"]
            if dims := shapes(values):
                numbers = {name: value for name, value in values.items() if name not in dims}
                return formulas_at_any_size(program, dims, numbers, order, mixed=mixed, is_raw=is_raw, **options)
            settings = {"mixed": mixed, "is_raw": is_raw, **options}
            return formulas_anywhere(program, placeholders(program, values), values, order, **settings)

    def verify(self, limits: Limited) -> Verification:
        """Compute each gradient three ways, within the limits."""
        from gradcli.explanation.verify import verify

        program, values, options = self.point(limits)
        with advised(program.source, is_file=self.is_file):
            return verify(program, values, **options)

    def point(self, limits: Limited, *, takes_shapes: bool = False) -> tuple[Parsed, dict[str, Any], dict[str, Any]]:
        """Return the parsed program, the values by variable, and the other options as `explain` takes them."""
        from gradcli.commands.inputs import bindings  # noqa: F401  which may import what no locked process can
        from gradcli.language.grammar import expression_parser
        from gradcli.language.parser import parse_program

        expression_parser()  # which may write its tables for the next time
        source = limits.begin(self.source)
        values, options = self.values(source), self.options()
        for name in shapes(values):
            if not takes_shapes:
                raise UsageError(
                    "E004",
                    f"{name} has a shape and no numbers",
                    help=f"give it a value, {name}=...; shapes are for gradcli grad --symbolic and gradcli trace",
                )
        with advised(source, is_file=self.is_file):
            return parse_program(source), values, options

    @property
    def files(self) -> list[str]:
        """The file of the program and the files of values, perhaps with names that are no files."""
        first = [self.file] if self.file is not None else (self.arguments or [])[:1]
        texts = [text.partition("=")[2] for text in self.arguments or []] + [self.upstream or ""]
        return first + [text.strip()[1:] for text in texts if text.strip().startswith("@")]

    @property
    def is_on_standard_input(self) -> bool:
        """Whether the program itself is read there."""
        return self.file == "-" or (self.file is None and (self.arguments or [])[:1] == ["-"])

    @property
    def is_file(self) -> bool:
        """Whether the program is read from a file, or from standard input."""
        return self.file is not None or self.is_on_standard_input

    def source(self) -> Source:
        """Return the text of the program; the files of values are held, to be read when no file can be opened."""
        from gradcli.commands.inputs.bindings import hold

        arguments = self.arguments or []
        if self.file is not None:
            source = read_source(self.file, help="check the path after -f")
        elif arguments[:1] == ["-"]:
            source = read_source("-", help="write the program into it")
        elif arguments:
            source = Source(arguments[0])
        else:
            raise UsageError(
                "E002", "there is no program", help='write one, such as gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3'
            )
        hold([*(argument.partition("=")[2] for argument in self.bindings), self.upstream or ""])
        return source

    @property
    def bindings(self) -> list[str]:
        """The arguments that are values."""
        return (self.arguments or [])[self.file is None :]

    def values(self, source: Source) -> dict[str, Any]:
        """Return the values by variable."""
        from gradcli.commands.inputs.bindings import read_bindings

        return read_bindings(self.bindings, source)

    def options(self) -> dict[str, Any]:
        """Return the other options as `explain` takes them."""
        from gradcli.commands.inputs.bindings import read_value

        return {
            "wrt": None if self.wrt is None else tuple(spelled(name) for name in self.wrt.split(",") if name.strip()),
            "of": None if self.of is None else spelled(self.of),
            "upstream": None if self.upstream is None else read_value("--upstream", self.upstream),
            "dtype": self.dtype.value,
        }


def shapes(values: Mapping[str, Any]) -> dict[str, Dims]:
    """Return the variables that have a shape alone."""
    from gradcli.explanation.sizes.merging import Dims

    return {name: value for name, value in values.items() if isinstance(value, Dims)}


def spelled(name: str) -> str:
    """Return a name in the spelling of programs, whichever way it was typed; other texts stay as they are."""
    from gradcli.language.names import read_name

    return read_name(name.strip()) or name.strip()


def read_source(file: str, *, help: str) -> Source:
    """Return the text of a file, or of standard input for `-`; UsageError, with the help given, where there is none."""
    name, data = read_bytes(file, help=help)
    try:
        return Source(data.decode("utf-8-sig"), name)
    except UnicodeDecodeError as error:
        raise UsageError(
            "E003", f"{name} is not UTF-8 text (byte {error.start})", help="save the file as UTF-8"
        ) from None


def read_bytes(file: str, *, help: str) -> tuple[str, bytes]:
    """Return the name of a file, or of standard input for `-`, and what it holds. Raises UsageError as above."""
    name = "standard input" if file == "-" else file
    try:
        if file == "-" and sys.stdin is None:
            raise ValueError(file)
        if file == "-":
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                data = stream.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or ("it is closed" if file == "-" else "not a file name")
        raise UsageError("E003", f"cannot read {name}: {reason}", help=help) from None
    if len(data) > LARGEST:
        raise UsageError(
            "E003", f"{name} is larger than {LARGEST // 2**20} MB", help="a program is a text of statements"
        )
    return name, data
