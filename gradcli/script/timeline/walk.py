"""The walk of a backward pass: the gradients that it has passed on so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.engine.backward import Contribution
from gradcli.engine.graph import Node, Target, leaves_below, nodes_below
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.graphs import numpy_value
from gradcli.script.timeline.run import Run, kept_copy


class Walk:
    """The gradient that has gathered at every place so far, and the one that went on from there."""

    def __init__(self, outputs: Sequence[Tensor], accumulations: list[tuple[Tensor, Any, Any]]) -> None:
        self.accumulations = accumulations
        self._outputs = {x.node for x in outputs}
        self.order = nodes_below(x.node for x in outputs if x.node is not None)
        retained = [node.hooks.retain for node in self.order if node.hooks is not None]
        tensors = [x for x in (keeper() for keeper in retained if keeper is not None) if x is not None]
        self.retained = {x: None if x._grad is None else kept_copy(x._grad.value) for x in tensors}
        self.totals: dict[Target, Any] = {}
        self.left: dict[Node, Any] = {}  # the gradient that a node worked with, after its hooks
        self._edges: set[tuple[Node, int]] = set()

    def passed(self, event: Contribution) -> None:
        node, position, upstream, _, _, total = event
        edge = node.edges[position]
        assert edge is not None
        self.left[node] = numpy_value(upstream)
        self.totals[edge] = numpy_value(total)
        self._edges.add((node, position))

    def gradient(self, tensor: Tensor) -> Any:
        """Return the gradient that arrived at a tensor."""
        node = tensor.node
        passed = self.left.get(node) if isinstance(node, Node) else None
        return self.totals.get(node) if passed is None and node is not None else passed

    def hooked(self) -> Iterator[tuple[Target, Any]]:
        """Yield the places that have hooks, each with the gradient that went on from there."""
        for node, gradient in self.left.items():
            if node.hooks is not None:
                yield node, gradient
        for leaf, gradient, _ in self.accumulations:
            if leaf.node is not None and leaf.node.hooks is not None:
                yield leaf.node, gradient

    def stops(self, run: Run) -> dict[Tensor, str]:
        """Return the leaves below functions of the snippet whose backward gave None for them, and that in words."""
        reasons = {}
        for node in self.order:
            if node not in self.totals and node not in self._outputs:
                continue
            if REGISTRY.get(node.primitive.name) is node.primitive:
                continue
            for position, edge in enumerate(node.edges):
                if edge is not None and edge not in self.totals and (node, position) not in self._edges:
                    applied = f"{node.primitive.name} (applied at line {run.lines.get(node)})"
                    words = f"the backward of {applied} returned None"
                    reasons.update({leaf.variable: words for leaf in leaves_below(edge)})
        return reasons
