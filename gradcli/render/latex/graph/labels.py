"""The labels at the edges of a graph in LaTeX, and how much room each takes there."""

from __future__ import annotations

import numpy as np

from gradcli.explanation.model import Local
from gradcli.explanation.steps.moves import Edge, edges
from gradcli.facts import dataclass
from gradcli.language.tree import Number
from gradcli.render.graph.sketch.model import Arc, Sketch
from gradcli.render.latex.pieces import letters
from gradcli.render.latex.symbols import escaped
from gradcli.render.latex.terms import Terms

WIDEST = 20  # letters of a formula
FEW = 6  # entries of a tensor whose numbers are shown
LETTER, HEIGHT = 5.6, 12.0  # pixels

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
    found = [pair for node in terms.explanation.nodes for pair in edges(node) if {pair[0].source, node.id} <= known]
    arcs = [(arc.source, arc.target) for arc in sketch.arcs]
    is_whole = [(edge.source, edge.target) for edge, _ in found] == arcs
    return list(found) if is_whole else [None] * len(arcs)


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
    found = terms.rule(local) if local.formula is not None else terms.formula(local.rule)
    is_few = local.value is not None and np.size(local.value) <= (1 if values == "shape" else FEW)
    number = terms.value(local.value) if is_few else None
    number = None if number is not None and number.is_tall else number
    if number is None or local.formula is None or isinstance(local.formula, Number):
        return found.text if found.width <= WIDEST and not found.is_tall else ""
    if found.is_tall or found.width + number.width > WIDEST:
        return number.text
    return f"{found.text} = {number.text}" if found.text != number.text else number.text
