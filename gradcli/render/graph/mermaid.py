"""The graph as a Mermaid flowchart, which GitHub draws inside a ```mermaid block (up to about 500 edges)."""

from __future__ import annotations

import re

from gradcli.explanation.model import Explanation
from gradcli.render.graph.labels import box, edges, local_label
from gradcli.render.text.looks import Looks
from gradcli.source import visible

# Mermaid reads labels as HTML and as Markdown, so `2*x*y` would be set in italics; `#42;` is its own way to write `*`.
_SPECIAL = re.compile(r"""["'#&<>*_`~\\|;%$@{}\[\]]""")

CLASSES = """\
    classDef leaf fill:#8ecae6,stroke:#767676,color:#1a1a1a
    classDef constant fill:#c8ccd0,stroke:#767676,color:#1a1a1a,stroke-dasharray:4
    classDef op fill:#ffd166,stroke:#767676,color:#1a1a1a
    classDef output stroke-width:4px"""


def mermaid(explanation: Explanation, looks: Looks) -> str:
    """Edges run forward, from inputs to results, with the local derivative on each; dotted where no gradient flows.

    Leaves are rounded; the output has a thick border.
    """
    ids = {node.id: f"n{position}" for position, node in enumerate(explanation.nodes, start=1)}
    lines = ["flowchart LR"]
    for node in explanation.nodes:
        label = "<br/>".join(map(escaped, box(node, looks)))
        opening, closing = ("([", "])") if node.kind == "leaf" else ("[", "]")
        lines.append(f'    {ids[node.id]}{opening}"{label}"{closing}:::{node.kind}')
    for node in explanation.nodes:
        for source, local in edges(node):
            arrow = "-.->"
            if local is not None:
                arrow = f'-->|"{escaped(local_label(local, looks))}"|'
            lines.append(f"    {ids[source]} {arrow} {ids[node.id]}")
    return "\n".join([*lines, CLASSES, f"    class {ids[explanation.output]} output"])


def escaped(text: str) -> str:
    """Text inside a quoted label, with everything that could mean something written as a character code."""
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", visible(text))
