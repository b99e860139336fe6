"""A backward pass of a snippet: what the walk did, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MethodType
from typing import TYPE_CHECKING, Any

from gradcli.engine.accumulation import Accumulation
from gradcli.engine.backward import Contribution, reachable
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor
from gradcli.script.timeline import remarks
from gradcli.script.timeline.changes import Filled
from gradcli.script.timeline.graphs import explained, snapshot, valued
from gradcli.script.timeline.model import Accumulated, Backward, Returned
from gradcli.script.timeline.reasons import Pass, listed
from gradcli.script.timeline.written import kept

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder


def followed(
    recorder: Recorder,
    outputs: Sequence[Tensor],
    given: Sequence[Any],
    events: Iterator[Contributed],
    inputs: Sequence[Tensor] | None = None,
) -> Iterator[Contributed]:
    """Pass on the events of a walk; when it is done, tell it to the recorder.

    With `inputs` the gradients are returned to the snippet, and no leaf gets any.
    """
    recorder.flush()
    recorder.walked = outputs
    line, kind = recorder.machine.line, "backward" if inputs is None else "returned"
    wanted = recorder.wanted(kind)
    graph = snapshot(recorder, outputs[0]) if wanted and len(outputs) == 1 and outputs[0].node is not None else None
    contributions: list[Contribution] = []
    accumulations: list[tuple[Tensor, Any, Any]] = []
    walk = Walk(outputs, accumulations)
    recorder.walking = True
    try:
        for event in events:
            if isinstance(event, Accumulation):
                accumulations.append((event.leaf, valued(event.gradient), kept(event.before)))
            else:
                walk.passed(event)
                if graph is not None:
                    contributions.append(Contribution(*event[:2], *map(valued, event[2:])))
            yield event
    finally:
        recorder.walking = False
    recorder.machine.line = line
    for node in walk.order:
        if node.inputs is None:
            recorder.freed.setdefault(node, line)
    reached = [leaf for leaf, _, _ in accumulations] if inputs is None else []
    output = listed(map(recorder.name, outputs))
    recorder.walks(
        Pass(line, output, recorder.origins.below(outputs), reached, inputs is not None, walk.stops(recorder))
    )
    explanation = explained(graph, contributions, given[0]) if graph is not None else None
    if inputs is not None:
        found = tuple((recorder.name(x), kept(walk.gradient(x))) for x in inputs if isinstance(x, Tensor))
        notes = tuple(remarks.on_way(recorder, walk, explanation))
        recorder.add("returned", event=lambda: Returned(*recorder.place, output, explanation, found, notes))
        return
    accumulated = tuple(
        Accumulated(recorder.name(leaf), kept(gradient), before, None if leaf._grad is None else kept(leaf._grad.value))
        for leaf, gradient, before in accumulations
    )
    retained = tuple(
        Accumulated(recorder.name(x), kept(walk.gradient(x)), before, kept(x._grad.value))
        for x, before in walk.retained.items()
        if x._grad is not None
    )
    notes = (
        *remarks.added(recorder, accumulations),
        *remarks.on_way(recorder, walk, explanation),
        *remarks.at_leaves(accumulations, recorder, walk, explanation),
    )
    for leaf, _, _ in accumulations:
        if leaf._grad is not None:
            recorder.filled[leaf] = Filled(line, leaf._grad)
        recorder.memory.values[leaf] = kept(leaf.value)
        if leaf._grad is not None and leaf._grad.node is not None:
            recorder.names.give(leaf._grad, f"{recorder.name(leaf)}.grad")
    recorder.add(
        "backward",
        event=lambda: Backward(*recorder.place, output, explanation, accumulated, retained, notes),
        news=bool(notes),
    )


class Walk:
    """What a walk has passed: the gradient that has gathered at every place, and what went on from there."""

    def __init__(self, outputs: Sequence[Tensor], accumulations: list[tuple[Tensor, Any, Any]]) -> None:
        self.accumulations = accumulations
        self._outputs = {x.node for x in outputs}
        self.order, self.leaves = reachable([x.node for x in outputs if x.node is not None])
        keepers = [node.hooks.retain for node in self.order if node.hooks is not None]
        found = [k.__self__ for k in keepers if isinstance(k, MethodType) and isinstance(k.__self__, Tensor)]
        self.retained = {x: None if x._grad is None else kept(x._grad.value) for x in found}  # what they keep so far
        self.totals: dict[Target, Any] = {}
        self.left: dict[Node, Any] = {}  # the gradient that a node worked with, after its hooks
        self._edges: set[tuple[Node, int]] = set()

    def passed(self, event: tuple[Node, int, Any, Any, Any, Any]) -> None:
        node, position, upstream, _, _, total = event
        edge = node.edges[position]
        assert edge is not None
        self.left[node] = valued(upstream)
        self.totals[edge] = valued(total)
        self._edges.add((node, position))

    def gradient(self, tensor: Tensor) -> Any:
        """What arrived at a tensor."""
        node = tensor.node
        passed = self.left.get(node) if isinstance(node, Node) else None
        return self.totals.get(node) if passed is None and node is not None else passed

    def hooked(self) -> Iterator[tuple[Target, Any]]:
        """Places that have hooks, and the gradient that went on from there."""
        for node, gradient in self.left.items():
            if node.hooks is not None:
                yield node, gradient
        for leaf, gradient, _ in self.accumulations:
            if leaf.node is not None and leaf.node.hooks is not None:
                yield leaf.node, gradient

    def stops(self, recorder: Recorder) -> dict[Tensor, str]:
        """The leaves below functions of the snippet whose backward gave None for them."""
        found = {}
        for node in self.order:
            if node not in self.totals and node not in self._outputs:
                continue
            if REGISTRY.get(node.primitive.name) is node.primitive:
                continue
            for position, edge in enumerate(node.edges):
                if edge is not None and edge not in self.totals and (node, position) not in self._edges:
                    applied = f"{node.primitive.name} (applied at line {recorder.lines.get(node)})"
                    words = f"the backward of {applied} returned None"
                    found.update(dict.fromkeys(leaves_below(edge), words))
        return found


def leaves_below(target: Target) -> Iterator[Tensor]:
    targets = [target] if isinstance(target, AccumulateGrad) else reachable([target])[1]
    return (one.variable for one in targets if isinstance(one, AccumulateGrad))
