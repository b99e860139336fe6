"""A backward pass of a snippet as an explanation: the graph as it stood, and what the walk then did with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.accumulation import Accumulation
from gradcli.engine.backward import Contribution, reachable
from gradcli.engine.backward import Event as Contributed
from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.notation import literal
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.explanation.build import build
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Explanation, Note
from gradcli.explanation.naming import Names
from gradcli.language.tree import Name
from gradcli.script.timeline.model import Accumulated, Backward
from gradcli.script.timeline.reasons import Pass
from gradcli.script.timeline.written import kept, notation
from gradcli.source import Span

if TYPE_CHECKING:
    from gradcli.script.timeline.recorder import Recorder

MOST_NODES = 400  # of a graph that is shown
MOST_ENTRIES = 2**18  # of its values together


def followed(
    recorder: Recorder, outputs: Sequence[Tensor], given: Sequence[Any], events: Iterator[Contributed]
) -> Iterator[Contributed]:
    """Pass on the events of a walk; when it is done, tell it to the recorder."""
    recorder.flush()
    line, wanted = recorder.machine.line, recorder.wanted("backward")
    done = Pass(line, recorder.below(outputs))
    graph = snapshot(recorder, outputs[0]) if wanted and len(outputs) == 1 and outputs[0].node is not None else None
    contributions: list[Contribution] = []
    accumulations: list[tuple[Tensor, Any, Any]] = []
    recorder.walking = True
    try:
        for event in events:
            if isinstance(event, Accumulation):
                accumulations.append((event.leaf, valued(event.gradient), kept(event.before)))
            elif graph is not None:
                contributions.append(Contribution(*event[:2], *map(valued, event[2:])))
            yield event
    finally:
        recorder.walking = False
    recorder.passes.append(done)
    explanation = explained(graph, contributions, given[0]) if graph is not None else None
    accumulated = tuple(
        Accumulated(recorder.name(leaf), kept(gradient), before, None if leaf._grad is None else kept(leaf._grad.value))
        for leaf, gradient, before in accumulations
    )
    notes = tuple(told(recorder, accumulations, explanation))
    for leaf, gradient, _ in accumulations:
        recorder.filled[leaf] = (line, not np.any(gradient))
        recorder.values[leaf] = kept(leaf.value)
    output = recorder.name(outputs[0])
    recorder.add("backward", event=lambda: Backward(*recorder.place, output, explanation, accumulated, notes))


def valued(carrier: Any) -> Any:
    """A numpy value, also where the pass itself was recorded."""
    return carrier.value if isinstance(carrier, Tensor) else carrier


def snapshot(recorder: Recorder, output: Tensor) -> Evaluation | None:
    """The graph below an output as lines; None where it is too large, or where it was freed before."""
    assert output.node is not None
    order, _ = reachable([output.node])
    nodes = list(reversed(order))
    entries = sum(np.size(node.out) for node in nodes)
    if len(nodes) > MOST_NODES or entries > MOST_ENTRIES or any(node.inputs is None for node in nodes):
        return None
    lines = Lines(recorder)
    for node in nodes:
        lines.add(node)
    if isinstance(output.node, AccumulateGrad):
        lines.leaf(output.node)
    evaluation = lines.evaluation
    evaluation.output = next(line.tensor for line in evaluation.lines if line.tensor.node is output.node)
    return evaluation


class Lines:
    """The lines of a graph, oldest first, under the snippet's names."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.names = Names([])
        self.evaluation = Evaluation()
        self.of_target: dict[int, Line] = {}
        self.of_constant: dict[int, Line] = {}

    def add(self, node: Node) -> None:
        """The line of a node, after those of its inputs."""
        assert node.inputs is not None
        inputs = tuple(self.input(node, position, x) for position, x in enumerate(node.inputs))
        value = self.recorder.made.get(node)  # as it was made: memory may have changed, and views with it
        out = Tensor(np.array(node.out)[()] if value is None else value, node)
        application = Application(node.primitive, node.inputs, node.options, out)
        operands = [
            line.spelling if isinstance(x, Tensor) else line.written
            for line, x in zip(inputs, node.inputs, strict=True)
        ]
        written = notation(node.primitive, node.inputs, node.options, operands)
        name = self.recorder.names.of_node.get(node)
        name = self.names.own(name) if name else self.names.fresh()
        line = Line(name, out, written, self.span(node), application, inputs)
        self.of_target[id(node)] = line
        self.evaluation.add(line)

    def input(self, node: Node, position: int, x: Any) -> Line:
        edge = node.edges[position] if position < len(node.edges) else None
        if edge is not None and id(edge) in self.of_target:
            return self.of_target[id(edge)]
        if isinstance(edge, AccumulateGrad):
            return self.leaf(edge)
        return self.constant(x)

    def leaf(self, target: AccumulateGrad) -> Line:
        tensor = target.variable
        name = self.names.own(self.recorder.names.get(tensor) or "leaf")
        line = Line(name, Tensor(np.array(tensor.value)[()], target), Name(name), Span(0, 0), is_variable=True)
        self.of_target[id(target)] = line
        self.evaluation.add(line)
        return line

    def constant(self, x: Any) -> Line:
        """A number or a tensor that needs no gradient; data of the snippet keep their name."""
        if id(x) in self.of_constant:
            return self.of_constant[id(x)]
        name = self.recorder.names.get(x) if isinstance(x, Tensor) else None
        value = x if isinstance(x, Tensor) else Tensor(np.asarray(x)[()])
        if name:
            own = self.names.own(name)
            line = Line(own, Tensor(value.value), Name(own), Span(0, 0), is_variable=True)
        else:
            line = Line(self.names.fresh("c"), Tensor(value.value), literal(value.value), Span(0, 0))
        self.of_constant[id(x)] = line
        self.evaluation.add(line)
        return line

    def span(self, node: Node) -> Span:
        """The line of the source that made a node."""
        source, number = self.recorder.machine.source, self.recorder.lines.get(node, 1)
        if number > source.text.count("\n") + 1:
            return Span(0, 0)
        start = source.offset(number)
        return Span(start, start + len(source.line(number)))


