"""The backward side of a graph: torch's nodes, the gradient that arrives at each, and what flows along each edge."""

from __future__ import annotations

import numpy as np

from gradcli.explanation.model import Explanation, Node
from gradcli.render.display_options import Asked
from gradcli.render.graph.sketch.forward import function
from gradcli.render.graph.sketch.model import Arc, Line, Vertex
from gradcli.render.graph.sketch.texts import WIDE, WIDEST, cut, numerals, tensor
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
