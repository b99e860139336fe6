"""Command lines with options, read by typer: its commands are made from what ours declare."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from gradcli import __version__
from gradcli.commands.options import with_options
from gradcli.errors import CODES, GradcliError, UsageError

# One module of gradcli.commands each; it is imported when the command runs, for start-up is what users feel.
COMMANDS = {
    "eval": "the whole lesson: forward values, local derivatives, chain rule, gradients",
    "grad": "the gradients alone, one a line; --symbolic for the formulas",
    "trace": "the derivation of each gradient; --paths for every path of the chain rule",
    "graph": "the graph as a tree, or as a picture: SVG, Graphviz, Mermaid",
    "plot": "a function and its derivative as a curve, or contours of two variables with gradients and descent",
    "verify": "each gradient three ways: chain rule, engine, difference quotients",
    "run": "a PyTorch snippet on the internal engine, without torch; --explain tells what autograd did",
    "why": "why a gradient is None, zero, nan or doubled, and why a network does not learn: the cause first",
    "check": "homework: verdicts, and the mistake behind a wrong answer",
    "practice": "exercises at the terminal, one quantity at a time, with the mistake behind a wrong answer",
    "batch": "one program at many points: JSON Lines or CSV in, the same out",
    "ops": "every operation with its derivative rules",
    "schema": "the JSON Schemas of what --json prints",
}
HELP = """\
Explain automatic differentiation, step by step.

\b
Examples:
  gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3
  gradcli eval "q=(x**2+1)*(x**2-1)" x=2 --json
  gradcli grad "mean((X @ w - y)**2)" X=[[1,2],[3,4]] w=[1,1] y=[1,2]
  gradcli grad --symbolic "sigmoid(w*x + b)"
  gradcli trace "s=x**2; (s+1)*(s-1)" x=2 --paths
  gradcli verify "exp(-x**2)*sin(x)" x=0.7
  gradcli ops softmax
  gradcli run lesson.py --explain
  gradcli why lesson.py
  gradcli check week1.toml answers/
"""
SHORT_OPTIONS = {"-f", "-h", "-i", "-o", "-q"}
ALONE = {"-v"}  # an option before a command, behind one a program


class Commands(TyperGroup):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what each command is for, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name == "help":  # which `help_as_option` reads; here it is completed
            return helping()
        if cmd_name not in COMMANDS:
            return None
        command = with_options(import_module(f"gradcli.commands.{cmd_name}").command, cmd_name)
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name, context_settings={"help_option_names": ["-h", "--help"]})(command)
        built = typer.main.get_command(single)
        built.short_help = COMMANDS[cmd_name]
        return built


def helping() -> Any:
    """Return a command that completes the topics of `gradcli help`: commands, and codes of errors."""
    single = typer.Typer(add_completion=False)

    def helped(incomplete: str) -> list[str]:
        return [name for name in (*COMMANDS, *CODES) if name.startswith(incomplete)]

    @single.command("help", hidden=True)
    def _(topic: str = typer.Argument("", autocompletion=helped)) -> None: ...

    return typer.main.get_command(single)


app = typer.Typer(
    cls=Commands,
    help=HELP,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(ctx: typer.Context, is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"gradcli {__version__}")
        if ctx.params.get("verbose"):
            from gradcli.workers.sandbox.lock import walls_text

            typer.echo(walls_text())
        raise typer.Exit


@app.callback()
def _gradcli(
    version: bool = typer.Option(False, "--version", "-v", callback=_version, help="Show the version and exit."),
    verbose: bool = typer.Option(
        False, "--verbose", is_eager=True, help="With --version: the walls around strangers' work."
    ),
) -> None:
    """The options before a command; each acts in its own callback."""


def parsed(argv: Sequence[str]) -> int:
    """Run a command line. Raises UsageError for one that is not understood, KeyboardInterrupt where it was ended."""
    if argv and argv[0].endswith("-completion"):
        take_a_shell(argv[1:])
    command = typer.main.get_command(app)
    try:
        code = command(masked(help_as_option(argv) or ["--help"]), prog_name="gradcli", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort as stop:
        if isinstance(stop.__cause__, EOFError):  # of anything that ended too early; typer takes it for an answer
            raise stop.__cause__ from None
        raise KeyboardInterrupt from None
    except Exception as error:
        refusal = usage_error(error)
        if refusal is None:
            raise
        raise refusal from None
    return int(code or 0)


def take_a_shell(names: Sequence[str]) -> None:
    """Let typer's options of completion take the name of a shell, and their script for zsh serve the first Tab, too."""
    from typer._completion_shared import _completion_scripts

    if names:
        os.environ["_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION"] = "1"
    _completion_scripts["zsh"] += "\nif [[ $funcstack[1] == _%(prog_name)s ]]; then %(complete_func)s; fi"


def masked(argv: Sequence[str]) -> list[str]:
    """Put a space before programs such as `-x+1`, which are no options; `options.unmasked` takes it away."""
    options = SHORT_OPTIONS | ALONE
    arguments = [f" {a}" if re.match(r"-[^-]", a) and a not in SHORT_OPTIONS else a for a in argv]
    return [argv[0], *arguments[1:]] if argv[0] in options else arguments


def help_as_option(argv: Sequence[str]) -> Sequence[str]:
    """Return a command line as it is understood: `help eval` is `eval --help`."""
    if argv[:1] != ["help"]:
        return argv
    return [*(argument for argument in argv if argument not in ("help", "--help", "-h")), "--help"]


def usage_error(error: Exception) -> GradcliError | None:
    """Return the error for a refusal of the option parser; None for any other exception."""
    if not hasattr(error, "format_message"):
        return None
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "gradcli"
    text = error.format_message().partition(" Did you mean ")[0].partition(" (Possible ")[0].rstrip(".")
    text = text.replace("a valid int range", "a whole number")
    close = list(getattr(error, "possibilities", None) or [])
    if text.startswith("No such command"):
        return _unknown_command(text.partition("'")[2].rstrip("'"))
    suggestion = f"did you mean {close[0]}?" if close else f"see {path} --help"
    if text.startswith("No such option"):
        from gradcli.commands.forms import FORMS

        name, command = text.rpartition("--")[2].strip("'\""), path.rpartition(" ")[2]
        if name in FORMS and command in FORMS[name].renderers:
            suggestion = f"write --format {name}"
        elif not close and (commands := _with_option(context, f"--{name}")):
            suggestion = f"it is an option of {', '.join(f'gradcli {name_}' for name_ in commands)}"
    return UsageError("E001", text[:1].lower() + text[1:], help=suggestion)


def _with_option(context: Any, option: str) -> list[str]:
    """Return the commands that have an option."""
    root = context.find_root() if context is not None else None
    if root is None or not hasattr(root.command, "list_commands"):
        return []
    commands = [(name, root.command.get_command(root, name)) for name in root.command.list_commands(root)]
    return [name for name, command in commands if command and any(option in p.opts for p in command.params)]


def _unknown_command(name: str) -> GradcliError:
    """Return the error for a misspelt command, or for a program without one."""
    from gradcli.source import did_you_mean

    name = name.strip()
    close = did_you_mean(name, COMMANDS)
    if not close and not name.isidentifier():
        return UsageError("E001", f"'{name}' is no command", help="to explain a program, write gradcli eval PROGRAM")
    hint = f"did you mean {close}?" if close else f"the commands are {', '.join(COMMANDS)}"
    return UsageError("E001", f"no such command: {name}", help=hint)
