"""`gradcli eval`: the whole lesson."""

from __future__ import annotations

from typing import Annotated

import typer

from gradcli.commands.job import Job, on_a_program


@on_a_program
def command(
    job: Job,
    all: Annotated[bool, typer.Option("--all", help="Every row, however long the program.")] = False,
) -> None:
    """Explain a program at a point: forward values, local derivatives, the chain rule, the gradients.

    \b
    Examples:
      gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli eval "s=x**2; p=s+1; m=s-1; q=p*m" x=2
      gradcli eval "mean((X @ w - y)**2)" X=@data.csv w=[1,2] y=[1,2,3]
    """
    explanation = job.explain()
    if job.json:
        from gradcli.render.documents.explanation import explanation_document

        return job.print_document(explanation_document(explanation))
    from gradcli.render.lesson.page import page
    from gradcli.render.text.streams import print_text

    print_text(page(explanation, job.looks, all=all))
    return None
