"""What a shell may complete a beginning to, beside options and files; whatever fails completes to nothing."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli.language.tree import Program


def forms(ctx: Any, incomplete: str) -> list[str]:
    """Return the forms of the output that the command has."""
    from gradcli.commands.forms import FORMS

    command = ctx.info_name or ""
    return beginning(incomplete, [name for name, form in FORMS.items() if command in form.renderers])


def causes(incomplete: str) -> list[str]:
    """Return the codes of findings."""
    from gradcli.findings.catalogue import CATALOGUE

    return beginning(incomplete, CATALOGUE)


def variables(ctx: Any, incomplete: str) -> list[str]:
    """Return the variables of the program that was typed; of several with commas the last is completed."""
    from gradcli.explanation.values import Variables

    program = _program(ctx)
    before, comma, last = incomplete.rpartition(",")
    names = [] if program is None else list(Variables.of(program).places)
    return [f"{before}{comma}{name}" for name in beginning(last, names) if name not in before.split(",")]


def outputs(ctx: Any, incomplete: str) -> list[str]:
    """Return the names that the program which was typed computes."""
    program = _program(ctx)
    return beginning(incomplete, [s.target for s in program.statements if s.target] if program is not None else [])


def _program(ctx: Any) -> Program | None:
    """Return the program on the command line or in its file, None where there is none that can be read."""
    from gradcli.language.parser import parse_program
    from gradcli.source import Source

    file = ctx.params.get("file")
    words = [*(ctx.params.get("arguments") or ()), *ctx.args]  # the latter where an option has no value yet
    with suppress(Exception):
        return parse_program(Source(words[0] if file is None else Path(file).read_text(encoding="utf-8-sig")))
    return None


def beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
