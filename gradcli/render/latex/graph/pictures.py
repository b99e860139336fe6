"""The graph of an explanation in LaTeX: the boxes and edges of the SVG picture, at the same places."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from gradcli.errors import EvaluationError
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.render.display_options import Asked
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import Box, Direction, Edge
from gradcli.render.graph.sketch.sketch import sketch
from gradcli.render.latex.graph.tikz import COLORS, EASY, PREAMBLE, SMALLEST, Picture, behind, box_room, label
from gradcli.render.latex.pages import document
from gradcli.render.latex.terms import Terms

LARGEST = 80  # boxes that can be read on a page
PAGE = (450.0, 640.0)  # points of a document of our own
PLAIN = (330.0, 520.0)  # of a plain article, for a fragment

Room = tuple[float, float]


def picture(explanation: Explanation, terms: Terms, asked: Asked) -> Picture | None:
    """Return the picture as it is asked for; None where the graph is too large for a page."""
    found = sketch(explanation, asked)
    if len(found.vertices) > LARGEST:
        return None
    boxes = [Box(vertex.id, *box_room(vertex, terms, asked.values)) for vertex in found.vertices]
    lines = []
    for arc, edge in zip(found.arcs, behind(found, terms), strict=True):
        text = label(arc, edge, terms, asked.values)
        lines.append(Edge(arc.source, arc.target, None if text is None else text.room))
    drawn = drawing(boxes, lines, asked.direction)
    return None if drawn is None else Picture(found, drawn, terms, asked.values)


def fitting(explanation: Explanation, terms: Terms, asked: Asked, room: Room) -> Picture | None:
    """Return the picture; where it would be too small in its room, one of another direction, or of shapes alone."""
    best = picture(explanation, terms, asked)
    values: list[Literal["auto", "shape"]] = ["auto", "shape"]
    directions: list[Direction] = ["LR", "TB"] if asked.direction is None else [asked.direction]
    for shown, enough in zip(values, (EASY, SMALLEST), strict=True):
        if best is None or best.scale(room) >= enough:
            break
        others = [picture(explanation, terms, replace(asked, values=shown, direction=one)) for one in directions]
        best = max([best, *filter(None, others)], key=lambda one: one.scale(room))
    return best


def graph_page(explanation: Explanation, asked: Asked) -> str:
    """Write the graph as a TikZ picture, which needs that package and no other."""
    room = PAGE if asked.standalone else PLAIN
    shown = explanation if asked.backward else folded(explanation)
    found = fitting(shown, Terms(shown, asked.precision), asked, room)
    if found is None:
        raise EvaluationError(
            "E210",
            f"the graph has {len(explanation.nodes):,} nodes, and {LARGEST} boxes are the most on a page",
            help="draw the graph of an intermediate with --of NAME, or use --format svg",
        )
    drawn = f"% needs \\usepackage{{tikz}}\n{COLORS}{found.drawn(room)}"
    return document(f"\\begin{{center}}\n{drawn}\n\\end{{center}}", preamble=PREAMBLE) if asked.standalone else drawn
