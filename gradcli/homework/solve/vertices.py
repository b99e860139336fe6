"""The vertices of the graph of a question: the lines of its forward pass, with the rules that lead back.

Some operations are several steps on paper: a product with an addend, the mean of squared differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.graph import Node, Target
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.formula import Formula
from gradcli.engine.tensor import Tensor
from gradcli.explanation.lines import Line
from gradcli.facts import dataclass
from gradcli.homework.model import Value
from gradcli.language.tree import Name
from gradcli.ops.pointwise.arithmetic import add, sub
from gradcli.ops.pointwise.elementwise import power
from gradcli.ops.products.contractions import mm
from gradcli.ops.reducing.reductions import mean, total
from gradcli.ops.shaping.shaping import clone

AFTER_HOOK = replace(clone, name="hook", traits=())
HOOK = AFTER_HOOK.name
LAST = -1  # among the inputs: the step before


@dataclass(frozen=True, slots=True)
class Vertex:
    """A line of the forward pass. `sources` are the vertices of its inputs, -1 for plain numbers; `rules` the rules by
    position, for the inputs that a gradient flows into.
    """

    line: Line
    value: Value
    operands: tuple[Any, ...]
    sources: tuple[int, ...]
    rules: Mapping[int, Callable[..., Any]]
    primitive: Primitive | None = None
    altered: Mapping[str, Any] | None = None  # options other than those of the line

    @property
    def op(self) -> str:
        """The primitive; empty for a leaf or a constant."""
        return self.primitive.name if self.primitive else ""

    @property
    def traits(self) -> Sequence[str]:
        """The traits of the primitive, if there is one."""
        return self.primitive.traits if self.primitive else ()

    @property
    def options(self) -> Mapping[str, Any]:
        if self.altered is not None:
            return self.altered
        return self.line.application.options if self.line.application else {}

    @property
    def leads(self) -> set[int]:
        """The vertices that its gradient goes on to."""
        return {self.sources[position] for position in self.rules}

    @property
    def is_cut(self) -> bool:
        """Whether it is a leaf without a gradient, which may be another value cut off."""
        return self.primitive is None and not self.line.tensor.requires_grad and bool(np.any(self.value))

    @property
    def structured(self) -> bool:
        return self.primitive is not None and self.primitive.structured

    @property
    def is_function(self) -> bool:
        """Whether it is a function of one value, entry by entry."""
        return len(self.rules) == 1 and not self.structured and not {"sum", HOOK} & {*self.traits, self.op}

    def afresh(self) -> Vertex:
        """The step with rules that compute its result again from the operands, whatever stands for it."""

        def read(rule: Callable[..., Any]) -> Callable[..., Any]:
            return lambda g, out, *operands, **options: rule(g, self.forward(operands), *operands, **options)

        return replace(self, rules={position: read(rule) for position, rule in self.rules.items()})

    def forward(self, operands: Sequence[Any]) -> Value:
        """The value over other operands."""
        assert self.primitive is not None
        return self.primitive.forward(*operands, **self.options)


def vertices_of(lines: Sequence[Line], hooks: Mapping[Target, float]) -> tuple[list[Vertex], dict[int, int]]:
    """Return the vertices of lines, and the number of each line's, by its id; `hooks` multiply gradients."""
    vertices: list[Vertex] = []
    number, read = dict[int, int](), dict[int, int]()  # of a line, and of what later lines read in its place
    for line in lines:
        vertices.extend(on_paper(of_line(line, read, vertices), len(vertices)))
        number[id(line)] = read[id(line)] = len(vertices) - 1
        factor = hooks.get(line.tensor.node) if line.tensor.node else None
        if factor is not None:
            vertices.append(hooked(vertices[-1], number[id(line)], factor))
            read[id(line)] += 1
    return vertices, number


