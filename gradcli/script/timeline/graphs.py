"""The graph of a backward pass as it stood, in lines under the snippet's names; and the pass as an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from gradcli.engine.backward import Contribution
from gradcli.engine.graph import AccumulateGrad, Node, nodes_below
from gradcli.engine.recorder import Application
from gradcli.engine.saved import saved_positions
from gradcli.engine.symbolic.formula import literal
from gradcli.engine.tensor import Tensor
from gradcli.errors import GradcliError
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import Explanation, Names, Note
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, Name
from gradcli.script.timeline.calls import Group, argument, with_operands
from gradcli.script.timeline.expressions import notation
from gradcli.script.timeline.run import Run, is_same
from gradcli.source import Span

MOST_NODES = 400  # the most nodes of a graph that is shown each time
MOST_DRAWN = 12_000  # the most nodes of a graph that is drawn once, folded
MOST_ENTRIES = 2**18  # the most entries of its values together


def numpy_value(carrier: Any) -> Any:
    """Return a numpy value, also where the pass itself was recorded."""
    return carrier.value if isinstance(carrier, Tensor) else carrier


def snapshot(run: Run, output: Tensor) -> Graph | None:
    """Return the graph below an output as lines; None where it is too large, or was freed before.

    Where the run keeps only the last graph, that may be larger.
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


@dataclass
class Graph(Evaluation):
    """The lines of a graph; a tensor that memory was `changed` under has more than one, by name: the first, and how."""

    changed: dict[str, tuple[str, str]] = field(default_factory=dict)
    is_torn: bool = False  # whether a rule reads another value than the operation did: no formula holds for both

    def with_one_gradient(self, explanation: Explanation) -> Explanation:
        """Return an explanation in which all lines of a changed tensor have the gradient of its first line."""
        if not self.changed:
            return explanation
        first = {name: root for name, (root, _) in self.changed.items()}
        nodes = tuple(
            replace(node, locals=tuple(replace(edge, input=first.get(edge.input, edge.input)) for edge in node.locals))
            for node in explanation.nodes
        )
        steps = tuple(replace(step, input=first.get(step.input, step.input)) for step in explanation.steps)
        notes = [
            Note("changed", name, f"{name} is {root} as {by} changed it") for name, (root, by) in self.changed.items()
        ]
        leaves = explanation.leaves
        if self.is_torn:
            leaves = tuple(replace(leaf, formula=None, formula_raw=None) for leaf in leaves)
        return replace(explanation, nodes=nodes, steps=steps, leaves=leaves, notes=(*explanation.notes, *notes))


