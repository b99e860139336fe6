"""A graph in TikZ, with its boxes and edges at the places that the layered drawing gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.explanation.model import Local, Node, Value
from gradcli.explanation.steps.moves import edges
from gradcli.explanation.steps.walk import Look, State
from gradcli.language.tree import Name, Number
from gradcli.render.graph.layered.model import Drawing, Point, Route
from gradcli.render.latex.numbers import value
from gradcli.render.latex.pieces import Piece, letters
from gradcli.render.latex.terms import Terms

POINTS = 0.75  # of a pixel
WIDEST = 20  # letters of a formula in a box
LETTER, SMALL, LINE = 6.8, 6.2, 16.0  # of letters and lines, in pixels
FEW = 6
PREAMBLE = r"""\usepackage{tikz}
"""
COLORS = r"""\definecolor{leaf}{HTML}{8ECAE6}
\definecolor{constant}{HTML}{C8CCD0}
\definecolor{op}{HTML}{FFD166}
\definecolor{grad}{HTML}{8A1C4A}
\definecolor{active}{HTML}{D1345B}
"""
NODES: Mapping[Look, str] = {
    "idle": "draw=black!25, fill=black!4, text=black!45",
    "forward": "draw=black!55, fill={kind}",
    "active": "draw=active, line width=1.6pt, fill={kind}",
    "done": "draw=grad, line width=0.8pt, fill={kind}",
}
EDGES: Mapping[Look, str] = {
    "idle": "draw=black!25",
    "forward": "draw=black!55",
    "active": "draw=active, line width=1.6pt",
    "done": "draw=grad, line width=0.8pt",
}
EMPTY = Drawing("LR", 0, 0, {}, (), 0, 0)


@dataclass(frozen=True)
class Picture:
    """A graph that is drawn once for each state of a walk, or as a whole."""

    nodes: Sequence[Node]
    terms: Terms
    drawing: Drawing = EMPTY
    few: int = FEW  # entries of a tensor whose numbers are shown

    def scale(self, room: tuple[float, float]) -> float:
        """Return how much smaller the picture is than it would like to be."""
        wide, high = self.drawing.width * POINTS, self.drawing.height * POINTS
        return min(1.0, room[0] / max(wide, 1), room[1] / max(high, 1))

    def drawn(self, state: State | None = None, room: tuple[float, float] | None = None) -> str:
        """Return the picture of a state, or the finished one, no larger than the room, in points."""
        scale = 1.0 if room is None else self.scale(room)
        unit = f"x={POINTS:g}pt, y=-{POINTS:g}pt"
        lines = [rf"\begin{{tikzpicture}}[{unit}, scale={scale:.3f}, transform shape, font=\footnotesize]"]
        drawn = [pair for node in self.nodes for pair in edges(node) if pair[0].source in self.drawing.boxes]
        for (edge, local), route in zip(drawn, self.drawing.routes, strict=True):
            look = "forward" if state is None else state.edges[edge]
            lines.extend(self.edge(local, route, look, is_labelled=state is None or bool(state.gradients)))
        lines.extend(self.node(node, state) for node in self.nodes)
        return "\n".join([*lines, r"\end{tikzpicture}"])

    def size(self, node: Node) -> tuple[float, float]:
        """Return the width and height that the box of a node needs, in pixels."""
        values = [node.value] if node.grad is None else [node.value, node.grad]
        rows = [letters(self.title(node)), *(self.written(given).width + 4 for given in values)]
        lines = 1 + sum(len(given) if self.is_matrix(given) else 1 for given in map(np.asarray, values))
        return max(rows) * LETTER + 20, lines * LINE + 10

    def is_matrix(self, given: Value) -> bool:
        """Return whether a value is shown as a matrix."""
        return np.ndim(given) == 2 and np.size(given) <= self.few and self.terms.explanation.sizes is None

    def node(self, node: Node, state: State | None) -> str:
        box = self.drawing.boxes[node.id]
        look = "forward" if state is None else state.nodes[node.id]
        gradient = node.grad if state is None else state.gradients.get(node.id)
        rows = [f"${self.title(node)}$"]
        if look != "idle":
            rows.append(f"${self.value(node.value)}$")
        if gradient is not None:
            rows.append(rf"\textcolor{{grad}}{{grad ${self.value(gradient)}$}}")
        style = NODES[look].replace("{kind}", node.kind)
        size = f"minimum width={box.width * POINTS:.1f}pt, minimum height={box.height * POINTS:.1f}pt"
        corners = ", rounded corners=5pt" if node.kind == "leaf" else ""
        place = f"({box.x + box.width / 2:.1f},{box.y + box.height / 2:.1f})"
        inside = r" \\ ".join(rows)
        return rf"\node[{style}{corners}, {size}, inner sep=0pt, align=center] at {place} {{{inside}}};"

    def title(self, node: Node) -> str:
        """Return `v_1 = a x_2`, or the name alone of a variable and of what is too long."""
        name = self.terms.name(node.id)
        formula = self.terms.formula(node.expression)
        if node.expression == Name(node.name) or formula.width > WIDEST or formula.is_tall:
            return name.text
        return f"{name.text} = {formula.text}"

    def value(self, given: Value) -> str:
        return self.written(given).text

    def written(self, given: Value) -> Piece:
        """Return a small value, or the shape of a large one."""
        if self.terms.explanation.sizes is not None:
            return Piece(r"\cdot")
        if np.size(given) > self.few:
            sizes = r" \times ".join(map(str, np.shape(given)))
            return Piece(rf"\text{{shape }} {sizes}", width=6 + 3 * np.ndim(given))
        return value(given, self.terms.precision)

    def edge(self, local: Local | None, route: Route, look: Look, *, is_labelled: bool) -> list[str]:
        """Return an edge and its label; once its gradient flows the arrow points back."""
        is_back = is_labelled and look in ("active", "done")
        arrow = "latex-" if is_back else "-latex"
        dashed = "" if local is not None else ", dashed"
        lines = [rf"\draw[{EDGES[look]}{dashed}, {arrow}] {path(route)};"]
        if is_labelled and local is not None and route.label is not None and (text := self.label(local)):
            place = f"({route.label.x + route.label.width / 2:.1f},{route.label.y + route.label.height / 2:.1f})"
            color = "active" if look == "active" else "black!65"
            lines.append(rf"\node[inner sep=0pt, text={color}, font=\scriptsize] at {place} {{${text}$}};")
        return lines

    def label_size(self, local: Local | None) -> tuple[float, float] | None:
        text = "" if local is None else self.label(local)
        return (letters(text) * SMALL + 4, LINE) if text else None

    def label(self, local: Local) -> str:
        """Return the local derivative as a number, or as a formula where it has none; a crowded picture has none."""
        if self.few < FEW:
            return ""
        found = self.terms.rule(local)
        number = None if local.value is None or np.size(local.value) > self.few else self.terms.value(local.value)
        if local.formula is None or number is None or number.width > WIDEST:
            return found.text if found.width <= WIDEST and not found.is_tall else ""
        if isinstance(local.formula, Number) or found.is_tall or found.width + number.width > WIDEST:
            return number.text
        return f"{found.text} = {number.text}" if found.text != number.text else number.text


def path(route: Route) -> str:
    """Return a route as straight and curved pieces."""
    parts = [point(route.start)]
    for segment in route.segments:
        if len(segment) == 1:
            parts.append(f"-- {point(segment[0])}")
        else:
            first, second, end = map(point, segment)
            parts.append(f".. controls {first} and {second} .. {end}")
    return " ".join(parts)


def point(place: Point) -> str:
    return f"({place.x:.1f},{place.y:.1f})"
