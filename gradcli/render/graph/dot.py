"""The graph in the DOT language of Graphviz: `dot -Tsvg`."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.explanation.model import Explanation
from gradcli.render.graph.sketch.sketch import Arc, Vertex, sketch
from gradcli.render.graph.svg import direction
from gradcli.render.text.looks import Asked
from gradcli.source import visible

# Dark text on mid-tones inside the nodes and grey outside: readable on a white page and on a black one.
STYLES = {
    "leaf": 'style="rounded,filled", fillcolor="#8ecae6"',
    "data": 'style="filled,dashed", fillcolor="#c8ccd0"',
    "op": 'style="filled", fillcolor="#ffd166"',
    "backward": 'style="filled", fillcolor="#f4c6dc", color="#c2497c"',
}
HEAD = """\
digraph gradcli {{
  graph [rankdir={direction}, bgcolor="transparent"];
  node [shape=box, color="#767676", fontcolor="#1a1a1a", fontname="Helvetica"];
  edge [color="#767676", fontcolor="#767676", fontname="Helvetica"];"""


def dot(explanation: Explanation, asked: Asked) -> str:
    """Edges run forward, from inputs to results, with the local derivative on each; dashed where no gradient flows.

    A node says its name, how it is computed, its value and the gradient there; the output has a double border.
    """
    picture = sketch(explanation, asked)
    head = HEAD.format(direction=direction(picture, asked))
    return "\n".join([head, *map(box, picture.vertices), *(edge(arc) for arc in picture.arcs), "}"])


def box(vertex: Vertex) -> str:
    label = "\\n".join(escaped(f"{line.label} {line.text}" if line.label else line.text) for line in vertex.lines)
    output = ", peripheries=2" if vertex.is_output else ""
    tip = escaped(vertex.sentence)
    return f'  {quoted(vertex.id)} [label="{label}", tooltip="{tip}", {STYLES[vertex.look]}{output}];'


def edge(arc: Arc) -> str:
    ends = f"{quoted(arc.source)} -> {quoted(arc.target)}"
    return f"  {ends} [{', '.join(looks(arc))}];" if any(looks(arc)) else f"  {ends};"


def looks(arc: Arc) -> Iterator[str]:
    if arc.label:
        yield f'label="{escaped(arc.label)}"'
    if arc.is_quiet:
        yield "fontsize=9"
    if arc.is_backward:
        yield 'color="#c2497c", fontcolor="#c2497c"'
    if not arc.flows:
        yield "style=dashed"


def quoted(id: str) -> str:
    """A DOT identifier, which a backslash must not end."""
    return '"' + visible(id).replace("\\", "\\\\").replace('"', '\\"') + '"'


def escaped(text: str) -> str:
    """Text inside a quoted label, where a backslash begins an escape and an ampersand an HTML entity."""
    return visible(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
