"""The picture of a graph as a film: values appear forward, gradients travel back; again and again, without a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.explanation.folding import folded
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.moves import Computed, Contributed
from gradcli.explanation.steps.walk import Walk, walk
from gradcli.render.display_options import Asked
from gradcli.render.graph.layered.model import Drawing, Route
from gradcli.render.graph.layered.paths import path
from gradcli.render.graph.sketch.model import Arc, Sketch, Vertex
from gradcli.render.text.numbers import short

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
        found = self.flows.get((arc.source, arc.target), [])
        steps = [0, *(at for step, _ in found for at in (step, step + 1))]
        stroke = self.animate("stroke", [grey, *[bright, grey] * len(found)], steps)
        width = self.animate("stroke-width", ["1.3", *["3", "1.3"] * len(found)], steps)
        for number, line in enumerate(lines):
            yield line.replace("/>", f">{stroke}{width}</path>") if number == 1 and found else line
            if number == 1:
                for step, move in found:
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


def frames(explanation: Explanation, asked: Asked, found: Sketch, drawn: Drawing) -> Film | None:
    """Return the film of a picture; None of one whose boxes stand for several steps."""
    film = Film(explanation, asked)
    known = {node.id for node in film.walk.explanation.nodes}
    return film if all(vertex.id in known for vertex in found.vertices) and drawn.routes else None