class Lines:
    """The lines of a graph, oldest first, under the snippet's names."""

    def __init__(self, run: Run, nodes: Sequence[Node]) -> None:
        self.run = run
        self.names = Names(run.names.given)
        self.evaluation = Graph()
        self.of_target: dict[int, Line] = {}
        self.of_constant: dict[int, Line] = {}
        self.of_node: dict[int, str] = {}
        self.changed: dict[str, list[Line]] = {}  # of tensors whose memory was changed, by the first name
        self.last: dict[int, Node] = {}  # by id of a node within an operation, the node of the operation's result
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
                name = self.names.user_name(self.run.name(application.out))
                line = self.line(name, application, inputs, self.span(result), part_of=self.name(result))
                self.of_constant[id(application.out)] = line
        both = [self.moments(node, position, x, group) for position, x in enumerate(node.inputs)]
        value = self.run.made.get(node)  # as it was made: memory may have changed, and views with it
        out = Tensor(np.array(node.out)[()] if value is None else value, node)
        application = Application(node.primitive, node.inputs, node.options, out)
        part_of = "" if result is node else self.name(result)
        called = group and result is node and group.call
        whole = with_operands(called, [self.operand(x()) for x in group.operands]) if group and called else None
        inputs, readers = tuple(later for _, later in both), [first for first, _ in both]
        line = self.line(self.name(node), application, inputs, self.span(node), readers, part_of=part_of, whole=whole)
        self.of_target[id(node)] = line

    def line(
        self,
        name: str,
        application: Application,
        inputs: tuple[Line, ...],
        span: Span,
        operands_then: Sequence[Line] = (),
        **facts: Any,
    ) -> Line:
        """Add the line of an application, written over its operands as they were then."""
        operands = [
            line.spelling if isinstance(x, Tensor) else line.written
            for line, x in zip(operands_then or inputs, application.inputs, strict=True)
        ]
        tree = notation(application.primitive, application.inputs, application.options, operands)
        line = Line(name, application.out, tree, span, application, inputs, **facts)
        self.evaluation.add(line)
        return line

    def name(self, node: Node) -> str:
        """Return the name of a node, which is given when it is first asked for."""
        if id(node) not in self.of_node:
            self.of_node[id(node)] = self.names.user_name(self.run.names.of(node))
        return self.of_node[id(node)]

    def operand(self, x: Any) -> Expression:
        """Return how an argument of a call is written."""
        line = self.of_target.get(id(x)) or self.of_constant.get(id(x))
        if line is not None:
            return line.spelling
        return self.run.names.expression(x) if isinstance(x, Tensor) else Name(self.run.names.of(x))

    def moments(self, node: Node, position: int, x: Any, group: Group | None) -> tuple[Line, Line]:
        """Return the lines of an operand as the node read it, and as its rule reads it in the pass that begins."""
        reads = self.run.read.get(node)
        then = reads[position] if reads is not None and isinstance(x, Tensor) else None
        line = self.input(node, position, x, group, then)
        if then is None or group is not None:
            return line, line
        first = self.at_moment(line, x, then)
        later = self.at_moment(line, x, x.value) if position in saved_positions(node) else first
        self.evaluation.is_torn |= later is not first
        return first, later

    def at_moment(self, line: Line, x: Tensor, value: Any) -> Line:
        """Return the line of a tensor with a value: one of its own where memory was changed since it was made."""
        if is_same(line.tensor.value, value):
            return line
        for known in self.changed.get(line.name, ()):
            if is_same(known.tensor.value, value):
                return known
        name = self.names.user_name(line.name)
        other = Line(name, Tensor(np.array(value)[()]), Name(name), Span(0, 0), is_variable=True)
        self.changed.setdefault(line.name, []).append(other)
        number = self.run.rewritten.get(x)
        by = f"line {number}" if number else "a later line"
        self.evaluation.changed[name] = line.name, by
        self.evaluation.add(other)
        return other

    def input(self, node: Node, position: int, x: Any, group: Group | None, then: Any = None) -> Line:
        edge = node.edges[position] if position < len(node.edges) else None
        if edge is not None and id(edge) in self.of_target:
            return self.of_target[id(edge)]
        if isinstance(edge, AccumulateGrad):
            return self.leaf(edge, then)
        return self.constant(x, group, then)

    def leaf(self, target: AccumulateGrad, then: Any = None) -> Line:
        """Return the line of a leaf, with the value that the first operation read."""
        tensor = target.variable
        name = self.names.user_name(self.run.name(tensor))
        value = tensor.value if then is None else then
        line = Line(name, Tensor(np.array(value)[()], target), Name(name), Span(0, 0), is_variable=True)
        self.of_target[id(target)] = line
        self.evaluation.add(line)
        return line

    def constant(self, x: Any, group: Group | None, then: Any = None) -> Line:
        """Return the line of a number or of a tensor without gradient; data of the snippet keep their name.

        The operand of a call is its argument before torch's conversion.
        """
        if id(x) in self.of_constant:
            return self.of_constant[id(x)]
        if group is not None and isinstance(x, Tensor):
            given = argument(x, [tensor for operand in group.operands if isinstance(tensor := operand(), Tensor)])
            if given is not x:
                self.of_constant[id(x)] = self.constant(given, None)
                return self.of_constant[id(x)]
        tree = self.run.names.expression(x) if isinstance(x, Tensor) else literal(x)
        value = (x.value if then is None else then) if isinstance(x, Tensor) else np.asarray(x)[()]
        if isinstance(tree, Name):
            name = self.names.user_name(tree.id)
            line = Line(name, Tensor(value), Name(name), Span(0, 0), is_variable=True)
        else:
            line = Line(self.names.fresh("c"), Tensor(value), tree, Span(0, 0))
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


def explain_pass(graph: Graph | None, contributions: Sequence[Contribution], upstream: Any) -> Explanation | None:
    """Return the explanation of the pass; None where there is no graph, or a formula has no text."""
    if graph is None:
        return None
    from gradcli.explanation.build import build

    try:
        with np.errstate(all="ignore"):
            explanation = build(graph, numpy_value(upstream), contributions)
            return graph.with_one_gradient(explanation)
    except (GradcliError, ValueError, TypeError, KeyError):
        return None
