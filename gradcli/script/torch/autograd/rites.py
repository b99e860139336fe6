"""What a snippet has done at the places of a backward pass: hooks, gradients that are kept, functions of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradcli.engine import backward
from gradcli.engine.accumulation import Carrier, accumulate
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.rites import Rites
from gradcli.engine.tensor import Gradient, Tensor
from gradcli.script.machine import running
from gradcli.script.torch.autograd.hooks import (
    accumulated_hooks,
    after_hooks,
    before_hooks,
    replaced_rules,
)


class Passes:
    """The number of the backward pass that a run is at, and what is done beside it."""

    last = 0
    number = 0  # outside of all passes
    rites: Rites | None = None

    @contextmanager
    def running(self, rites: Rites) -> Iterator[None]:
        """Be at a new pass inside the block.

        The depth of calls begins again: torch runs deep passes within passes in threads of their own.
        """
        machine = running.machine
        before, depth = (self.number, self.rites), machine.depth
        machine.depth = 0
        self.last += 1
        self.number, self.rites = self.last, rites
        try:
            yield
        finally:
            self.number, self.rites = before
            machine.depth = depth


class SnippetRites(Rites):
    """The rites of a pass of a snippet, which captures gradients or, where `captured` is None, adds to `.grad`.

    `recorded` is whether the pass computes with Tensors.
    """

    def __init__(self, captured: dict[Target, Carrier | None] | None = None, *, recorded: bool = False) -> None:
        super().__init__(captured)
        self.recorded = recorded

    def arrive(self, place: Target, gradient: Carrier | None) -> Carrier | None:
        """Run the hooks before a place. torch captures before them where the gradient flows on, else after them."""
        self.place = place
        if isinstance(place, AccumulateGrad):
            return self._arrive_at_leaf(place, gradient)
        if gradient is not None and place.hooks is None:
            return super().arrive(place, gradient)
        return self._arrive_at_node(place, gradient)

    def _arrive_at_node(self, place: Node, gradient: Carrier | None) -> Carrier | None:
        passes = self.leads_on(place)
        if gradient is None:
            gradient = place.primitive.from_nothing(place, self.recorded)
        if passes:
            self._capture(place, gradient)
        if place.hooks is not None and not (place.waits and (passes or gradient is None)):
            gradient = self._hook(place, gradient, passes)
        if not passes:
            self._capture(place, gradient)
        return gradient if passes or self.captured is None else None

    def _arrive_at_leaf(self, leaf: AccumulateGrad, gradient: Carrier | None) -> Carrier | None:
        if leaf.hooks is not None:
            gradient = before_hooks(leaf, gradient, passes=self.captured is None)
        if self.captured is not None:
            self._capture(leaf, gradient)
            return None
        if gradient is None and leaf.hooks is not None and leaf.collects:
            accumulated_hooks(leaf, None)
        return gradient if leaf.collects else None

    def _hook(self, node: Node, gradient: Carrier | None, passes: bool) -> Carrier | None:
        """Run the hooks of a node; where no gradient arrives, torch gives them None, and those behind it too."""
        passes = passes or self.captured is None
        left: Carrier | None = before_hooks(node, gradient, passes=passes)
        if gradient is None and passes and node.hooks is not None and node.hooks.after:
            after_hooks(node, None, [None] * len(node.edges))
        return left

    def _capture(self, place: Target, gradient: Carrier | None) -> None:
        if self.captured is not None and place in self.captured:
            self.captured[place] = gradient

    def rules(self, node: Node, upstream: Carrier, out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Return the rules of a node; where there are posthooks, what they leave of the gradients."""
        rules = node.primitive.rules_for(values)
        if node.hooks is None or not node.hooks.after:
            return rules
        if not self.leads_on(node):
            after_hooks(node, upstream, [None] * len(node.edges))
            return ()
        return replaced_rules(node, rules, upstream, out, values)

    def accumulate(self, place: AccumulateGrad, gradient: Carrier) -> None:
        accumulate(place.variable, gradient)
        if place.hooks is not None:
            accumulated_hooks(place, gradient)


def grad(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grad_outputs: Sequence[Gradient] | None = None,
    *,
    create_graph: bool = False,
    **options: Any,
) -> tuple[Tensor | None, ...]:
    """Return gradients as the engine does, with the rites of snippets."""
    rites = SnippetRites(recorded=create_graph)
    return backward.grad(outputs, inputs, grad_outputs, create_graph=create_graph, rites=rites, **options)
