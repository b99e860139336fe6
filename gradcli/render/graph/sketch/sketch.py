"""The sketch of an explanation, in the detail that is asked for."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation, Node
from gradcli.render.display_options import Asked
from gradcli.render.graph.sketch.folded import folded_sketch
from gradcli.render.graph.sketch.forward import Sketcher, function
from gradcli.render.graph.sketch.model import WIDE, WIDEST, Arc, Line, Sketch, Vertex, cut, numerals, tensor
from gradcli.source import visible


def backward_side(explanation: Explanation, asked: Asked) -> tuple[list[Vertex], list[Arc]]:
    """Return the nodes of the backward pass, AccumulateGrad for leaves, and the contributions between them."""
    nodes = {node.id: node for node in explanation.nodes}
    reached = dict.fromkeys([explanation.output, *(step.input for step in explanation.steps)])
    vertices = [_vertex(nodes[id], asked) for id in reached]
    entering = tensor(explanation.upstream, asked)
    first = f"the gradient {entering} enters at {visible(explanation.output)}"
    arcs = [Arc(explanation.output, _id(explanation.output), "grad_fn", first, flows=False, is_backward=True)]
    for step in explanation.steps:
        label = tensor(step.contribution, asked)
        told = f"the contribution {label} goes from {visible(step.node)} to {visible(step.input)}"
        if len(label) > WIDE:
            label = f"shape {np.shape(step.contribution)}"
        shown = "" if asked.detail == "name" or asked.values == "none" else label
        arcs.append(Arc(_id(step.node), _id(step.input), shown, told, is_backward=True))
    return vertices, arcs


def _vertex(node: Node, asked: Asked) -> Vertex:
    name, made_by = cut(visible(node.name), WIDEST, asked), function(node, asked) or "AccumulateGrad"
    gradient = tensor(node.grad, asked)
    lines = [Line(made_by, "name")]
    if asked.detail != "name" and asked.values != "none":
        written = [gradient] if node.grad is None else numerals(node.grad, asked)
        lines.append(Line(f"{name}.grad {written[0]}" if node.is_leaf else f"grad {written[0]}", "grad"))
        lines.extend(Line(row, "grad") for row in written[1:])
    return Vertex(_id(node.id), "backward", tuple(lines), f"{made_by} of {name}: gradient {gradient}")


def _id(node: str) -> str:
    """Return an id that no tensor has."""
    return f"backward of {node}"


def sketch(explanation: Explanation, asked: Asked, largest: float = inf) -> Sketch:
    """Return the boxes and edges, of operations as they were written, or with the backward side as torch has them.

    Of a large graph statements are boxes, unless `all` is asked for. Raises EvaluationError for more boxes than the
    `largest` picture has.
    """
    if not asked.backward:
        explanation = folded(explanation)
    sketcher = Sketcher(explanation, asked)
    if not asked.all and len(sketcher.drawn) > asked.most:
        folding = folded_sketch(sketcher, largest)
        if isinstance(folding, int):
            raise too_large(folding, asked)
        return folding
    if len(sketcher.drawn) > largest:
        raise too_large(len(sketcher.drawn), asked)
    found = sketcher.sketch()
    if not asked.backward or not explanation.steps:
        return found
    vertices, arcs = backward_side(explanation, asked)
    return replace(found, vertices=(*found.vertices, *vertices), arcs=(*found.arcs, *arcs))


def too_large(boxes: int, asked: Asked) -> EvaluationError:
    return EvaluationError(
        "E210",
        f"the picture would have {boxes:,} boxes, or edges that are too long to draw",
        help=f"draw the graph of an intermediate with --of NAME{', or leave out --all' * asked.all}",
    )
