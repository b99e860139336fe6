"""The graph of a backward pass as it stood, in lines under the snippet's names; and the pass as an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.backward import Contribution
from gradcli.engine.graph import AccumulateGrad, Node, nodes_below
from gradcli.engine.recorder import Application
from gradcli.engine.symbolic.notation import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.explanation.build import build
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Explanation
from gradcli.explanation.naming import Names
from gradcli.language.tree import Expression, Name
from gradcli.script.timeline.calls import Group, argument, with_operands
from gradcli.script.timeline.run import Run
from gradcli.script.timeline.written import notation
from gradcli.source import Span

MOST_NODES = 400  # of a graph that is shown, each time
MOST_DRAWN = 12_000  # of one that is drawn once, and folded
MOST_ENTRIES = 2**18  # of its values together


def valued(carrier: Any) -> Any:
    """Return a numpy value, also where the pass itself was recorded."""
    return carrier.value if isinstance(carrier, Tensor) else carrier


def snapshot(run: Run, output: Tensor) -> Evaluation | None:
    """Return the graph below an output as lines; None where it is too large, or was freed before.

    It may be larger where the run keeps no other graph than the last.
    """
    assert output.node is not None
    nodes = nodes_below([output.node])[::-1]
    entries = sum(np.size(node.out) for node in nodes)
    most = MOST_DRAWN if run.keeps_last else MOST_NODES
    if len(nodes) > most or entries > MOST_ENTRIES or any(node.inputs is None for node in nodes):
        return None
    lines = Lines(run, nodes)
    for node in nodes:
        lines.add(node)
    if isinstance(output.node, AccumulateGrad):
        lines.leaf(output.node)
    evaluation = lines.evaluation
    evaluation.output = next(line.tensor for line in evaluation.lines if line.tensor.node is output.node)
    return evaluation


class Lines:
    """The lines of a graph, oldest first, under the snippet's names."""

    def __init__(self, run: Run, nodes: Sequence[Node]) -> None:
        self.run = run
        self.names = Names(run.names.given)
        self.evaluation = Evaluation()
        self.of_target: dict[int, Line] = {}
        self.of_constant: dict[int, Line] = {}
        self.of_node: dict[int, str] = {}
        self.last: dict[int, Node] = {}  # of a node that is a part of an operation, the one of its result
        for node in nodes:
            group = self.run.groups.get(node)
            members = (member() for member in group.members) if group else ()
            self.last.update({id(member): node for member in members if isinstance(member, Node)})

    def add(self, node: Node) -> None:
        """Add the line of a node, after the lines of its inputs."""
        assert node.inputs is not None
        result = self.last.get(id(node), node)
        group = self.run.groups.get(result)
        for member in group.members if group else ():
            application = member()
            if isinstance(application, Application) and id(application.out) not in self.of_constant:
                inputs = tuple(self.constant(x, group) for x in application.inputs)
                name = self.names.own(self.run.name(application.out))
                line = self.line(name, application, inputs, self.span(result), part_of=self.name(result))
                self.of_constant[id(application.out)] = line
        inputs = tuple(self.input(node, position, x, group) for position, x in enumerate(node.inputs))
        value = self.run.made.get(node)  # as it was made: memory may have changed, and views with it
        out = Tensor(np.array(node.out)[()] if value is None else value, node)
        application = Application(node.primitive, node.inputs, node.options, out)
        part_of = "" if result is node else self.name(result)
        called = group and result is node and group.call
        whole = with_operands(called, [self.operand(x()) for x in group.operands]) if group and called else None
        line = self.line(self.name(node), application, inputs, self.span(node), part_of=part_of, whole=whole)
        self.of_target[id(node)] = line

    def line(self, name: str, application: Application, inputs: tuple[Line, ...], span: Span, **facts: Any) -> Line:
        """Add the line of an application."""
        operands = [
            line.spelling if isinstance(x, Tensor) else line.written
            for line, x in zip(inputs, application.inputs, strict=True)
        ]
        written = notation(application.primitive, application.inputs, application.options, operands)
        line = Line(name, application.out, written, span, application, inputs, **facts)
        self.evaluation.add(line)
        return line

    def name(self, node: Node) -> str:
        """Return the name of a node, which is given when it is first asked for."""
        if id(node) not in self.of_node:
            self.of_node[id(node)] = self.names.own(self.run.names.of(node))
        return self.of_node[id(node)]

    def operand(self, x: Any) -> Expression:
        """Return how an argument of a call is written."""
        line = self.of_target.get(id(x)) or self.of_constant.get(id(x))
        if line is not None:
            return line.spelling
        return self.run.names.expression(x) if isinstance(x, Tensor) else Name(self.run.names.of(x))

    def input(self, node: Node, position: int, x: Any, group: Group | None) -> Line:
        edge = node.edges[position] if position < len(node.edges) else None
        if edge is not None and id(edge) in self.of_target:
            return self.of_target[id(edge)]
        if isinstance(edge, AccumulateGrad):
            return self.leaf(edge)
        return self.constant(x, group)

    def leaf(self, target: AccumulateGrad) -> Line:
        tensor = target.variable
        name = self.names.own(self.run.name(tensor))
        line = Line(name, Tensor(np.array(tensor.value)[()], target), Name(name), Span(0, 0), is_variable=True)
        self.of_target[id(target)] = line
        self.evaluation.add(line)
        return line

    def constant(self, x: Any, group: Group | None) -> Line:
        """Return the line of a number or of a tensor without gradient; data of the snippet keep their name.

        Of a call that is the argument, which torch may have converted.
        """
        if id(x) in self.of_constant:
            return self.of_constant[id(x)]
        if group is not None and isinstance(x, Tensor):
            given = argument(x, [tensor for operand in group.operands if isinstance(tensor := operand(), Tensor)])
            if given is not x:
                self.of_constant[id(x)] = self.constant(given, None)
                return self.of_constant[id(x)]
        written = self.run.names.expression(x) if isinstance(x, Tensor) else literal(x)
        value = x.value if isinstance(x, Tensor) else np.asarray(x)[()]
        if isinstance(written, Name):
            own = self.names.own(written.id)
            line = Line(own, Tensor(value), Name(own), Span(0, 0), is_variable=True)
        else:
            line = Line(self.names.fresh("c"), Tensor(value), written, Span(0, 0))
        self.of_constant[id(x)] = line
        self.evaluation.add(line)
        return line

    def span(self, node: Node) -> Span:
        """Return the span of the line that made a node."""
        source, number = self.run.machine.source, self.run.lines.get(node, 1)
        if number > source.text.count("\n") + 1:
            return Span(0, 0)
        start = source.offset(number)
        return Span(start, start + len(source.line(number)))


def explained(graph: Evaluation | None, contributions: Sequence[Contribution], upstream: Any) -> Explanation | None:
    """Return the explanation of the pass; None where there is no graph, or a formula has no text."""
    if graph is None:
        return None
    try:
        with np.errstate(all="ignore"):
            return build(graph, valued(upstream), contributions)
    except (GradcliError, ValueError, TypeError, KeyError):
        return None
