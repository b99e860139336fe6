"""The graph of an explanation in LaTeX: its boxes and edges in layers, as in the SVG picture."""

from __future__ import annotations

from dataclasses import replace

from gradcli.errors import EvaluationError
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.moves import edges
from gradcli.language.tree import Name
from gradcli.render.asked import Asked
from gradcli.render.graph.layered.drawing import drawing
from gradcli.render.graph.layered.model import Box, Direction, Edge
from gradcli.render.latex.document import document
from gradcli.render.latex.terms import Terms
from gradcli.render.latex.tikz import COLORS, FEW, PREAMBLE, Picture

LARGEST = 60  # boxes that can be read on a page
PAGE = (450.0, 640.0)  # points
SMALLEST = 0.6  # of the usual size of letters
DIRECTIONS: tuple[Direction, ...] = ("LR", "TB")

Room = tuple[float, float]


def picture(explanation: Explanation, terms: Terms, room: Room) -> Picture | None:
    """Return the picture that is the largest in its room, in points; None where the graph is too large for a page.

    Where letters would be too small, tensors are shown by their shapes.
    """
    nodes = tuple(node for node in explanation.nodes if node.kind != "constant" or node.expression == Name(node.name))
    if len(nodes) > LARGEST:
        return None
    best = None
    for few in (FEW, 1):
        found = [placed(Picture(nodes, terms, few=few), direction) for direction in DIRECTIONS]
        best = max((one for one in found if one is not None), key=lambda one: one.scale(room), default=None)
        if best is None or best.scale(room) > SMALLEST:
            break
    return best


def placed(found: Picture, direction: Direction) -> Picture | None:
    """Return the picture with its boxes and edges drawn in layers."""
    known = {node.id for node in found.nodes}
    boxes = [Box(node.id, *found.size(node)) for node in found.nodes]
    lines = [
        Edge(edge.source, edge.target, found.label_size(local))
        for node in found.nodes
        for edge, local in edges(node)
        if edge.source in known
    ]
    drawn = drawing(boxes, lines, direction)
    return None if drawn is None else replace(found, drawing=drawn)


def graph_page(explanation: Explanation, asked: Asked) -> str:
    """Write the graph as a TikZ picture, which needs that package and no other."""
    found = picture(explanation, Terms(explanation, asked.precision), PAGE)
    if found is None:
        raise EvaluationError(
            "E210",
            f"the picture would have {len(explanation.nodes):,} boxes, and {LARGEST} are the most on a page",
            help="draw the graph of an intermediate with --of NAME, or use --format svg",
        )
    drawn = f"% needs \\usepackage{{tikz}}\n{COLORS}{found.drawn(room=PAGE)}"
    return document(f"\\begin{{center}}\n{drawn}\n\\end{{center}}", preamble=PREAMBLE) if asked.standalone else drawn
