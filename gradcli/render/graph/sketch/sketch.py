"""The sketch of an explanation, in the detail that is asked for."""

from __future__ import annotations

from dataclasses import replace

from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.render.asked import Asked
from gradcli.render.graph.sketch.backward import backward_side
from gradcli.render.graph.sketch.folded import folded_sketch
from gradcli.render.graph.sketch.forward import Sketcher
from gradcli.render.graph.sketch.model import Sketch


def sketch(explanation: Explanation, asked: Asked) -> Sketch:
    """Return the boxes and edges, of operations as they were written, or with the backward side as torch has them.

    Of a large graph statements are boxes, unless `all` is asked for.
    """
    if not asked.backward:
        explanation = folded(explanation)
    sketcher = Sketcher(explanation, asked)
    if not asked.all and len(sketcher.drawn) > asked.most:
        return folded_sketch(sketcher)
    found = sketcher.sketch()
    if not asked.backward or not explanation.steps:
        return found
    vertices, arcs = backward_side(explanation, asked)
    return replace(found, vertices=(*found.vertices, *vertices), arcs=(*found.arcs, *arcs))
