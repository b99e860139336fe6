"""`gradcli ops`: the reference of operations."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.commands.options import Output, one_of


def completed(incomplete: str) -> list[str]:
    """The operations that a shell may complete a beginning to."""
    from gradcli.language.catalogue import FAMILY_OF

    return sorted(name for name in FAMILY_OF if name.startswith(incomplete))


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One operation; without it, the list.", autocompletion=completed),
    ] = None,
    *,
    output: Output,
) -> None:
    """List the operations, or show one: its arguments, its derivative rules, where it has kinks.

    \b
    Examples:
      gradcli ops
      gradcli ops softmax
    """
    from gradcli.explanation.reference import operations, references
    from gradcli.render.lesson.operations import operation_page, operations_document, operations_page
    from gradcli.render.text.streams import print_document, print_text

    chosen = list(operations()) if name is None else [one_of("operation", name, list(operations()))]
    if output.json:
        print_document(operations_document(references(chosen)))
    elif name is None:
        print_text(operations_page(output.looks))
    else:
        print_text(operation_page(references(chosen)[0], output.looks))
