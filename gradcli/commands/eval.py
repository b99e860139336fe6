"""`gradcli eval`: the whole lesson."""

from __future__ import annotations

from typing import Annotated

from gradcli.commands.declared import Option
from gradcli.commands.forms import WHOLE
from gradcli.commands.inputs.programs import Program
from gradcli.commands.options import Formed, Limited, Raw, Standalone, TorchNodes, Why
from gradcli.errors import UsageError


def command(
    program: Program,
    form: Formed,
    limits: Limited,
    all: Annotated[bool, Option("--all", help="Every row and entry, however long the program.")] = False,
    no_simplify: Raw = False,
    why: Why = False,
    torch_nodes: TorchNodes = False,
    standalone: Standalone = False,
    meaning: Annotated[bool, Option("--meaning", help="What a small step of each leaf does.")] = False,
    order: Annotated[
        int, Option("--order", min=1, max=2, metavar="N", help="2: the backward pass of the backward pass.")
    ] = 1,
    jacobian: Annotated[bool, Option("--jacobian", help="The Jacobian of each rule, where it is small.")] = False,
) -> None:
    """Explain a program at a point: forward values, local derivatives, the chain rule, the gradients.

    \b
    Examples:
      gradcli eval "z=(x1+a*x2)**2" x1=1 a=2 x2=3
      gradcli eval "x**3 - 2*x" x=1.5 --order 2
      gradcli eval "s=x**2; p=s+1; m=s-1; q=p*m" x=2
      gradcli eval "mean((X @ w - y)**2)" X=@data.csv w=[1,2] y=[1,2,3]
    """
    with form.opened("eval", program.files) as name:
        explanation = program.explain(limits, is_raw=no_simplify)
        if not (torch_nodes or name in WHOLE):
            from gradcli.explanation.folding import folded

            explanation = folded(explanation)
        if order == 2:
            from gradcli.explanation.folding import folded
            from gradcli.explanation.second import newton, twice

            first, seconds = explanation, [folded(second) for second in twice(explanation)]
            if name != "text" and len(seconds) > 1:
                raise UsageError("E001", f"as {name}, --order 2 is for one variable", help="choose it with --wrt")
            explanation = seconds[-1]  # which has the first pass in it
        if jacobian:
            from gradcli.explanation.derivatives.total import with_jacobians

            explanation = with_jacobians(explanation)
        if name == "json":
            from gradcli.render.documents.explanation import explanation_document
            from gradcli.render.text.streams import print_document

            return print_document(explanation_document(explanation))
        if name == "text":
            from gradcli.render.lesson.page import page
            from gradcli.render.text.streams import print_text

            if order == 2:
                from gradcli.render.lesson.page import second_pages

                return print_text(second_pages([first, *seconds], newton(first, seconds), form.looks, all=all, why=why))
            return print_text(page(explanation, form.looks, all=all, why=why, means=meaning or why))
        return form.show("eval", name, explanation, all=all, why=why, torch_nodes=torch_nodes, standalone=standalone)