def explained(graph: Evaluation, contributions: Sequence[Contribution], upstream: Any) -> Explanation | None:
    """The explanation of the pass; None where a formula has no text."""
    try:
        with np.errstate(all="ignore"):
            return build("", graph, valued(upstream), contributions)
    except (GradcliError, ValueError, TypeError, KeyError):
        return None


def told(
    recorder: Recorder, accumulations: Sequence[tuple[Tensor, Any, Any]], explanation: Explanation | None
) -> Iterator[Note]:
    """What a learner may wonder about: gradients that add up, and gradients that became zero."""
    added: dict[int, list[str]] = {}
    for leaf, _, before in accumulations:
        if before is not None and leaf in recorder.filled and np.any(before):
            added.setdefault(recorder.filled[leaf][0], []).append(recorder.name(leaf))
    for line, names in added.items():
        listed = ", ".join(f"{name}.grad" for name in names)
        yield Note(
            "accumulated",
            names[0],
            f"{listed} already held the gradient of the backward pass at line {line}, and nothing reset "
            f"{'it' if len(names) == 1 else 'them'} in between: the new gradient was added",
        )
    for leaf, gradient, _ in accumulations:
        name = recorder.name(leaf)
        if explanation is not None and not np.any(gradient):
            yield Note("zero-gradient", name, f"the gradient of {name} is 0: {zeroed_at(recorder, explanation, name)}")


def zeroed_at(recorder: Recorder, explanation: Explanation, name: str) -> str:
    """Where on its way a gradient became zero."""
    below = {name}
    reasons = []
    for step in reversed(explanation.steps):
        if step.input in below:
            if np.any(step.upstream) and not np.any(step.contribution):
                reasons.append(f"{explanation.node(step.node).op} passes nothing back to {step.input} here")
            below.add(step.node)
    return reasons[0] if reasons else "the parts that arrive cancel, or what enters is 0"
