"""The backward passes of a script as it runs, each with the graph that it goes through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import Accumulation
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import Target
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Evaluation
from gradcli.script.timeline.graphs import snapshot, valued
from gradcli.script.timeline.recorder import Recorder

# A graph, None where it was too large; the gradient that entered; and the factors of hooks that multiply gradients.
Kept = tuple[Evaluation | None, Any, dict[Target, float]]


class Passes(Recorder):
    """A recorder that also keeps the graph of each backward pass, as it stood when the pass began."""

    def __init__(self, machine: Any) -> None:
        super().__init__(machine, all=True)
        self.graphs: list[Kept] = []
        self.returned: list[Kept] = []  # of `torch.autograd.grad`

    def kept(self, outputs: Sequence[Tensor], given: Sequence[Any]) -> Kept:
        self.flush()
        whole = len(outputs) == 1 and outputs[0].node is not None
        return snapshot(self.run, outputs[0]) if whole else None, valued(given[0]), {}

    def backward(
        self, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        self.graphs.append(self.kept(outputs, given))
        return super().backward(outputs, given, watched(events, self.graphs[-1][2]))

    def differentiated(
        self, outputs: Sequence[Tensor], inputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
    ) -> Iterator[Contributed]:
        self.returned.append(self.kept(outputs, given))
        return super().differentiated(outputs, inputs, given, watched(events, self.returned[-1][2]))


def watched(events: Iterator[Contributed], hooks: dict[Target, float]) -> Iterator[Contributed]:
    """Pass on the events of a backward pass, and keep the factors of the hooks that multiply a gradient."""
    arrived: dict[Target, Any] = {}
    for event in events:
        if isinstance(event, Accumulation):
            target, left = event.leaf.node, event.gradient
        else:
            target, left = event.node, event.upstream
            edge = target.edges[event.position]
            assert edge is not None
            arrived[edge] = valued(event.total)
        if target in arrived and target.hooks is not None:
            with np.errstate(all="ignore"):
                ratios = np.divide(valued(left), arrived[target])
            factor = float(np.ravel(ratios)[0])
            if np.isfinite(factor) and factor != 1 and np.allclose(ratios, factor):
                hooks[target] = factor
        yield event
