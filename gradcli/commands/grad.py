"""`gradcli grad`: the gradients alone, for scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.commands.job import Job, on_a_program


@on_a_program
def command(
    job: Job,
    symbolic: Annotated[bool, typer.Option("--symbolic", help="Formulas; variables need no values.")] = False,
) -> None:
    """Print the gradient of every variable, one a line.

    \b
    Examples:
      gradcli grad "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli grad --symbolic "z=(x1+a*x2)**2"
    """
    from gradcli.render.lesson.gradients import formulas, gradients
    from gradcli.render.text.streams import print_text

    explanation = job.symbolic() if symbolic else job.explain()
    if job.json:
        from gradcli.render.documents.explanation import formulas_document, gradients_document

        return job.print_document((formulas_document if symbolic else gradients_document)(explanation))
    print_text(formulas(explanation) if symbolic else gradients(explanation))
    return None
