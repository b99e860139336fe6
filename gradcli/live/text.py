"""A live graph as the text of a program: a line for each operation, with the place in the source where it is known."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from gradcli.explanation.model import Explanation
from gradcli.language.tree import Program
from gradcli.language.unparser import unparse
from gradcli.source import Source, Span

FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def with_text(explanation: Explanation, graph: Any) -> Explanation:
    """Return the explanation with its operations as the text of its program."""
    places = {line.name: place(node) for (node, _), line in graph.line_of.items()}
    lines, nodes, start = [], [], 0
    for node in explanation.nodes:
        if node.kind != "op":
            nodes.append(node)
            continue
        text = f"{node.name} = {unparse(node.expression)}"
        nodes.append(replace(node, span=Span(start, start + len(text))))
        lines.append(f"{text}{places[node.id]}")
        start += len(lines[-1]) + 1
    return replace(explanation, parsed=Program((), Source("\n".join(lines), "live graph")), nodes=tuple(nodes))


def place(node: Any) -> str:
    """Return the line that made a node as a comment; anomaly mode keeps it, and nothing else does."""
    frames = FRAME.findall("".join(node.metadata.get("traceback_", ())))
    if not frames:
        return ""
    file, line = frames[-1]
    return f"  # {file.replace(chr(92), '/').rpartition('/')[2]}:{line}"
