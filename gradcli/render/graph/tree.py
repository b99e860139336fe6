"""The backward graph as text, as torch users know it: the output's grad_fn at the top, next_functions below.

MulBackward0  q = v1*x = 27
├── PowBackward0  v1 = x**2 = 9
│   └── AccumulateGrad  x = 3
└── AccumulateGrad  ↑ see x
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from gradcli.explanation.model import Explanation, Node
from gradcli.render.graph.labels import edges, equation
from gradcli.render.text.looks import Looks
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
    nodes = {node.id: node for node in explanation.nodes}
    strokes = ASCII if looks.ascii else LINES
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
        stack = [(root, "", "")]  # a node, what precedes it on its line, and what precedes its children
        while stack:
            id, before, margin = stack.pop()
            node = nodes[id]
            if id in shown:
                write(f"{_function(node)}  {strokes.above} {visible(node.name)}", before, margin)
                continue
            below = next_functions(node)
            if below and len(margin) >= levels * len(strokes.blank):
                write(f"{_function(node)}  {strokes.below} {visible(node.name)}", before, margin)
                if id not in postponed:
                    postponed.add(id)
                    roots.append(id)
                continue
            shown.add(id)
            write(f"{_function(node)}  {equation(node, looks)}", before, margin, strokes.past[0] if below else " ")
            for position, source in reversed(list(enumerate(below, start=1))):
                end = position == len(below)
                stroke = strokes.last if end else strokes.branch
                stack.append((source, margin + stroke, margin + (strokes.blank if end else strokes.past)))
    return "\n".join(lines)


def next_functions(node: Node) -> list[str]:
    """The inputs that a gradient flows into, in order, repeated where an input is used twice."""
    return [source for source, local in edges(node) if local is not None]


def _function(node: Node) -> str:
    if node.grad_fn is not None:
        return node.grad_fn
    return "AccumulateGrad" if node.requires_grad else "no grad_fn"
