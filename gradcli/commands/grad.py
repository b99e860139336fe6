"""`gradcli grad`: the gradients alone, for scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.commands.options import Limited, Output, Raw
from gradcli.commands.programs import Program


def command(
    program: Program,
    output: Output,
    limits: Limited,
    symbolic: Annotated[bool, typer.Option("--symbolic", help="Formulas; variables need no values.")] = False,
    no_simplify: Raw = False,
) -> None:
    """Print the gradient of every variable, one a line.

    \b
    Examples:
      gradcli grad "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli grad --symbolic "z=(x1+a*x2)**2"
    """
    from gradcli.render.documents.explanation import formulas_document, gradients_document
    from gradcli.render.lesson.gradients import formulas, gradients
    from gradcli.render.text.streams import print_document, print_text

    explanation = program.explain(limits, is_symbolic=symbolic, is_raw=no_simplify or not symbolic)
    if output.json:
        return print_document((formulas_document if symbolic else gradients_document)(explanation))
    return print_text(
        formulas(explanation, output.looks) if symbolic else gradients(explanation, output.looks, output.precision)
    )
