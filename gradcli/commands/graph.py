"""`gradcli graph`: the graph, in the terminal or for other programs."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from typing import Annotated

import typer

from gradcli.commands.options import Limited, Output
from gradcli.commands.programs import Program


class Format(StrEnum):
    tree = "tree"
    dot = "dot"
    mermaid = "mermaid"


def command(
    program: Program,
    output: Output,
    limits: Limited,
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
    from gradcli.render.text.streams import print_document, print_text

    explanation = program.explain(limits)
    drawn = getattr(import_module(f"gradcli.render.graph.{format}"), format)(explanation, output.looks)
    if output.json:
        from gradcli.render.documents.explanation import graph_document

        return print_document(graph_document(explanation, format, drawn))
    return print_text(drawn)
