"""The graph in the DOT language of Graphviz: `dot -Tsvg`."""

from __future__ import annotations

from gradcli.explanation.model import Explanation
from gradcli.render.graph.labels import box, edges, local_label
from gradcli.render.text.looks import Looks
from gradcli.source import visible

# Dark text on mid-tones inside the nodes and grey outside: readable on a white page and on a black one.
STYLES = {
    "leaf": 'style="rounded,filled", fillcolor="#8ecae6"',
    "constant": 'style="filled,dashed", fillcolor="#c8ccd0"',
    "op": 'style="filled", fillcolor="#ffd166"',
}
HEAD = """\
digraph gradcli {
  graph [rankdir=LR, bgcolor="transparent"];
  node [shape=box, color="#767676", fontcolor="#1a1a1a", fontname="Helvetica"];
  edge [color="#767676", fontcolor="#767676", fontname="Helvetica"];"""


def dot(explanation: Explanation, looks: Looks) -> str:
    """Edges run forward, from inputs to results, with the local derivative on each; dashed where no gradient flows.

    A node says its name, how it is computed, its value and the gradient there; the output has a double border.
    """
    lines = [HEAD]
    for node in explanation.nodes:
        label = "\\n".join(map(escaped, box(node, looks)))
        output = ", peripheries=2" if node.id == explanation.output else ""
        tip = escaped(node.grad_fn or node.kind)
        lines.append(f'  {quoted(node.id)} [label="{label}", tooltip="{tip}", {STYLES[node.kind]}{output}];')
    for node in explanation.nodes:
        for source, local in edges(node):
            look = "style=dashed"
            if local is not None:
                look = f'label="{escaped(local_label(local, looks))}"'
            lines.append(f"  {quoted(source)} -> {quoted(node.id)} [{look}];")
    return "\n".join([*lines, "}"])


def quoted(id: str) -> str:
    """A DOT identifier; inside quotes only the quote itself is special there."""
    return '"' + visible(id).replace('"', '\\"') + '"'


def escaped(text: str) -> str:
    """Text inside a quoted label, where a backslash begins an escape and an ampersand an HTML entity."""
    return visible(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
