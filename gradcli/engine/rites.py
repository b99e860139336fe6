"""What is done at the places of a backward pass, beside the walk itself.

Here that is little: gradients are added to the `.grad` of leaves, or captured. Snippets have hooks, functions of their
own and more; they pass in `gradcli.script.torch.autograd.rites`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gradcli.engine.accumulation import accumulate
from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import AccumulateGrad, Node, Target


class Rites:
    """The plain rites of one walk: gradients are added to `.grad`, or become the values of `captured`.

    `place` is where the walk is.
    """

    place: Target | None = None
    below: Collection[Target] = ()

    def __init__(self, captured: dict[Target, Carrier | None] | None = None) -> None:
        self.captured = captured

    def begin(self, below: Collection[Target]) -> None:
        """Take note of the places that the walk visits."""
        self.below = below

    def arrive(self, place: Target, gradient: Carrier | None) -> Carrier | None:
        """Return the gradient that goes on from a place; None where none does."""
        self.place = place
        if self.captured is None or place not in self.captured:
            return gradient
        self.captured[place] = gradient
        return gradient if self.leads_on(place) else None

    def leads_on(self, place: Target) -> bool:
        """Whether the walk goes on from a place."""
        return isinstance(place, Node) and any(edge in self.below for edge in place.edges)

    def rules(self, node: Node, upstream: Carrier, out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Return the rules by which the gradient goes on to the inputs of a node."""
        return node.primitive.rules_for(values)

    def accumulate(self, place: AccumulateGrad, gradient: Carrier) -> None:
        """Add the whole gradient of a leaf to its `.grad`, unless it was detached since."""
        if place.collects:
            accumulate(place.variable, gradient)
