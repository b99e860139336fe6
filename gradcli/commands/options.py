"""The options that commands share: each group is a dataclass, which a command takes as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar

from gradcli.commands import completion
from gradcli.commands.declared import Option
from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.source import docstring

if TYPE_CHECKING:
    from gradcli.render.text.looks import Looks
    from gradcli.workers.limits import Limits


T = TypeVar("T")

FORMS, TO = "FORMS", "TO"  # in place of which stands what `forms` says for a command
Raw = Annotated[bool, Option("--no-simplify", help="Formulas as the rules give them.")]
TorchNodes = Annotated[bool, Option("--torch-nodes", help="Each node of torch, also what it inserts by itself.")]
Why = Annotated[bool, Option("--why", help="In text and Markdown why rules hold: in words, and one entry in numbers.")]
Standalone = Annotated[bool, Option("--standalone", help="Of LaTeX a document that compiles by itself.")]


class Color(StrEnum):
    auto = "auto"
    always = "always"
    never = "never"


class ErrorFormat(StrEnum):
    full = "full"
    concise = "concise"
    json = "json"


@dataclass(frozen=True)
class Console:
    """The looks of text in a terminal, and the form of errors."""

    color: Annotated[Color, Option("--color", help="Colour in the text output.")] = Color.auto
    ascii: Annotated[bool, Option("--ascii", help="Plain ASCII: d and * for ∂ and ·.")] = False
    error_format: Annotated[ErrorFormat, Option("--error-format", help="The form of errors.")] = ErrorFormat.full
    debug: Annotated[bool, Option("--debug", hidden=True)] = False

    @property
    def looks(self) -> Looks:
        from gradcli.render.text.looks import looks

        return looks(color=self.color, ascii=self.ascii)


@dataclass(frozen=True)
class Output(Console):
    """The form of the output: text with so many digits, or one JSON document."""

    precision: Annotated[
        int | None,
        Option(
            "--precision",
            min=1,
            max=17,
            metavar="N",
            help="Significant digits in the text output. [default: 6; grad: all]",
        ),
    ] = None
    json: Annotated[bool, Option("--json", help="One JSON document on standard output.")] = False

    @property
    def looks(self) -> Looks:
        usual = super().looks
        return usual if self.precision is None else replace(usual, precision=self.precision)


@dataclass(frozen=True)
class Formed(Output):
    """The form of the output, and the file that it goes to; the help of both is made from the forms of the command."""

    format: Annotated[str | None, Option("--format", metavar="NAME", help=FORMS, autocompletion=completion.forms)] = (
        None
    )
    destination: Annotated[str, Option("-o", "--output", metavar="FILE", help=TO)] = "-"

    @contextmanager
    def opened(self, command: str, inputs: Iterable[str]) -> Iterator[str]:
        """Give the name of the form, and let standard output go to the file; it is written when all is done.

        Raises UsageError for a form that the command has not, where the file cannot be written, and where it is one of
        the files that are read.
        """
        from gradcli.workers.child import output_to
        from gradcli.workers.files import refuse_overwriting

        form = self.chosen(command)
        refuse_overwriting(self.destination, inputs)
        with output_to(self.destination):
            yield form

    def chosen(self, command: str) -> str:
        """Return the name of the form. Raises UsageError for a form that the command does not have."""
        from gradcli.commands.forms import chosen

        if self.json and self.format not in (None, "json") and command != "graph":  # whose document has a text
            raise UsageError("E001", f"--json does not go with --format {self.format}", help="leave out one of them")
        return chosen(command, "json" if self.json else self.format, self.destination)

    def show(self, command: str, form: str, *facts: Any, **settings: Any) -> None:
        """Print the facts in a form."""
        from gradcli.commands.forms import renderer
        from gradcli.render.text.looks import asked
        from gradcli.render.text.streams import print_missing, print_text

        print_missing(facts[0])
        print_text(renderer(command, form)(*facts, asked(self.looks, **settings)))


@dataclass(frozen=True)
class Reported(Formed):
    """Options of output for a command that also writes reports."""

    destination: Annotated[
        str,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write to a file, or a file a student to a FOLDER/; of html and markdown the class has an index in "
            "FOLDER-class/.",
        ),
    ] = "-"

    @property
    def is_folder(self) -> bool:
        """Whether a folder is to be filled."""
        from gradcli.workers.files import is_folder

        return is_folder(self.destination)


def seconds(text: str) -> float:
    """Return the seconds that an option says; a limit that a clock cannot hold is none."""
    from gradcli.workers.limits import read_seconds

    try:
        return read_seconds(text)
    except ValueError as error:
        from typer import BadParameter

        raise BadParameter(str(error)) from None


def memory(text: str) -> int:
    """Return the bytes that an option such as `512M` says, enough for an interpreter."""
    from gradcli.workers.limits import LEAST

    return size(text, LEAST)


def size(text: str, minimum: int = 0) -> int:
    """Return the bytes that an option such as `512M` says."""
    from gradcli.workers.limits import read_size

    try:
        return read_size(text, minimum)
    except ValueError as error:
        from typer import BadParameter

        raise BadParameter(str(error)) from None


@dataclass(frozen=True)
class Walled:
    """The walls that are required around work for strangers."""

    require_sandbox: Annotated[
        bool, Option("--require-sandbox", help="Refuse work where a wall is missing: see --version --verbose.")
    ] = False

    def __post_init__(self) -> None:
        if self.require_sandbox:
            from gradcli.workers.confinement import require_processes
            from gradcli.workers.sandbox.lock import require

            require()
            require_processes()


@dataclass(frozen=True)
class Limited(Walled):
    """The limits of a command that works in a child process."""

    timeout: Annotated[
        float,
        Option("--timeout", parser=seconds, metavar="SECONDS", help="Wall time from the start of the work."),
    ] = "60"  # type: ignore[assignment]  # read as an option is
    max_memory: Annotated[
        int, Option("--max-memory", parser=memory, metavar="SIZE", help="Memory of the process, such as 512M.")
    ] = "1G"  # type: ignore[assignment]  # read as an option is
    max_output: Annotated[
        int, Option("--max-output", parser=size, metavar="SIZE", help="Output; a longer text is cut.")
    ] = "64M"  # type: ignore[assignment]

    @classmethod
    def usual(cls) -> Self:
        """Return the limits where no option says others."""
        return cls(timeout=seconds(cls.timeout), max_memory=memory(cls.max_memory), max_output=size(cls.max_output))  # type: ignore[arg-type]

    def begin(self, reader: Callable[[], T]) -> T:
        """Read what the work is about, and hold the process to its limits from then on; return what was read."""
        from gradcli.workers.child import begin
        from gradcli.workers.limits import Limits

        return begin(Limits(self.timeout, self.max_memory, self.max_output), reader)


@dataclass(frozen=True)
class ItemLimited(Walled):
    """The limits of each item of a command that works on many, in child processes."""

    item_timeout: Annotated[
        float, Option("--item-timeout", parser=seconds, metavar="SECONDS", help="Processor time for each item.")
    ] = "10"  # type: ignore[assignment]  # read as an option is
    item_memory: Annotated[
        int, Option("--item-memory", parser=memory, metavar="SIZE", help="Memory of a process, such as 512M.")
    ] = "1G"  # type: ignore[assignment]  # read as an option is

    @property
    def of_item(self) -> Limits:
        from gradcli.workers.limits import Limits

        return Limits(self.item_timeout, self.item_memory, option="--item-timeout")


def with_options(command: Callable[..., int | None], name: str = "") -> Callable[..., int | None]:
    """Give a command of this name the options of its groups in place of the parameters that are groups."""
    parameters = inspect.signature(command, eval_str=True).parameters
    groups: dict[str, Any] = {name: p.annotation for name, p in parameters.items() if is_dataclass(p.annotation)}
    options = {name: inspect.signature(group, eval_str=True).parameters for name, group in groups.items()}

    def run(**arguments: Any) -> int | None:
        arguments = {name: unmasked(value) for name, value in arguments.items()}
        for name, group in groups.items():
            arguments[name] = group(**{option: arguments.pop(option) for option in options[name]})
        return command(**arguments)

    flat_options = [option for name, p in parameters.items() for option in options.get(name, {name: p}).values()]
    public = [made(option, name).replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in flat_options]
    run.__signature__ = inspect.Signature(public)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in public}
    run.__doc__ = docstring(command)
    return run


def made(parameter: inspect.Parameter, command: str) -> inspect.Parameter:
    """Return a parameter with typer's option for what declares it; the help of some is about the forms of a command."""
    declared: Any = next(iter(getattr(parameter.annotation, "__metadata__", ())), None)
    if declared is None:
        return parameter
    option = declared.made()
    if option.help in (FORMS, TO):
        from gradcli.commands.forms import options_help

        option.help = options_help(command)[option.help == FORMS]
    return parameter.replace(annotation=Annotated[parameter.annotation.__origin__, option])


