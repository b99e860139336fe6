"""The graph as an SVG picture: presentation attributes alone, no style, no ids, no script, so that it shows anywhere.

Boxes have fills of their own and dark text; lines and labels are greys that read on white and on black.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.walk import Computed, Contributed, Walk, walk
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import (
    Box,
    Direction,
    Drawing,
    Edge,
    Point,
    Rectangle,
    Route,
    fitting,
    pair,
    path,
    text_width,
)
from gradcli.render.graph.layered.model import length as n
from gradcli.render.graph.sketch.sketch import Arc, Line, Sketch, Vertex, sketch, too_large
from gradcli.render.text.looks import Asked
from gradcli.render.text.numbers import short
from gradcli.source import visible

PACE, PAUSE = 1.4, 3  # seconds of a step, and steps for which the end is shown
FAINT = 0.25  # of what is not computed yet
LONGEST = 14  # characters of a number that travels


class Film:
    """The times at which the parts of a picture change."""

    def __init__(self, explanation: Explanation, asked: Asked) -> None:
        self.asked = asked
        self.walk: Walk = walk(folded(explanation))
        self.count = self.walk.last + 1 + PAUSE
        self.computed = {move.node: n for n, move in enumerate(self.walk.moves, 1) if isinstance(move, Computed)}
        self.flows: dict[tuple[str, str], list[tuple[int, Contributed]]] = {}
        self.arrives: dict[str, int] = {self.walk.explanation.output: self.walk.turn}
        for number, move in enumerate(self.walk.moves, 1):
            if isinstance(move, Contributed):
                self.flows.setdefault((move.edge.source, move.edge.target), []).append((number, move))
                self.arrives[move.edge.source] = number  # the last one has the whole sum

    def animate(self, attribute: str, values: Sequence[str], steps: Sequence[int]) -> str:
        """Return what gives an attribute each value from its step on."""
        times = ";".join(f"{step / self.count:.4f}".rstrip("0").rstrip(".") for step in steps)
        changes = f'values="{";".join(values)}" keyTimes="{times}"'
        return f'<animate attributeName="{attribute}" calcMode="discrete" {self.turn} {changes}/>'

    @property
    def turn(self) -> str:
        return f'dur="{self.count * PACE:.1f}s" repeatCount="indefinite"'

    def box(self, vertex: Vertex, lines: Sequence[str], grad: str) -> Iterator[str]:
        """Yield the lines of a box, faint until its value is known, the gradient hidden until it has arrived."""
        step = self.computed.get(vertex.id, 0)
        for number, line in enumerate(lines):
            if number == 0 and step:
                yield line.replace("<g>", f"<g>{self.animate('opacity', [str(FAINT), '1'], [0, step])}", 1)
            elif f'fill="{grad}"' in line and vertex.id in self.arrives:
                shown = self.animate("opacity", ["0", "1"], [0, self.arrives[vertex.id]])
                yield line.replace("</text>", f"{shown}</text>")
            else:
                yield line

    def edge(self, arc: Arc, route: Route, lines: Sequence[str], colours: tuple[str, str]) -> Iterator[str]:
        """Yield the lines of an edge, bright while the gradient flows, and the number that travels along it."""
        grey, bright = colours
        moves = self.flows.get((arc.source, arc.target), [])
        steps = [0, *(at for step, _ in moves for at in (step, step + 1))]
        stroke = self.animate("stroke", [grey, *[bright, grey] * len(moves)], steps)
        width = self.animate("stroke-width", ["1.3", *["3", "1.3"] * len(moves)], steps)
        for number, line in enumerate(lines):
            yield line.replace("/>", f">{stroke}{width}</path>") if number == 1 and moves else line
            if number == 1:
                for step, move in moves:
                    text = short(move.fact.contribution, self.asked.precision)
                    if not np.ndim(move.fact.contribution) and len(text) <= LONGEST:
                        yield self.mover(text, path(route), step, bright)

    def mover(self, text: str, way: str, step: int, colour: str) -> str:
        """Return a number that travels back along a path during a step."""
        start, end = step / self.count, (step + 0.9) / self.count
        seen = self.animate("opacity", ["0", "1", "0"], [0, step, step + 1])
        points = f'keyPoints="1;1;0;0" keyTimes="0;{start:.4f};{end:.4f};1" calcMode="linear"'
        moved = f'<animateMotion path="{way}" {points} {self.turn}/>'
        looks = f'text-anchor="middle" font-weight="bold" fill="{colour}" opacity="0" y="-5"'
        return f"<text {looks}>{text}{seen}{moved}</text>"


def frames(explanation: Explanation, asked: Asked, picture: Sketch, drawn: Drawing) -> Film | None:
    """Return the film of a picture; None of one whose boxes stand for several steps."""
    film = Film(explanation, asked)
    known = {node.id for node in film.walk.explanation.nodes}
    return film if all(vertex.id in known for vertex in picture.vertices) and drawn.routes else None


SIZE, SMALL = 13.0, 12.0  # of letters in boxes, and at edges: 9 points at least
BOLD = 1.12  # of the width of letters that are not
LEADING = 17.0
PADDING, MARGIN = 10.0, 14.0
LARGEST = 1500  # boxes of a picture
PAGE = 1500.0  # pixels of a picture that a page shows at half its size
FACES = "Helvetica, Arial, DejaVu Sans, sans-serif"
FILLS = {"leaf": "#8ecae6", "data": "#c8ccd0", "op": "#ffd166", "backward": "#f4c6dc"}
INK = {"name": "#1a1a1a", "value": "#1a1a1a", "grad": "#8a1c4a", "fact": "#404040", "mark": "#9b1010"}
GREY, ROSE, RED = "#767676", "#c2497c", "#e0303a"
BROAD = 3.0  # lines that are marked


class Ink(NamedTuple):
    """The style in which a text is set."""

    size: float
    color: str
    anchor: str = "middle"
    is_bold: bool = False


def svg(explanation: Explanation, asked: Asked) -> str:
    """Draw the graph. Raises EvaluationError where it is too large."""
    picture = sketch(explanation, asked, LARGEST)
    if not asked.animate:
        return written(picture, asked)
    drawn = laid_out(picture, asked)
    if drawn is None:
        raise too_large(len(picture.vertices), asked)
    return "\n".join(lines(picture, drawn, frames(explanation, asked, picture, drawn)))


def written(picture: Sketch, asked: Asked) -> str:
    """Draw a sketch."""
    drawn = laid_out(picture, asked)
    if drawn is None:
        raise too_large(len(picture.vertices), asked)
    return "\n".join(lines(picture, drawn))


def laid_out(picture: Sketch, asked: Asked) -> Drawing | None:
    """Return the places of all boxes and edges, in the shape of a page; None of a graph that is too large."""
    if len(picture.vertices) > LARGEST:
        return None
    boxes, edges = parts(picture)
    if asked.direction is not None:
        return drawing(boxes, edges, asked.direction)
    return fitting(drawing(boxes, edges, "LR"), drawing(boxes, edges, "TB"))


def direction(picture: Sketch, asked: Asked) -> Direction:
    """Return the direction in which a program that does its own layout draws a picture of a width that can be read."""
    drawn = None if asked.direction or len(picture.vertices) > LARGEST else drawing(*parts(picture))
    return asked.direction or ("LR" if drawn and drawn.direction == "LR" and drawn.width <= PAGE else "TB")


def parts(picture: Sketch) -> tuple[list[Box], list[Edge]]:
    """Return the boxes and edges of a sketch with their sizes."""
    boxes = [Box(vertex.id, *box_size(vertex.lines)) for vertex in picture.vertices]
    return boxes, [Edge(arc.source, arc.target, label_size(arc)) for arc in picture.arcs]


def box_size(rows: Sequence[Line]) -> tuple[float, float]:
    """Return the width and height of a box around its lines."""
    head, labels, widths = 0.0, 0.0, [0.0]
    for row in rows:
        wide = text_width(row.text, SIZE) * (BOLD if row.role == "name" else 1)
        if row.label:
            labels = max(labels, text_width(row.label, SIZE) + PADDING)
            widths.append(wide)
        else:
            head = max(head, wide)
    return max(head, labels + max(widths), 24.0) + 2 * PADDING, len(rows) * LEADING + PADDING


def label_size(arc: Arc) -> tuple[float, float] | None:
    if not arc.label:
        return None
    return text_width(arc.label, SMALL) + 2, SMALL + 2


def lines(picture: Sketch, drawn: Drawing, film: Film | None = None) -> Iterator[str]:
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    size = f'width="{n(width)}" height="{n(height)}" viewBox="0 0 {n(width)} {n(height)}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FACES}" font-size="{n(SIZE)}">'
    yield f"<title>{escaped(picture.title)}</title>"
    yield f"<desc>{escaped(described(picture))}</desc>"
    yield f'<g transform="translate({n(MARGIN)} {n(MARGIN)})">'
    for arc, route in zip(picture.arcs, drawn.routes, strict=True):
        part = list(edge(arc, route, drawn))
        yield from film.edge(arc, route, part, (GREY, INK["grad"])) if film else part
    for vertex in picture.vertices:
        part = list(box(vertex, drawn.boxes[vertex.id]))
        yield from film.box(vertex, part, INK["grad"]) if film else part
    yield "</g>"
    yield "</svg>"


def described(picture: Sketch) -> str:
    """Say the whole graph in words."""
    boxes, arcs = len(picture.vertices), len(picture.arcs)
    count = f"{boxes} box{'es' * (boxes != 1)} and {arcs} edge{'s' * (arcs != 1)}."
    sentences = [*(vertex.sentence for vertex in picture.vertices), *(arc.sentence for arc in picture.arcs)]
    return " ".join([count, *(f"{sentence}." for sentence in sentences)])


def box(vertex: Vertex, place: Rectangle) -> Iterator[str]:
    """Yield a box: a variable is round, data without a gradient have a broken border, the output a double one."""
    x, y, width, height = place
    radius = min(height / 2, 14.0) if vertex.look == "leaf" else 4.0
    border = f'fill="{FILLS[vertex.look]}" stroke="{ROSE if vertex.look == "backward" else GREY}"'
    if vertex.is_marked:
        border = f'fill="{FILLS[vertex.look]}" stroke="{RED}" stroke-width="{n(BROAD)}"'
    if vertex.look == "data":
        border += ' stroke-dasharray="5 3"'
    yield f"<g><title>{escaped(vertex.sentence)}</title>"
    yield f'<rect {rectangle(x, y, width, height)} rx="{n(radius)}" {border}/>'
    if vertex.is_output:
        inner = rectangle(x + 3, y + 3, width - 6, height - 6)
        yield f'<rect {inner} rx="{n(max(radius - 3, 1))}" fill="none" stroke="{GREY}"/>'
    is_table = any(row.label for row in vertex.lines)
    used = len(vertex.lines) * LEADING
    level = y + (height - used) / 2 + LEADING - 4
    table = max((text_width(row.label, SIZE) for row in vertex.lines), default=0.0)
    if is_table:
        rule = y + (height - used) / 2 + LEADING + 1
        yield f'<path d="M{n(x + 6)} {n(rule)}H{n(x + width - 6)}" stroke="{GREY}"/>'
    for row in vertex.lines:
        if row.label:
            yield text(row.label, x + PADDING, level + 1, Ink(SIZE, INK["fact"], "start"))
            yield text(row.text, x + 2 * PADDING + table, level + 1, Ink(SIZE, INK[row.role], "start"))
        else:
            yield text(row.text, x + width / 2, level, Ink(SIZE, INK[row.role], is_bold=row.role == "name"))
        level += LEADING
    yield "</g>"


def edge(arc: Arc, route: Route, drawn: Drawing) -> Iterator[str]:
    """Yield an edge with its arrow and its label; it is broken where no gradient flows."""
    color = RED if arc.is_marked else ROSE if arc.is_backward else GREY
    broken = "" if arc.flows else ' stroke-dasharray="5 4"'
    width = BROAD if arc.is_marked else 1.3
    yield f"<g><title>{escaped(arc.sentence)}</title>"
    yield f'<path d="{path(route)}" fill="none" stroke="{color}" stroke-width="{n(width)}"{broken}/>'
    yield f'<path d="{arrow(route.end, drawn)}" fill="{color}"/>'
    if route.label is not None:
        x, y, wide, height = route.label
        yield text(arc.label, x + wide / 2, y + height - 3, Ink(SMALL, color))
    yield "</g>"


def arrow(end: Point, drawn: Drawing) -> str:
    """Return a small triangle that points at a box."""
    long, half = 7.0, 3.2
    if drawn.direction == "LR":
        corners = [end, Point(end.x - long, end.y - half), Point(end.x - long, end.y + half)]
    else:
        corners = [end, Point(end.x - half, end.y - long), Point(end.x + half, end.y - long)]
    return f"M{'L'.join(map(pair, corners))}Z"


def text(written: str, x: float, y: float, ink: Ink) -> str:
    size = "" if ink.size == SIZE else f' font-size="{n(ink.size)}"'
    anchor = "" if ink.anchor == "start" else f' text-anchor="{ink.anchor}"'
    bold = ' font-weight="bold"' if ink.is_bold else ""
    return f'<text x="{n(x)}" y="{n(y)}"{anchor}{size}{bold} fill="{ink.color}">{escaped(written)}</text>'


def rectangle(x: float, y: float, width: float, height: float) -> str:
    return f'x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}"'


def escaped(written: str) -> str:
    """Write a text between tags, without control characters."""
    return visible(written).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
