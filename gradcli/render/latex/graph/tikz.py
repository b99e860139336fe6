"""A graph in TikZ, with its boxes and edges at the places that the layered drawing gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from gradcli.explanation.model import Local, Node, Value
from gradcli.explanation.steps.walk import Edge, Look, State, edges
from gradcli.facts import dataclass
from gradcli.language.tree import Name, Number
from gradcli.render.graph.layered.model import Drawing, Point, Rectangle, Route
from gradcli.render.graph.sketch.sketch import Arc, Sketch, Vertex
from gradcli.render.graph.svg import box_size
from gradcli.render.latex.formulas import escaped
from gradcli.render.latex.pieces import ENOUGH, Piece, letters, value
from gradcli.render.latex.terms import Terms
from gradcli.source import visible

EDGE = 4.0  # pixels around the picture
FADE = 26.0  # pixels in which a window fades out


def window(drawing: Drawing, wanted: Sequence[Sequence[str]], wide: float, high: float) -> Rectangle:
    """Return a window of at most this size around the first boxes, and around the last that are wanted if they fit."""
    seen = bounds(drawing, wanted[-1])
    if seen.width > wide or seen.height > high:
        seen = bounds(drawing, wanted[0])
    everything = whole(drawing)
    wide, high = min(wide, everything.width), min(high, everything.height)
    left = seen.x + seen.width / 2 - wide / 2
    top = seen.y + seen.height / 2 - high / 2
    left = min(max(left, everything.x), everything.x + everything.width - wide)
    top = min(max(top, everything.y), everything.y + everything.height - high)
    return Rectangle(left, top, wide, high)


def whole(drawing: Drawing) -> Rectangle:
    return Rectangle(-EDGE, -EDGE, drawing.width + 2 * EDGE, drawing.height + 2 * EDGE)


def bounds(drawing: Drawing, names: Sequence[str]) -> Rectangle:
    """Return the rectangle around some boxes."""
    boxes = [drawing.boxes[name] for name in names if name in drawing.boxes]
    left, top = (min((box[place] for box in boxes), default=0.0) for place in (0, 1))
    right = max((box.x + box.width for box in boxes), default=0.0)
    return Rectangle(left, top, right - left, max((box.y + box.height for box in boxes), default=0.0) - top)


def veils(seen: Rectangle, drawing: Drawing) -> Iterator[str]:
    """Yield for each side of a window at which the graph goes on a veil, which hides most at the border."""
    x, y, wide, high = seen
    everything = whole(drawing)
    right, bottom = x + wide, y + high
    sides = [
        ("east", x > everything.x, Rectangle(x, y, FADE, high)),
        ("west", right < everything.x + everything.width, Rectangle(right - FADE, y, FADE, high)),
        ("south", y > everything.y, Rectangle(x, y, wide, FADE)),
        ("north", bottom < everything.y + everything.height, Rectangle(x, bottom - FADE, wide, FADE)),
    ]
    for side, goes_on, veil in sides:
        if goes_on:
            yield rf"\fill[white, path fading={side}] {corners(veil)};"


def holds(outer: Rectangle, inner: Rectangle) -> bool:
    """Return whether all of a rectangle is in another."""
    x, y = inner.x - outer.x, inner.y - outer.y
    return 0 <= x <= outer.width - inner.width and 0 <= y <= outer.height - inner.height


def corners(place: Rectangle) -> str:
    """Write a rectangle as TikZ has it."""
    return f"{point(Point(place.x, place.y))} rectangle {point(Point(place.x + place.width, place.y + place.height))}"


def point(place: Point) -> str:
    return f"({place.x:.1f},{place.y:.1f})"


WIDEST = 20  # letters of a formula
FEW = 6  # entries of a tensor whose numbers are shown
LETTER, HEIGHT = 7.0, 13.0  # pixels

Behind = tuple[Edge, Local | None]


@dataclass(frozen=True, slots=True)
class Label:
    text: str
    width: int  # letters

    @property
    def room(self) -> tuple[float, float]:
        return self.width * LETTER + 4, HEIGHT


def behind(sketch: Sketch, terms: Terms) -> list[Behind | None]:
    """Return the edge behind each arc; None where boxes stand for several nodes."""
    known = {vertex.id for vertex in sketch.vertices}
    pairs = [pair for node in terms.explanation.nodes for pair in edges(node) if {pair[0].source, node.id} <= known]
    arcs = [(arc.source, arc.target) for arc in sketch.arcs]
    is_whole = [(edge.source, edge.target) for edge, _ in pairs] == arcs
    return list(pairs) if is_whole else [None] * len(arcs)


def label(arc: Arc, edge: Behind | None, terms: Terms, values: str) -> Label | None:
    """Return the label of an arc, None where it has none, or one that is too long here."""
    if not arc.label:
        return None
    if edge is None or edge[1] is None:
        return Label(escaped(arc.label), len(arc.label))
    text = derivative(edge[1], terms, values)
    return Label(f"${text}$", letters(text)) if text else None


def derivative(local: Local, terms: Terms, values: str) -> str:
    """Return the local derivative, with its number where there is room for both."""
    piece = terms.formula(local.rule if local.formula is None else local.formula, terms.arriving(local))
    is_few = local.value is not None and np.size(local.value) <= (1 if values == "shape" else FEW)
    number = terms.value(local.value) if is_few else None
    number = None if number is not None and number.is_tall else number
    if number is None or local.formula is None or isinstance(local.formula, Number):
        return piece.text if piece.width <= WIDEST and not piece.is_tall else ""
    if piece.is_tall or piece.width + number.width > WIDEST:
        return number.text
    return f"{piece.text} = {number.text}" if piece.text != number.text else number.text


POINTS = 0.75  # of a pixel
EASY = 0.9  # of the usual size of letters, 10 points: the least that is read with ease
DIGIT, COLUMN, WORD, SIDES = 5.8, 14.0, 30.0, 14.0  # pixels; the letters of LaTeX are smaller than of a browser
LINE, GAP = 16.0, 3.0
PREAMBLE = r"""\usepackage{tikz}
\usetikzlibrary{fadings}
"""
COLORS = r"""\definecolor{leaf}{HTML}{8ECAE6}
\definecolor{data}{HTML}{C8CCD0}
\definecolor{op}{HTML}{FFD166}
\definecolor{backward}{HTML}{F4C6DC}
\definecolor{grad}{HTML}{8A1C4A}
\definecolor{active}{HTML}{D1345B}
"""
NODES: Mapping[Look, str] = {
    "idle": "draw=black!25, fill=black!4, text=black!45",
    "forward": "draw=black!55, fill={fill}",
    "active": "draw=active, line width=1.6pt, fill={fill}",
    "done": "draw=grad, line width=0.8pt, fill={fill}",
}
EDGES: Mapping[Look, str] = {
    "idle": "draw=black!25",
    "forward": "draw=black!55",
    "active": "draw=active, line width=1.6pt",
    "done": "draw=grad, line width=0.8pt",
}


@dataclass(frozen=True)
class Picture:
    """A sketch of a graph and its places, drawn once for each state of a walk, or as a whole."""

    sketch: Sketch
    drawing: Drawing
    terms: Terms
    values: str = "auto"  # as they are asked for

    def scale(self, room: tuple[float, float]) -> float:
        """Return how much smaller the picture is in its room, in points, than it would like to be."""
        wide, high = self.drawing.width * POINTS, self.drawing.height * POINTS
        return min(1.0, room[0] / max(wide, 1), room[1] / max(high, 1))

    @cached_property
    def edges(self) -> list[Behind | None]:
        return behind(self.sketch, self.terms)

    def drawn(self, room: tuple[float, float], state: State | None = None, high: float = 0) -> str:
        """Return the picture of a state, or the finished one, no larger than the room.

        Where its letters would be too small, it is the part of the picture around what is active, which may be `high`.
        """
        scale, part = self.scale(room), None
        if state is not None and scale < EASY and "active" in state.nodes.values():
            high, scale = max(high, room[1]), EASY
            part = self.around(state, room[0] / scale / POINTS, high / scale / POINTS)
        unit = f"x={POINTS:g}pt, y=-{POINTS:g}pt"
        options = rf"{unit}, scale={scale:.3f}, transform shape"
        lines = [rf"\begin{{tikzpicture}}[{options}]"]
        if part:
            lines.append(rf"\path[clip] {corners(part)};")
        for arc, edge, route in zip(self.sketch.arcs, self.edges, self.drawing.routes, strict=True):
            lines.extend(self.edge(arc, edge, route, state, part))
        lines.extend(self.vertex(vertex, state, part) for vertex in self.sketch.vertices)
        if part:
            lines.extend(veils(part, self.drawing))
        return "\n".join([*lines, r"\end{tikzpicture}"])

    def around(self, state: State, wide: float, high: float) -> Rectangle:
        """Return the window of this size around what is active: a node, and the ends of its edges if they fit."""
        names = [name for name, look in state.nodes.items() if look == "active"]
        ends = [end for edge, look in state.edges.items() if look == "active" for end in edge[:2]]
        return window(self.drawing, [names, names + ends], wide, high)

    def vertex(self, vertex: Vertex, state: State | None, part: Rectangle | None = None) -> str:
        """Return a box; one that is not wholly in the part that is shown is empty, as words would be cut."""
        box = self.drawing.boxes[vertex.id]
        look: Look = "forward" if state is None else state.nodes.get(vertex.id, "forward")
        style = NODES[look].replace("{fill}", vertex.look)
        size = f"minimum width={box.width * POINTS:.1f}pt, minimum height={box.height * POINTS:.1f}pt"
        corners = ", rounded corners=5pt" if vertex.look == "leaf" else ""
        place = f"({box.x + box.width / 2:.1f},{box.y + box.height / 2:.1f})"
        rows = self.rows(vertex, look, state) if part is None or holds(part, box) else []
        is_tall = any("matrix" in row for row in rows)  # or a matrix would touch the name above it
        inside = (r" \\[2pt]{} " if is_tall else r" \\{} ").join(rows)
        return rf"\node[{style}{corners}, {size}, inner sep=0pt, align=center] at {place} {{{inside}}};"

    def rows(self, vertex: Vertex, look: Look, state: State | None) -> list[str]:
        """Return the lines in a box; those of a node in the mathematics of LaTeX."""
        node = self.terms.nodes.get(vertex.id)
        roles = {line.role for line in vertex.lines}
        if node is None or any(line.label for line in vertex.lines) or self.edges[:1] == [None]:
            return [escaped(f"{line.label} {line.text}".strip()) for line in vertex.lines]
        rows = [f"${self.title(node, is_alone=' = ' not in vertex.lines[0].text)}$"]
        rows.extend(escaped(line.text) for line in vertex.lines if line.role == "fact")
        if "value" in roles and look != "idle":
            rows.append(f"${self.written(node.value).text}$")
        gradient = node.grad if state is None else state.gradients.get(node.id)
        if "grad" in roles and gradient is not None:
            rows.append(rf"\textcolor{{grad}}{{grad ${self.written(gradient).text}$}}")
        return rows

    def title(self, node: Node, *, is_alone: bool = False) -> str:
        """Return `v_1 = a x_2`, or the name alone of a variable and of what is too long."""
        name, formula = self.terms.name(node.id).text, self.terms.formula(node.expression)
        return name if is_alone or is_name_enough(node, self.terms) else f"{name} = {formula.text}"

    def written(self, given: Value) -> Piece:
        return written(given, self.terms, self.values)

    def edge(
        self,
        arc: Arc,
        edge: Behind | None,
        route: Route,
        state: State | None,
        part: Rectangle | None = None,
    ) -> list[str]:
        """Return an edge and its label; once its gradient flows the arrow points back."""
        look: Look = "forward" if state is None or edge is None else state.edges[edge[0]]
        is_turned = state is not None and bool(state.gradients) and look in ("active", "done")
        dashed = "" if arc.flows else ", dashed"
        lines = [rf"\draw[{EDGES[look]}{dashed}, {'latex-' if is_turned else '-latex'}] {path(route)};"]
        is_labelled = state is None or bool(state.gradients)
        text = label(arc, edge, self.terms, self.values)
        is_seen = part is None or route.label is None or holds(part, route.label)
        if is_labelled and is_seen and route.label is not None and text is not None:
            place = f"({route.label.x + route.label.width / 2:.1f},{route.label.y + route.label.height / 2:.1f})"
            color = "active" if look == "active" else "black!65"
            lines.append(rf"\node[inner sep=0pt, text={color}] at {place} {{{text.text}}};")
        return lines


def written(given: Value, terms: Terms, values: str) -> Piece:
    """Return a small value, or the shape of a large one."""
    if terms.explanation.sizes is not None:
        return Piece(r"\cdot")
    if np.size(given) > FEW or (np.ndim(given) and values == "shape"):
        sizes = r" \times ".join(map(str, np.shape(given)))
        return Piece(rf"\text{{shape }} {sizes}")
    return value(given, min(terms.precision, ENOUGH) if np.ndim(given) else terms.precision)


def is_name_enough(node: Node, terms: Terms) -> bool:
    """Return whether the box of a node has its name alone: that of a variable, or where the formula is too long."""
    formula = terms.formula(node.expression)
    return node.expression == Name(node.name) or formula.width > WIDEST or formula.is_tall


def box_room(vertex: Vertex, terms: Terms, values: str) -> tuple[float, float]:
    """Return the size of a box: that of its lines as texts, or more where they are matrices here."""
    node, roles = terms.nodes.get(vertex.id), {line.role for line in vertex.lines}
    title, *more = vertex.lines
    if node is not None and " = " in title.text and is_name_enough(node, terms):
        title = replace(title, text=visible(node.name))
    if node is None or any(line.label for line in vertex.lines) or not np.ndim(node.value):
        return box_size([title, *more])
    wide, high = box_size([title, *(line for line in more if line.role not in ("value", "grad"))])
    sizes = [room(written(node.value, terms, values))] if "value" in roles else []
    if "grad" in roles and node.grad is not None:
        sizes.append(room(written(node.grad, terms, values), WORD))
    return max([wide, *(width for width, _ in sizes)]), high + sum(height for _, height in sizes)


def room(piece: Piece, before: float = 0.0) -> tuple[float, float]:
    """Return about how much room a value needs in a box, in pixels, with so much before it."""
    rows = piece.text.count(r"\\") + 1 if piece.is_tall else 1
    columns = piece.text.count("&") // rows + 1 if piece.is_tall else 0
    wide = piece.width if piece.is_tall else letters(piece.text)
    return wide * DIGIT + columns * COLUMN + before + SIDES, rows * LINE + GAP


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
