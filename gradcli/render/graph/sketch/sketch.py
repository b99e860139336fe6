"""The sketch of an explanation, in the detail that is asked for."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from gradcli.errors import EvaluationError
from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.render.display_options import Asked
from gradcli.render.graph.sketch.backward import backward_side
from gradcli.render.graph.sketch.folded import folded_sketch
from gradcli.render.graph.sketch.forward import Sketcher
from gradcli.render.graph.sketch.model import Sketch


def sketch(explanation: Explanation, asked: Asked, largest: float = inf) -> Sketch:
    """Return the boxes and edges, of operations as they were written, or with the backward side as torch has them.

    Of a large graph statements are boxes, unless `all` is asked for. Raises EvaluationError for more boxes than the
    `largest` picture has.
    """
    if not asked.backward:
        explanation = folded(explanation)
    sketcher = Sketcher(explanation, asked)
    if not asked.all and len(sketcher.drawn) > asked.most:
        folding = folded_sketch(sketcher, largest)
        if isinstance(folding, int):
            raise too_large(folding, asked)
        return folding
    if len(sketcher.drawn) > largest:
        raise too_large(len(sketcher.drawn), asked)
    found = sketcher.sketch()
    if not asked.backward or not explanation.steps:
        return found
    vertices, arcs = backward_side(explanation, asked)
    return replace(found, vertices=(*found.vertices, *vertices), arcs=(*found.arcs, *arcs))


def too_large(boxes: int, asked: Asked) -> EvaluationError:
    return EvaluationError(
        "E210",
        f"the picture would have {boxes:,} boxes, or edges that are too long to draw",
        help=f"draw the graph of an intermediate with --of NAME{', or leave out --all' * asked.all}",
    )
