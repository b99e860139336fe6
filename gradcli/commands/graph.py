"""`gradcli graph`: the graph, in the terminal or for other programs."""

from __future__ import annotations

from typing import Annotated

from gradcli.commands.declared import Option
from gradcli.commands.inputs.programs import Program
from gradcli.commands.inputs.snippets import file_of, last_pass
from gradcli.commands.options import Formed, Limited, Picture, Standalone
from gradcli.errors import UsageError


def command(
    program: Program,
    form: Formed,
    picture: Picture,
    limits: Limited,
    standalone: Standalone = False,
    all: Annotated[bool, Option("--all", help="Every node in a picture, also of a large graph.")] = False,
    animate: Annotated[bool, Option("--animate", help="An SVG that moves: each step, again and again.")] = False,
) -> None:
    """Draw the graph that a program builds, or that of the last backward pass of a snippet.

    \b
    Examples:
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3 -o z.svg
      gradcli graph train.py --of loss -o loss.svg
      gradcli graph "z=(x1+a*x2)**2" x1=1 a=2 x2=3 --format dot | dot -Tsvg > z.svg
    """
    with form.opened("graph", program.files) as name:
        if animate and (name != "svg" or picture.backward):
            raise UsageError("E001", "only an SVG of the graph moves", help="gradcli graph ... --animate -o film.svg")
        file = file_of(program)
        explanation = program.explain(limits) if file is None else last_pass(file, program.of, limits)
        if name != "json":
            return form.show(
                "graph", name, explanation, all=all, standalone=standalone, animate=animate, **picture.settings
            )
        from gradcli.commands.forms import chosen, renderer
        from gradcli.render.documents.explanation import graph_document
        from gradcli.render.text.looks import asked
        from gradcli.render.text.streams import print_document

        picture_form = "tree" if form.format in (None, "json") else chosen("graph", form.format, "-")
        text = renderer("graph", picture_form)(explanation, asked(form.looks, all=all, **picture.settings))
        return print_document(graph_document(explanation, picture_form, text))
