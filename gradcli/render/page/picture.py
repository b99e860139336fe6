"""The graph of a walk as an SVG inside the page, with the state of each node and edge as of the step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gradcli.explanation.model import Local, Node, Value
from gradcli.explanation.steps.moves import Edge, edges
from gradcli.explanation.steps.walk import Walk
from gradcli.language.tree import Name, Number
from gradcli.render.lesson.terms import Terms
from gradcli.render.page.changes import NONE, Changes, Changing, together
from gradcli.render.page.html import Html, cut, element
from gradcli.render.page.mathml import Paint
from gradcli.render.page.tracks import Tracks
from gradcli.stream.values import dump

CHARACTER, LINE, PAD = 8.4, 20.0, 12.0  # of the monospaced letters in a box
FEW = 6  # entries of a tensor whose numbers stand in its box
LONGEST = 26  # characters of a line in a box
LABEL = 16  # characters of a label
WIDE = 1500  # a picture as wide as this is not made smaller, but moved


@dataclass(frozen=True)
class Placed:
    """A box with its middle."""

    x: float
    y: float
    width: float
    height: float


class Picture:
    """Draws the graph of one walk."""

    def __init__(self, walk: Walk, terms: Terms, paint: Paint, changing: Changing, tracks: Tracks) -> None:
        self.nodes = [node for node in walk.explanation.nodes if is_drawn(node)]
        self.walk, self.terms, self.paint, self.changing, self.tracks = walk, terms, paint, changing, tracks
        known = {node.id for node in self.nodes}
        self.edges = [(edge, local, node) for node in self.nodes for edge, local in edges(node) if edge.source in known]
        self.boxes = interim(self.nodes, [edge for edge, _, _ in self.edges], self.size)

    def size(self, node: Node) -> tuple[float, float]:
        """Return width and height of a box."""
        widest = max(map(len, self.lines(node)))
        return widest * CHARACTER + 2 * PAD, 3 * LINE + PAD

    def lines(self, node: Node) -> list[str]:
        """Return the widest texts of a box."""
        return [self.title(node), self.value(node.value), f"grad {self.value(node.grad)}"]

    def title(self, node: Node) -> str:
        """Return `v1 = a·x2`."""
        name = cut(node.name, LONGEST)
        if node.expression == Name(node.name):
            return name
        return cut(f"{name} = {self.terms.formula(node.expression)}", LONGEST)

    def value(self, value: Value | None) -> str:
        """Return a small value, or the shape of a large one."""
        if value is None:
            return NONE
        if np.size(value) > FEW or self.terms.explanation.sizes is not None:
            return f"({', '.join(map(str, np.shape(value)))})"
        return self.terms.value(value, width=LONGEST)

    def drawn(self) -> Html:
        """Return the picture."""
        width = max((box.x + box.width / 2 for box in self.boxes.values()), default=0) + PAD
        height = max((box.y + box.height / 2 for box in self.boxes.values()), default=0) + PAD
        return element(
            "svg",
            *(self.edge(*each) for each in self.edges),
            *map(self.node, self.nodes),
            viewBox=f"0 0 {width:.0f} {height:.0f}",
            width=round(width),
            height=round(height),
            role="group",
            aria_label="The graph; arrow keys walk along its edges",
            class_="graph fits" if width < WIDE else "graph",
        )

    def node(self, node: Node) -> Html:
        """Return the box of a node."""
        box, changing = self.boxes[node.id], self.changing
        left, top = box.x - box.width / 2, box.y - box.height / 2
        known: Changes = [(0, "·"), (changing.known.get(node.id, 0), self.value(node.value))]
        arrived = changing.gradients.get(node.id, [])
        grads: Changes = [(0, NONE), *((step, self.value(total)) for step, total in arrived)]
        title = self.title(node)
        values = [(step, f"{title} = {text}" if text != "·" else f"{title}, not computed yet") for step, text in known]
        told = together(values, [(step, f"gradient {text}") for step, text in grads], ", ")
        name = cut(node.name, LONGEST)
        return element(
            "g",
            element("title", node.name) if len(node.name) > LONGEST else None,
            element("rect", width=f"{box.width:.1f}", height=f"{box.height:.1f}", rx=8 if node.kind == "leaf" else 3),
            text(box.width / 2, 1, element("tspan", name, class_="name"), title[len(name) :]),
            text(box.width / 2, 2, known[-1][1], class_="value", data_text=self.tracks.add(known)),
            text(
                box.width / 2,
                3,
                element("tspan", "grad ", class_="word"),
                element("tspan", grads[-1][1], data_grad=True, data_text=self.tracks.add(grads)),
                class_="grad",
            ) if node.requires_grad else None,
            class_=f"node {node.kind} {self.paint.colours.get(node.id, '')}",
            transform=f"translate({left:.1f} {top:.1f})",
            tabindex=-1,
            role="img",
            aria_label=told[-1][1],
            data_label=self.tracks.add(told),
            data_node=node.id,
            **self.look(node.id),
        )  # fmt: skip

    def look(self, place: str | Edge) -> dict[str, str | int]:
        """Return the attributes of the state of a node or an edge."""
        looks = self.changing.looks.get(place, [(0, "forward")])
        return {"data_state": looks[-1][1], "data_look": self.tracks.add(looks)}

    def edge(self, edge: Edge, local: Local | None, node: Node) -> Html:
        """Return an edge with its label."""
        start, end = self.boxes[edge.source], self.boxes[edge.target]
        x1, y1, x2 = start.x + start.width / 2, start.y, end.x - end.width / 2
        count = len(node.inputs)
        y2 = end.y + end.height * ((edge.position + 1) / (count + 1) - 0.5)
        middle = (x1 + x2) / 2
        return element(
            "g",
            element("path", d=f"M{x1:.1f} {y1:.1f}C{middle:.1f} {y1:.1f} {middle:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"),
            element("path", d=f"M{x2:.1f} {y2:.1f}l-9 -5v10z", class_="head there"),
            element("path", d=f"M{x1:.1f} {y1:.1f}l9 -5v10z", class_="head back"),
            self.label(local, middle, (y1 + y2) / 2) if local is not None else None,
            class_="edge" if local is not None else "edge constant",
            tabindex=-1,
            role="img",
            aria_label=self.told(edge, local),
            data_edge=f"{edge.source} {edge.target}",
            data_ends=dump(list(edge[:2])),
            **self.look(edge),
        )

    def label(self, local: Local, x: float, y: float) -> Html:
        """Return the local derivative at an edge; a plain 1 is quiet."""
        told = self.terms.upstream_name + "↦" if local.formula is None else "×"
        value = self.terms.formula(local.rule) if local.formula is None else self.value(local.value)
        quiet = " quiet" if isinstance(local.formula, Number) and value == "1" else ""
        return element("text", cut(f"{told}{value}", LABEL), x=f"{x:.1f}", y=f"{y - 5:.1f}", class_=f"label{quiet}")

    def told(self, edge: Edge, local: Local | None) -> str:
        """Return an edge in words."""
        ends = f"from {cut(edge.source, LONGEST)} to {cut(edge.target, LONGEST)}"
        if local is None:
            return f"{ends}: no gradient flows back"
        return f"{ends}: {self.terms.edge(cut(edge.target, LONGEST), local)} {self.terms.local(local)}"


def is_drawn(node: Node) -> bool:
    """Return whether a node has a box of its own: a number without a name stands in the box of its operation."""
    return node.kind != "constant" or node.expression == Name(node.name)


def text(x: float, line: int, *content: str | None, **attributes: str | int | bool) -> Html:
    return element("text", *content, x=f"{x:.1f}", y=f"{line * LINE:.1f}", **attributes)


def interim(nodes: list[Node], edges: list[Edge], size: Callable[[Node], tuple[float, float]]) -> dict[str, Placed]:
    """Place the boxes in layers."""
    layer: dict[str, int] = {}
    below = {node.id: [edge.source for edge in edges if edge.target == node.id] for node in nodes}
    for node in nodes:
        layer[node.id] = 1 + max((layer[x] for x in below[node.id]), default=-1)
    users = {x: id for id, found in below.items() for x in found}
    for node in nodes:
        if node.kind == "leaf" and node.id in users:
            layer[node.id] = layer[users[node.id]] - 1
    found: dict[str, Placed] = {}
    x = PAD
    for number in range(max(layer.values(), default=-1) + 1):
        members = [node for node in nodes if layer[node.id] == number]
        widest = max((size(node)[0] for node in members), default=0)
        for place, node in enumerate(members):
            width, height = size(node)
            found[node.id] = Placed(x + widest / 2, PAD + height / 2 + place * (height + 30), width, height)
        x += widest + 90
    return found
