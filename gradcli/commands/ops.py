"""`gradcli ops`: the reference of operations."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.commands.job import Color, one_of


def completed(incomplete: str) -> list[str]:
    """The operations that a shell may complete a beginning to."""
    from gradcli.ops.support.catalogue import FAMILY_OF

    return sorted(name for name in FAMILY_OF if name.startswith(incomplete))


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One operation; without it, the list.", autocompletion=completed),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")] = False,
    color: Annotated[Color, typer.Option("--color", help="Colour in the text output.")] = Color.auto,
    ascii: Annotated[bool, typer.Option("--ascii", help="Plain ASCII.")] = False,
    debug: Annotated[bool, typer.Option("--debug", hidden=True)] = False,
) -> None:
    """List the operations, or show one: its arguments, its derivative rules, where it has kinks.

    \b
    Examples:
      gradcli ops
      gradcli ops softmax
    """
    from gradcli.explanation.reference import operations, references
    from gradcli.render.lesson.operations import operation_page, operations_document, operations_page
    from gradcli.render.text.looks import looks
    from gradcli.render.text.streams import print_document, print_text

    chosen = list(operations()) if name is None else [one_of("operation", name, list(operations()))]
    look = looks(color=color.value, ascii=ascii, precision=6)
    if json:
        print_document(operations_document(references(chosen)))
    elif name is None:
        print_text(operations_page(look))
    else:
        print_text(operation_page(references(chosen)[0], look))
