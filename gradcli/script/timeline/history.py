"""The backward passes of a run so far, and what they left behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from gradcli.engine.graph import Node
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.changes import Filled
from gradcli.script.timeline.reasons import Pass


class History:
    """What the passes of a run have done to the graph and to the leaves."""

    machine: Any

    def __init__(self) -> None:
        self.passes: dict[int, Pass] = {}  # by number; of those of one line the latest
        self.passed = 0
        self.walked: Sequence[Tensor] = ()  # the outputs of the latest pass, also of one that failed
        self.freed: WeakKeyDictionary[Node, int] = WeakKeyDictionary()  # the line whose pass freed what a node saved
        self.filled: WeakKeyDictionary[Tensor, Filled] = WeakKeyDictionary()  # the gradients of leaves
        self.inner: WeakSet[Tensor] = WeakSet()  # what jacobian() and the transforms of torch.func gave their function
        self.reset_at: WeakKeyDictionary[Tensor, tuple[int, int]] = WeakKeyDictionary()  # the line, passes before it
        self.given: WeakKeyDictionary[Tensor, int] = WeakKeyDictionary()  # gradients that a pass returned, and where

    def walks(self, done: Pass) -> None:
        """Remember a pass; of those of one line and output the latest."""
        same = next((n for n, one in self.passes.items() if one[:2] == done[:2] and one.returns is done.returns), None)
        if same is not None:
            del self.passes[same]
        self.passed += 1
        self.passes[self.passed] = done

    def gave(self, gradients: Sequence[Tensor | None]) -> None:
        """Remember what `torch.autograd.grad` returned."""
        for gradient in gradients:
            if gradient is not None:
                self.given[gradient] = self.machine.line

    def gradient_at(self, tensor: Tensor) -> int:
        """The line whose pass computed a gradient, 0 for any other tensor."""
        held = (filled.line for leaf, filled in self.filled.items() if leaf._grad is tensor)
        return self.given.get(tensor) or next(held, 0)
