"""`gradcli trace`: how each gradient comes about."""

from __future__ import annotations

from typing import Annotated

from gradcli.commands import completion
from gradcli.commands.declared import Option
from gradcli.commands.forms import WHOLE
from gradcli.commands.inputs.programs import Program, spelled
from gradcli.commands.options import Formed, Limited, Raw, Standalone, TorchNodes, Why, one_of


def command(
    program: Program,
    form: Formed,
    limits: Limited,
    to: Annotated[
        str | None,
        Option("--to", metavar="NAME", help="Only the gradient of this variable.", autocompletion=completion.variables),
    ] = None,
    paths: Annotated[bool, Option("--paths", help="Every path from the output, its product, and the sum.")] = False,
    limit: Annotated[int, Option("--limit", min=1, metavar="N", help="How many paths are listed.")] = 20,
    all: Annotated[bool, Option("--all", help="Every row and entry, however long the program.")] = False,
    no_simplify: Raw = False,
    why: Why = False,
    torch_nodes: TorchNodes = False,
    standalone: Standalone = False,
) -> None:
    """Derive each gradient: in symbols, with numbers put in, and the result.

    \b
    Examples:
      gradcli trace "z=(x1+a*x2)**2" x1=1 a=2 x2=3 --to x1
      gradcli trace "q=(x**2+1)*(x**2-1)" x=2 --paths
      gradcli trace "mean((X @ w - y)**2)" X:n,d w:d y:n --to w
    """
    from gradcli.explanation.folding import folded

    with form.opened("trace", program.files) as name:
        explanation = program.explain(limits, is_raw=no_simplify, takes_shapes=True)
        if not (torch_nodes or name in WHOLE):
            explanation = folded(explanation)
        names = [leaf.name for leaf in explanation.leaves]
        chosen = names if to is None else [one_of("variable", spelled(to), names)]
        from gradcli.explanation.chain.links import trace

        traces = [trace(explanation, leaf_name, limit if paths else None) for leaf_name in chosen]
        if name == "json":
            from gradcli.render.lesson.trace import trace_document
            from gradcli.render.text.streams import print_document

            return print_document(trace_document(explanation, traces))
        if name == "text":
            from gradcli.render.lesson.trace import trace_page
            from gradcli.render.text.streams import print_missing, print_text

            print_missing(explanation)
            return print_text(trace_page(explanation, traces, form.looks, all=all, why=why))
        return form.show(
            "trace", name, explanation, traces, all=all, why=why, torch_nodes=torch_nodes, standalone=standalone
        )