def unmasked(value: Any) -> Any:
    """Return an argument without the space that `cli.masked` puts before a leading minus."""
    if isinstance(value, list):
        return [unmasked(argument) for argument in value]
    return value[1:] if isinstance(value, str) and value.startswith(" -") else value


def one_of(name: str, choice: str, names: list[str]) -> str:
    """Return a word that is among the names; UsageError, which suggests the closest name, for another word."""
    from gradcli.source import did_you_mean

    if choice in names:
        return choice
    close = did_you_mean(choice, names)
    raise UsageError(
        "E008",
        f"there is no {name} {choice!r}",
        help=f"did you mean {close}?" if close else f"there are {', '.join(names)}",
    )


# The options of pictures of a graph.


class Detail(StrEnum):
    name = "name"
    default = "default"
    full = "full"


class Values(StrEnum):
    auto = "auto"
    none = "none"
    shape = "shape"
    full = "full"


class Direction(StrEnum):
    LR = "LR"
    TB = "TB"


@dataclass(frozen=True)
class Picture:
    """The content of a picture, and its direction."""

    detail: Annotated[
        Detail, Option("--detail", help="In a box: the name, value and gradient too, or torch's attributes.")
    ] = Detail.default
    values: Annotated[
        Values, Option("--values", help="Tensors by numbers or shape; auto has numbers up to 6 entries.")
    ] = Values.auto
    direction: Annotated[
        Direction | None, Option("--direction", help="Left to right, or top down. [default: by depth]")
    ] = None
    backward: Annotated[bool, Option("--backward", help="Also torch's nodes, and what flows back.")] = False

    @property
    def settings(self) -> dict[str, Any]:
        direction = self.direction and self.direction.value
        return {
            "detail": self.detail.value, "values": self.values.value, "direction": direction, "backward": self.backward,
        }  # fmt: skip
