"""How a test writes a graph: `SumBackward0(MulBackward0(leaf, None))`."""

from __future__ import annotations

from typing import Any

from gradcli.engine.graph import AccumulateGrad


def structure(node: Any) -> str:
    """A node and what it came from, as torch's `grad_fn` and `next_functions` show them."""
    if node is None:
        return "None"
    if isinstance(node, AccumulateGrad):
        return "leaf"
    below = ", ".join(structure(edge) for edge, _ in node.next_functions)
    return f"{node.name().removesuffix('0').removesuffix('Backward')}({below})"