def of_line(line: Line, number: Mapping[int, int], earlier: Sequence[Vertex]) -> Vertex:
    """Return the vertex of a line. Its operands are values of earlier ones: an optimizer changes tensors in place."""
    application, node = line.application, line.tensor.node
    if application is None:
        return Vertex(line, line.tensor.value, (), (), {})
    sources = tuple(
        number[id(origin)] if isinstance(x, Tensor) else -1
        for origin, x in zip(line.inputs, application.inputs, strict=True)
    )
    operands = tuple(
        earlier[source].value if isinstance(x, Tensor) else x
        for source, x in zip(sources, application.inputs, strict=True)
    )
    rules = {}
    if isinstance(node, Node):
        declared = application.primitive.rules_for(node.edges)
        for position, (edge, rule) in enumerate(zip(node.edges, declared, strict=False)):
            if edge is not None and rule is not None:
                rules[position] = rule
    return Vertex(line, line.tensor.value, operands, sources, rules, application.primitive)


def hooked(vertex: Vertex, number: int, factor: float) -> Vertex:
    """Return the vertex after one with a hook that multiplies gradients: its value is the same."""
    rules = {0: lambda g, out, x: g * factor}
    return Vertex(vertex.line, vertex.value, (vertex.value,), (number,), rules, AFTER_HOOK)


@dataclass(frozen=True, slots=True)
class Step:
    """One step on paper, with the positions of its inputs among the operands of the whole operation."""

    primitive: Primitive
    inputs: tuple[int, ...]
    options: Mapping[str, Any]


def steps(op: str, options: Mapping[str, Any]) -> list[Step]:
    """Return the steps of an operation; none where it is one step on paper, too."""
    if op == "addmm" and options["alpha"] == options["beta"] == 1:
        return [Step(mm, (1, 2), {}), Step(add, (LAST, 0), {})]
    whole = {"mean": mean, "sum": total}.get(options["reduction"]) if op == "mse_loss" else None
    if whole is None:
        return []
    return [Step(sub, (0, 1), {}), Step(power, (LAST,), {"exponent": 2}), Step(whole, (LAST,), {})]


def on_paper(vertex: Vertex, number: int) -> Iterator[Vertex]:
    """Yield a vertex, or the steps that it is on paper, the first with a number; the last one has its value."""
    paper_steps = steps(vertex.op, vertex.options) if vertex.op else []
    last = None
    for count, step in enumerate(paper_steps, 1):
        inputs = [_input(vertex, position, last, number + count - 2) for position in step.inputs]
        operands, sources, trees, are_leading = zip(*inputs, strict=True)
        rules = {p: rule for p, rule in enumerate(step.primitive.rules) if rule and are_leading[p]}
        value, line = vertex.value, vertex.line
        if count < len(paper_steps):
            value = step.primitive.forward(*operands, **step.options)
            written = step.primitive.notation(tuple(map(Formula, trees, operands)), dict(step.options))
            line = replace(line, name=f"{line.name}_{count}", written=written)
        last = Vertex(line, value, operands, sources, rules, step.primitive, step.options)
        yield last
    if last is None:
        yield vertex


def _input(vertex: Vertex, position: int, last: Vertex | None, number: int) -> tuple[Any, int, Any, bool]:
    """Return value, number and expression of an input of a step, and whether a gradient flows into it."""
    if position == LAST and last is not None:
        return last.value, number, Name(last.line.name), bool(last.rules)
    return (
        vertex.operands[position],
        vertex.sources[position],
        vertex.line.inputs[position].spelling,
        position in vertex.rules,
    )


def at_values(vertex: Vertex, values: Sequence[Value]) -> list[Any]:
    """Return the operands of a vertex where all vertices have these values."""
    pairs = zip(vertex.sources, vertex.operands, strict=True)
    return [values[source] if source >= 0 else operand for source, operand in pairs]


def ones_like(value: Value) -> Value:
    """Return ones of a shape and a type; of a single number, which most are, without an array between."""
    return type(value)(1) if isinstance(value, np.floating) else np.ones_like(value)[()]
