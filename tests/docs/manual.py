"""The manual of each command, from the help that `--help` prints: as a page for `man`, and as a page of the site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import typer

from gradcli import __version__
from gradcli.commands.parsing import COMMANDS, app

SITUATIONS = {
    "0": "Done.",
    "1": "The check ran, and the answer is no: check, verify, why.",
    "2": "The command line, the program or a file cannot be read as it is written.",
    "3": "The program cannot be evaluated, a limit was reached, or a gradient cannot be judged.",
    "4": "Some records failed, and the output is whole: batch.",
    "70": "A bug in gradcli.",
    "130": "Interrupted.",
    "141": "The reader of a pipe went away.",
}
VARIABLES = {
    "NO_COLOR": "No colour, whatever its value, unless --color says otherwise.",
    "CLICOLOR_FORCE, FORCE_COLOR": "Colour also where the output is no terminal; 0 is no.",
    "COLUMNS": "The width of the text.",
}
LEAST = re.compile(r"\s+\[[^\]]*<=x[^\]]*\]")  # the bounds of a number, in the words of a programmer


@dataclass(frozen=True)
class Manual:
    """The facts of a page: `terms` are the arguments and the options, each with what it means."""

    name: str
    usage: str
    summary: str
    description: tuple[str, ...]
    examples: tuple[str, ...]
    arguments: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]

    @property
    def file(self) -> str:
        return f"{self.name.replace(' ', '-')}.1"


def manuals() -> list[Manual]:
    """Return the manual of gradcli itself, and then that of every command."""
    group: Any = typer.main.get_command(app)
    root = group.context_class(group, info_name="gradcli", **group.context_settings)
    return [
        manual(group, root, "explain automatic differentiation, step by step"),
        *(
            manual(
                command,
                command.context_class(command, info_name=name, parent=root, **command.context_settings),
                COMMANDS[name],
            )
            for name in COMMANDS
            for command in [group.get_command(root, name)]
        ),
    ]


def manual(command: Any, context: Any, summary: str) -> Manual:
    """Return the facts of a command, as its help has them."""
    told, _, examples = command.help.partition("\b\nExamples:\n")
    arguments, options = [], []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            terms = arguments if parameter.param_type_name == "argument" else options
            terms.append((record[0], LEAST.sub("", re.sub(r"\s+", " ", record[1]))))
    return Manual(
        context.command_path,
        " ".join([context.command_path, *command.collect_usage_pieces(context)]),
        summary,
        tuple(" ".join(paragraph.split()) for paragraph in told.split("\n\n") if paragraph.strip()),
        tuple(line.strip() for line in examples.splitlines() if line.strip()),
        tuple(arguments),
        tuple(options),
    )


def roff(page: Manual) -> str:
    """Return the page that `man` shows."""
    return "\n".join([*lines_of(page), ""])


def lines_of(page: Manual) -> Iterator[str]:
    yield f'.TH {page.file[:-2].upper()} 1 "" "gradcli {__version__}" "User Commands"'
    yield from (".SH NAME", f"{escaped(page.file[:-2])} \\- {escaped(page.summary)}")
    head = escaped(page.name)
    yield from (".SH SYNOPSIS", f"\\fB{head}\\fR{escaped(page.usage.removeprefix(page.name))}")
    yield ".SH DESCRIPTION"
    yield from paragraphs(page.description)
    if page.name == "gradcli":
        yield from listed("COMMANDS", [(f"gradcli {name}", text) for name, text in COMMANDS.items()])
    yield from listed("ARGUMENTS", page.arguments)
    yield from listed("OPTIONS", page.options)
    if page.examples:
        yield from (".SH EXAMPLES", ".nf", *map(escaped, page.examples), ".fi")
    yield from listed("EXIT STATUS", SITUATIONS.items())
    yield from listed("ENVIRONMENT", VARIABLES.items())
    others = [name for name in COMMANDS if page.name != f"gradcli {name}"]
    own = [] if page.name == "gradcli" else ["gradcli"]
    names = [*own, *(f"gradcli-{name}" for name in others)]
    yield ".SH SEE ALSO"
    for name in names:
        yield f".BR {escaped(name)} (1){',' * (name != names[-1])}"


def paragraphs(texts: tuple[str, ...]) -> Iterator[str]:
    for number, text in enumerate(texts):
        if number:
            yield ".PP"
        yield escaped(text)


def listed(title: str, terms: Any) -> Iterator[str]:
    """Yield a section with what each term means."""
    if terms := list(terms):
        yield f".SH {title}"
    for term, text in terms:
        yield from (".TP", f"\\fB{escaped(term)}\\fR", escaped(text))


def escaped(text: str) -> str:
    """Return a line that means itself to roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


def markdown(page: Manual) -> str:
    """Return the page of the site."""
    parts = [f"# {page.name}", page.summary[:1].upper() + page.summary[1:] + ".", f"```text\n{page.usage}\n```"]
    parts += page.description
    if page.examples:
        parts += ["## Examples", "```sh\n" + "\n".join(page.examples) + "\n```"]
    for title, terms in (("Arguments", page.arguments), ("Options", page.options)):
        if terms:
            rows = [f"| `{cell(term)}` | {cell(text)} |" for term, text in terms]
            parts += [f"## {title}", "\n".join([f"| {title[:-1].lower()} | meaning |", "|---|---|", *rows])]
    return "\n\n".join(parts) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;") if "`" in text else text.replace("|", "\\|")
