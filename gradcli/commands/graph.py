"""`gradcli graph`: the graph, in the terminal or for other programs."""

from __future__ import annotations

from gradcli.commands.options import Formed, Limited
from gradcli.commands.programs import Program


def command(program: Program, form: Formed, limits: Limited) -> None:
    """Draw the graph that the program builds.

    \b
    Examples:
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3 --format dot | dot -Tsvg > z.svg
    """
    with form.opened("graph") as name:
        explanation = program.explain(limits)
        if name != "json":
            return form.show("graph", name, explanation)
        from gradcli.commands.forms import chosen, renderer
        from gradcli.render.asked import asked
        from gradcli.render.documents.explanation import graph_document
        from gradcli.render.text.streams import print_document

        drawn = "tree" if form.format in (None, "json") else chosen("graph", form.format, "-")
        text = renderer("graph", drawn)(explanation, asked(form.looks))
        return print_document(graph_document(explanation, drawn, text))
