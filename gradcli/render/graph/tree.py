"""The backward graph as text: the output at the top, and below each node what its gradient flows into.

At each node stand its value, its gradient, and torch's name of it; at each edge the local derivative.

q = v1·x = 27   gradient 1    MulBackward0
├── ×3  v1 = x**2 = 9   gradient 3    PowBackward0
│   └── ×6  x = 3   gradient 27    AccumulateGrad
└── ×9  ↑ see x
"""

from __future__ import annotations

from collections import deque
from functools import partial

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation, Local, Node
from gradcli.explanation.steps.walk import edges
from gradcli.facts import dataclass
from gradcli.language.tree import Number
from gradcli.language.unparser import unparse
from gradcli.render.lesson.readable import label
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import MOST
from gradcli.render.text.wrapping import lines_of
from gradcli.source import visible

LEVELS = 16  # deeper than this a tree goes on below, from the left margin


@dataclass(frozen=True, slots=True)
class Strokes:
    branch: str
    last: str
    past: str
    blank: str
    above: str
    below: str


LINES = Strokes("├── ", "└── ", "│   ", "    ", "↑ see", "↓ see")
ASCII = Strokes("|-- ", "`-- ", "|   ", "    ", "^ see", "v see")


def tree(explanation: Explanation, looks: Looks) -> str:
    """Return the graph below the output, one node a line; a node shown above is a reference, `↑ see v2`.

    Only edges that a gradient crosses are drawn, so constants appear in the expressions alone. A node deeper than
    `LEVELS` is a reference downwards, `↓ see v9`, to a tree of its own: the text stays linear in the graph.
    """
    explanation = folded(explanation)
    nodes, terms = {node.id: node for node in explanation.nodes}, Terms(explanation, looks)
    strokes = ASCII if looks.ascii else LINES
    levels = LEVELS if looks.width is None else min(LEVELS, looks.width // (3 * len(strokes.blank)))
    lines: list[str] = []

    def write(text: str, before: str, margin: str, stroke: str = " ") -> None:
        room, indent = None if looks.width is None else looks.width - len(before), len(strokes.blank)
        first, *more = (line for row in text.split("\n") for line in lines_of(row, room, indent))
        lines.extend([before + first, *(margin + stroke + line[1:] for line in more)])

    shown: set[str] = set()
    roots = deque([explanation.output])
    postponed = set(roots)
    while roots:
        root = roots.popleft()
        if root in shown:  # a shorter way led to it
            continue
        if lines:
            lines.append("")
        stack = [(root, "", "", "")]  # a node, what precedes it on its line, and its children, and the edge to it
        while stack:
            id, before, margin, edge = stack.pop()
            node = nodes[id]
            if id in shown:
                write(f"{edge}{strokes.above} {visible(node.name)}", before, margin)
                continue
            below = [(edge.source, local) for edge, local in edges(node) if local is not None]
            if below and len(margin) >= levels * len(strokes.blank):
                write(f"{edge}{strokes.below} {visible(node.name)}", before, margin)
                if id not in postponed:
                    postponed.add(id)
                    roots.append(id)
                continue
            shown.add(id)
            text = f"{_written(edge, node, terms)}  {_function(node)}"
            write(text, before, margin, strokes.past[0] if below else " ")
            for position, (source, local) in reversed(list(enumerate(below, start=1))):
                end = position == len(below)
                stroke = strokes.last if end else strokes.branch
                slope = f"{_slope(local, terms)}  " if explanation.sizes is None else ""
                stack.append((source, margin + stroke, margin + (strokes.blank if end else strokes.past), slope))
    return "\n".join(lines)


def _written(edge: str, node: Node, terms: Terms) -> str:
    """Return the definition of a node with its value and its gradient; the rows of a matrix stand below each other."""
    name, text = visible(node.name), terms.typed(node.expression)
    head = edge + (name if text == name else f"{name} = {text}")
    gradient = terms.explanation.without_dust(node.id, node.grad)
    write = terms.grid if max(node.shape, default=0) <= MOST else terms.value
    values = [] if head.endswith(f"= {write(node.value)}") else [(" = ", write(node.value))]
    values += [] if gradient is None else [("   gradient ", write(gradient))]
    for word, value in values:
        is_below = "\n" in value + head and word != " = "
        head += ("\n" + " " * len(edge)) * is_below + word
        start = len(head) - head.rfind("\n") - 1
        head += value.replace("\n", "\n" + " " * start)
    return head


def _slope(local: Local, terms: Terms) -> str:
    """Return the local derivative before the input that it is by, or the rule of tensors."""
    formula, value = local.formula, local.value
    if formula is None or value is None or (np.ndim(value) and not isinstance(formula, Number)):
        write, ranks = partial(unparse, multiply=terms.looks.times), terms.ranks | terms.arriving(local)
        return f"[{visible(label(local.rule, ranks, write, terms.entrywise))}]"
    number = terms.formula(formula) if np.ndim(value) else terms.number(value)
    return f"{'*' if terms.looks.ascii else '×'}{factor(number)}"


def _function(node: Node) -> str:
    if node.grad_fn is not None:
        return node.grad_fn
    return "AccumulateGrad" if node.requires_grad else "no grad_fn"
