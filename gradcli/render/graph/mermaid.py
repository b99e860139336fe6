"""The graph as a Mermaid flowchart, which GitHub draws inside a ```mermaid block (up to about 500 edges)."""

from __future__ import annotations

import re

from gradcli.explanation.model import Explanation
from gradcli.render.graph.sketch.sketch import Arc, Sketch, Vertex, sketch
from gradcli.render.graph.svg import direction
from gradcli.render.text.looks import Asked
from gradcli.source import visible

# Mermaid reads labels as HTML and as Markdown, so `2*x*y` would be set in italics; `#42;` is its own way to write `*`.
_SPECIAL = re.compile(r"""["'#&<>*_`~\\|;%$@{}\[\]]""")

CLASSES = {
    "leaf": "fill:#8ecae6,stroke:#767676,color:#1a1a1a",
    "data": "fill:#c8ccd0,stroke:#767676,color:#1a1a1a,stroke-dasharray:4",
    "op": "fill:#ffd166,stroke:#767676,color:#1a1a1a",
    "backward": "fill:#f4c6dc,stroke:#c2497c,color:#1a1a1a",
}
MARKED = "stroke:#e0303a,stroke-width:3px"


def mermaid(explanation: Explanation, asked: Asked) -> str:
    """Edges run forward, from inputs to results, with the local derivative on each; dotted where no gradient flows.

    Leaves are rounded; the output has a thick border.
    """
    return flowchart(sketch(explanation, asked), asked)


def flowchart(picture: Sketch, asked: Asked) -> str:
    """Write a sketch; edges and boxes that are marked are red and broad."""
    ids = {vertex.id: f"n{position}" for position, vertex in enumerate(picture.vertices, start=1)}
    looks = dict.fromkeys(vertex.look for vertex in picture.vertices)
    outputs = [ids[vertex.id] for vertex in picture.vertices if vertex.is_output]  # none if it is inside a box
    return "\n".join(
        [
            f"flowchart {direction(picture, asked)}",
            *(box(vertex, ids[vertex.id]) for vertex in picture.vertices),
            *(edge(arc, ids) for arc in picture.arcs),
            *(f"    classDef {look} {CLASSES[look]}" for look in looks),
            "    classDef output stroke-width:4px",
            *(f"    class {id} output" for id in outputs),
            *(f"    style {ids[vertex.id]} {MARKED}" for vertex in picture.vertices if vertex.is_marked),
            *(f"    linkStyle {number} {MARKED}" for number, arc in enumerate(picture.arcs) if arc.is_marked),
        ]
    )


def box(vertex: Vertex, id: str) -> str:
    label = "<br/>".join(escaped(f"{line.label} {line.text}" if line.label else line.text) for line in vertex.lines)
    opening, closing = "()" if vertex.look == "leaf" else "[]"
    return f'    {id}{opening}"{label}"{closing}:::{vertex.look}'


def edge(arc: Arc, ids: dict[str, str]) -> str:
    arrow = "-->" if arc.flows else "-.->"
    label = f'|"{escaped(arc.label)}"|' if arc.label else ""
    return f"    {ids[arc.source]} {arrow}{label} {ids[arc.target]}"


def escaped(text: str) -> str:
    """Text inside a quoted label, with everything that could mean something written as a character code."""
    codes = _SPECIAL.sub(lambda match: f"#{ord(match[0])};", visible(text))
    return codes.replace("#92;n", "#92;#8288;n")  # where `\n` would break the line, whatever its code
