"""Edges of the graph that snippets hold: a node, and the number of its output, at which a gradient arrives."""

from __future__ import annotations

from typing import Any, NamedTuple

from gradcli.engine.graph import Node
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.torch.autograd.nodes import visible


class GradientEdge(NamedTuple):
    """An edge; its node is that of the one output, where several are one node to snippets."""

    node: Any
    output_nr: int
    ownership_token: Any = None


def made_edge(node: Any, output_nr: int, ownership_token: Any = None) -> GradientEdge:
    """Make an edge from a node that snippets see."""
    parts = node.joint.parts if isinstance(node, Node) and node.joint is not None else ()
    node = next((part for part in parts if part is not None and part.number == output_nr), node)
    return GradientEdge(node, output_nr, ownership_token)


describe(
    GradientEdge,
    getters={
        "node": lambda edge: visible(edge.node),
        "output_nr": lambda edge: edge.output_nr,
        "ownership_token": lambda edge: edge.ownership_token,
    },
)
TYPES[GradientEdge] = BuiltinType("GradientEdge", GradientEdge, made_edge, module="torch.autograd.graph")
REPRESENTATIONS[GradientEdge] = lambda edge: (
    f"GradientEdge(node={represent(visible(edge.node))}, output_nr={edge.output_nr}, "
    f"ownership_token={represent(edge.ownership_token)})"
)
