"""The backward graph as text: the output at the top, and below each node what its gradient flows into.

At each node stand its value, its gradient, and torch's name of it; at each edge the local derivative.

q = v1·x = 27   gradient 1    MulBackward0
├── ×3  v1 = x**2 = 9   gradient 3    PowBackward0
│   └── ×6  x = 3   gradient 27    AccumulateGrad
└── ×9  ↑ see x
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial

import numpy as np

from gradcli.explanation.model import Explanation, Local, Node
from gradcli.facts import dataclass
from gradcli.language.unparser import unparse
from gradcli.render.graph.labels import edges, equation
from gradcli.render.lesson.readable import ENTRYWISE, label
from gradcli.render.lesson.terms import factor
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.render.text.wrapping import lines_of
from gradcli.source import visible

VALUE = 40  # characters of a gradient
FEW = 6  # entries of a local derivative that are written
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
    nodes = {node.id: node for node in explanation.nodes}
    strokes = ASCII if looks.ascii else LINES
    ranks = {node.id: len(node.shape) for node in explanation.nodes}
    levels = LEVELS if looks.width is None else min(LEVELS, looks.width // (3 * len(strokes.blank)))
    lines: list[str] = []

    def write(text: str, before: str, margin: str, stroke: str = " ") -> None:
        first, *more = lines_of(text, None if looks.width is None else looks.width - len(before), len(strokes.blank))
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
            below = [(source, local) for source, local in edges(node) if local is not None]
            if below and len(margin) >= levels * len(strokes.blank):
                write(f"{edge}{strokes.below} {visible(node.name)}", before, margin)
                if id not in postponed:
                    postponed.add(id)
                    roots.append(id)
                continue
            shown.add(id)
            told = f"{edge}{equation(node, looks)}{_gradient(node, looks)}  {_function(node)}"
            write(told, before, margin, strokes.past[0] if below else " ")
            for position, (source, local) in reversed(list(enumerate(below, start=1))):
                end = position == len(below)
                stroke = strokes.last if end else strokes.branch
                known = ranks | {explanation.upstream_name: len(node.shape)}
                slope = f"{_slope(local, looks, known)}  " if explanation.sizes is None else ""
                stack.append((source, margin + stroke, margin + (strokes.blank if end else strokes.past), slope))
    return "\n".join(lines)


def _gradient(node: Node, looks: Looks) -> str:
    """Return the gradient behind the value of a node."""
    if node.grad is None:
        return ""
    return f"   gradient {short(node.grad, looks.precision, ascii=looks.ascii, width=VALUE)}"


def _slope(local: Local, looks: Looks, ranks: Mapping[str, int]) -> str:
    """Return the local derivative before the input that it is by, or the rule where it is no product."""
    if local.formula is None or np.asarray(local.value).size > FEW:
        write = partial(unparse, multiply=looks.times)
        return f"[{visible(label(local.rule, ranks, write, looks.times if looks.ascii else ENTRYWISE))}]"
    return f"{'*' if looks.ascii else '×'}{factor(short(local.value, looks.precision, ascii=looks.ascii))}"


def _function(node: Node) -> str:
    if node.grad_fn is not None:
        return node.grad_fn
    return "AccumulateGrad" if node.requires_grad else "no grad_fn"
