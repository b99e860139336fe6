"""A graph of gradients as lines of text, the same for torch's graphs and for ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcli.engine.graph import Node


def one(node: Any) -> Any:
    """Return the node that stands for all parts of one tensor, which have one node in torch and several here."""
    return node.joint if isinstance(node, Node) and node.joint is not None else node


def flattened(root: Any, leaves: Mapping[str, Any]) -> list[str]:
    """One line a node, as first met from the root on: `MulBackward0(x, #2)`.

    An edge is the name of a leaf, the number of a line (from 0), or `-` for an input that needs no gradient.
    """
    if root is None:
        return []
    names = {id(leaf): name for name, leaf in leaves.items()}
    numbers = {root: 0}  # keeps the nodes alive, so that torch gives the same object for the same node
    lines = []
    for node in (order := [root]):
        edges = []
        for edge, _ in node.next_functions:
            if edge is None:
                edges.append("-")
            elif hasattr(edge, "variable"):
                edges.append(names[id(edge.variable)])
            else:
                edge = one(edge)
                if edge not in numbers:
                    numbers[edge] = len(order)
                    order.append(edge)
                edges.append(f"#{numbers[edge]}")
        lines.append(f"{node.name()}({', '.join(edges)})")
    return lines
