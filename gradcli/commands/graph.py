"""`gradcli graph`: the graph, in the terminal or for other programs."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gradcli.commands.job import Job, on_a_program


class Format(StrEnum):
    tree = "tree"
    dot = "dot"
    mermaid = "mermaid"


@on_a_program
def command(
    job: Job,
    format: Annotated[
        Format, typer.Option("--format", help="A tree to read, or Graphviz or Mermaid source.")
    ] = Format.tree,
) -> None:
    """Draw the graph that the program builds.

    \b
    Examples:
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3 --format dot | dot -Tsvg > z.svg
    """
    from importlib import import_module

    explanation = job.explain()
    drawn = getattr(import_module(f"gradcli.render.graph.{format.value}"), format.value)(explanation, job.looks)
    if job.json:
        from gradcli.render.documents.explanation import graph_document

        return job.print_document(graph_document(explanation, format.value, drawn))
    from gradcli.render.text.streams import print_text

    print_text(drawn)
    return None
