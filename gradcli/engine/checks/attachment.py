"""A check of saved tensors: none was taken out of the graph since."""

from __future__ import annotations

from collections.abc import Collection

from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)


def check_attached(node: Node, positions: Collection[int]) -> None:
    """Refuse to use a saved operand that had a node and has none now."""
    for position, (x, edge) in enumerate(zip(node.inputs or (), node.edges, strict=False)):
        if position in positions and isinstance(edge, Node) and isinstance(x, Tensor) and x.node is None:
            raise AutogradError(DETACHED, code="E303", help="write x = x.detach()")
