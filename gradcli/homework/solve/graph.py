"""The graph of a question, over which the chain rule can be run again with one rule changed.

For gradients `g_v` of the output with respect to v and local derivatives `d_uv` of v with respect to u, right is
`g_u = sum over v of g_v * d_uv`. A sweep computes just that, with the rules of the primitives; a change replaces the
contribution of one rule. The engine's own walk runs over live nodes, with hooks, versions and `.grad`; a test holds the
two to the same numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np

from gradcli.engine.graph import Target
from gradcli.explanation.lines import Evaluation, Line
from gradcli.homework.model import Value
from gradcli.homework.result_cache import once
from gradcli.homework.solve.vertices import HOOK, Vertex, at_values, ones_like, vertices_of
from gradcli.language.rewrite import substitute
from gradcli.language.tree import Expression, Name
from gradcli.language.unparser import unparse
from gradcli.ops.pointwise.arithmetic import div
from gradcli.source import Span

LONGEST = 40  # characters of a label
REST = Name("…")  # stands for operands that would make it longer


def spelled_out(lines: Sequence[Line], named: Collection[int]) -> list[str]:
    """Return the label of each line: names that gradcli gave to steps are replaced by the expressions of the steps."""
    known: dict[str, Expression] = {}
    labels = []
    for index, line in enumerate(lines):
        tree = substitute(line.written, known) if line.application else line.written
        label = unparse(tree)
        if len(label) > LONGEST:
            tree = substitute(line.written, dict.fromkeys(known, REST))
            label = unparse(tree)
        if line.application and index not in named:
            known[line.name] = tree
        labels.append(label)
    return labels


def without_parentheses(text: str) -> str:
    """`a - t` for `(a - t)`."""
    while text.startswith("(") and text.endswith(")"):
        depth = list(accumulate((c == "(") - (c == ")") for c in text))
        if 0 in depth[:-1]:
            break
        text = text[1:-1].strip()
    return text


def reached(starts: Iterable[int], onward: Callable[[int], Iterable[int]]) -> set[int]:
    """Return the vertices that a way leads to from some, which are among them; those below 0 are none."""
    waiting = list(starts)
    vertices = set(waiting)
    while waiting:
        for vertex in onward(waiting.pop()):
            if vertex >= 0 and vertex not in vertices:
                vertices.add(vertex)
                waiting.append(vertex)
    return vertices


Steps = list[tuple[int, int | None]]  # vertices to compute, each with the vertex that it is a copy of, if it is one


class Order:
    """The order for vertices with these sources, some of which are copies of others."""

    def __init__(self, sources: Sequence[Sequence[int]], copies: Mapping[int, int]) -> None:
        self.sources, self.copies = sources, copies
        self.known: dict[frozenset[int], Steps] = {}

    def after(self, given: frozenset[int]) -> Steps:
        """Return the vertices that are computed from given ones."""
        if given not in self.known:
            touched, steps = set(given), self.known.setdefault(given, [])
            for vertex, sources in enumerate(self.sources):
                is_computed = vertex not in given and not touched.isdisjoint(sources)
                if is_computed or self.copies.get(vertex) in touched:
                    steps.append((vertex, None if is_computed else self.copies[vertex]))
                    touched.add(vertex)
        return self.known[given]


Change = Callable[[Value, Value], Value]  # from upstream gradient and right contribution to the mistaken contribution
CUT = re.compile(r"\.(detach\(\)|data)$")
OF_STRUCTURE = {"is_scalar", "has_softmax", "edges", "into", "leaves", "twins", "order", "labels", "spellings"}
UNNAMED = re.compile(r"[vc]\d+")  # the names that gradcli gives to steps of a snippet


class Edge(NamedTuple):
    """The input at a position of a vertex; vertices are numbers in order of evaluation."""

    vertex: int
    position: int


Way = tuple[Edge, Callable[..., Any], int]  # with its rule, and the vertex that its contribution goes to
Ways = list[tuple[Vertex, list[Way], Mapping[str, Any]]]  # by vertex, with the options of its operation


class Graph:
    """The lines of an evaluation as vertices; `names` leads from the names of the program to theirs.

    Where only what happens `within` some vertices is new, mistakes are looked for there.
    """

    within: frozenset[int] | None = None

    def __init__(self, evaluation: Evaluation, text: str, hooks: Mapping[Target, float] = MappingProxyType({})) -> None:
        self.vertices, number = vertices_of(evaluation.lines, hooks)
        self.text = text
        of_tensor = {id(line.tensor): number[id(line)] for line in evaluation.lines}
        of_name = {line.name: number[id(line)] for line in evaluation.lines}  # which a snippet has given
        of_scope = {name: of_tensor[id(x)] for name, x in evaluation.scope.items() if id(x) in of_tensor}
        self.names = of_scope or of_name
        self.output = of_tensor[id(evaluation.output)]
        parts = {number[id(line)] for line in evaluation.lines if line.part_of}  # of steps that have a name
        of_snippet = {i for name, i in of_name.items() if not UNNAMED.fullmatch(name)} - parts
        self.named = frozenset(of_scope.values()) or frozenset(of_snippet)
        self.join_quotients()
        self.spans: dict[Span, int] = {v.line.span: index for index, v in enumerate(self.vertices)}

    def join_quotients(self) -> None:
        """Make `3/x` one step, as it is on paper; the engine multiplies by the reciprocal, as torch does."""
        uses = Counter(source for vertex in self.vertices for source in vertex.sources)
        for index, vertex in enumerate(self.vertices):
            if vertex.op != "mul" or vertex.sources[1] != -1:
                continue
            inner = vertex.sources[0]
            below = self.vertices[inner]
            if below.op == "reciprocal" and below.rules and uses[inner] == 1 and inner not in self.named:
                operands, sources = (vertex.operands[1], *below.operands), (-1, *below.sources)
                rules = {1: cast(Callable[..., Any], div.rules[1])}
                self.vertices[index] = Vertex(vertex.line, vertex.value, operands, sources, rules, div)

    def new(self) -> Iterator[tuple[int, Vertex]]:
        """Yield the vertices at which mistakes are looked for, with their numbers."""
        return ((i, v) for i, v in enumerate(self.vertices) if self.within is None or i in self.within)

    @cached_property
    def values(self) -> list[Value]:
        return [vertex.value for vertex in self.vertices]

    @cached_property
    def ways(self) -> Ways:
        """The vertices with the rules by which gradients go on, looked up once for many sweeps."""
        return [(vertex, *ways_of(vertex, index)) for index, vertex in enumerate(self.vertices)]

    @cached_property
    def is_scalar(self) -> bool:
        """Whether every value is one number, so that many sweeps can run at once, side by side in arrays."""
        return all(np.ndim(v.value) == 0 and not v.structured for v in self.vertices)

    @cached_property
    def has_softmax(self) -> bool:
        return any("softmax" in vertex.op for vertex in self.vertices)

    @cached_property
    def edges(self) -> list[Edge]:
        """Every edge that a gradient flows along."""
        return [edge for index in range(len(self.vertices)) for edge in self.below(index)]

    @cached_property
    def into(self) -> dict[int, list[Edge]]:
        """The edges that end in each vertex: one for each use of it."""
        uses: dict[int, list[Edge]] = {}
        for edge in self.edges:
            uses.setdefault(self.source(edge), []).append(edge)
        return uses

    @cached_property
    def leaves(self) -> list[int]:
        return [i for i, v in enumerate(self.vertices) if v.line.application is None and v.line.tensor.requires_grad]

    @cached_property
    def twins(self) -> dict[int, list[int]]:
        """The logarithms that a cross entropy takes of the same softmax, for each softmax that stands beside it."""
        logarithms: dict[int, list[int]] = {}
        softmax = [(i, v) for i, v in enumerate(self.vertices) if v.op == "softmax"]
        for index, vertex in enumerate(self.vertices) if softmax else ():
            for other, beside in softmax:
                if vertex.op == "log_softmax" and (vertex.sources, vertex.options) == (beside.sources, beside.options):
                    logarithms.setdefault(other, []).append(index)
        return logarithms

    @cached_property
    def copies(self) -> dict[int, int]:
        """The leaves that are an earlier value cut off, with it: by the name `y.detach()`, or by its value."""
        cut = {vertex: CUT.sub("", name) for name, vertex in self.names.items() if CUT.search(name)}
        leaves = [v for v in self.named - cut.keys() if self.vertices[v].is_cut]
        others = ((v, of) for v in leaves for of in range(v) if self.vertices[of].primitive)
        pairs = (*((v, self.names.get(name, v)) for v, name in cut.items()), *others)
        return {v: of for v, of in pairs if of < v and np.array_equal(self.values[v], self.values[of])}

    def below(self, vertex: int) -> list[Edge]:
        """Return the edges by which a vertex sends its gradient on."""
        return [Edge(vertex, position) for position in self.vertices[vertex].rules]

    def source(self, edge: Edge) -> int:
        return self.vertices[edge.vertex].sources[edge.position]

    def label(self, index: int) -> str:
        """Return the name of a vertex, or the text it is written as."""
        if index not in self.labels:
            self.labels[index] = self.labelled(index)
        return self.labels[index]

    @cached_property
    def labels(self) -> dict[int, str]:
        return {}

    def labelled(self, index: int) -> str:
        line = self.vertices[index].line
        if self.vertices[index].op == HOOK:
            return f"{self.label(self.vertices[index].sources[0])} after its hook"
        if index in self.named or line.is_variable:
            return line.name
        start, end = line.span
        if self.text and end > start and self.spans.get(line.span) == index and end - start <= LONGEST:
            return without_parentheses(" ".join(self.text[start:end].split()))
        return self.spellings[index]

    @cached_property
    def spellings(self) -> list[str]:
        return spelled_out([vertex.line for vertex in self.vertices], self.named)

    def local(self, edge: Edge, operands: Sequence[Any] | None = None, out: Value | None = None) -> Value:
        """Return the local derivative of an elementwise edge, its rule at g = 1; at other operands if given."""
        vertex = self.vertices[edge.vertex]
        operands = vertex.operands if operands is None else operands
        out = vertex.value if out is None else out
        return vertex.rules[edge.position](ones_like(out), out, *operands, **vertex.options)

    def forward(self, given: Mapping[int, Value]) -> list[Value]:
        """Return the values with other values for some vertices; values that do not depend on them stay."""
        values = {index: np.asarray(value)[()] for index, value in given.items()}  # a typed number is Python's
        values |= {twin: np.log(np.abs(values[index])) for index in values for twin in self.twins.get(index, ())}
        for index, copied in self.order.after(frozenset(values)):
            again = self.vertices[index].forward(self.operands(index, values)) if copied is None else values[copied]
            values[index] = again
        all_values = self.values.copy()
        for index, value in values.items():
            all_values[index] = value
        return all_values

    @cached_property
    def order(self) -> Order:
        return Order([vertex.sources for vertex in self.vertices], self.copies)

    def moved(self, given: Mapping[int, Value]) -> Graph:
        """Return the same graph at other values of some vertices."""
        values = self.forward(given)
        moved = (
            replace(vertex, value=values[index], operands=tuple(at_values(vertex, values)))
            for index, vertex in enumerate(self.vertices)
        )
        return self.over(moved, keep=OF_STRUCTURE)

    def only(self, within: frozenset[int]) -> Graph:
        """Return the same graph, one for all that look for mistakes `within` the same vertices."""

        def made() -> Graph:
            other = self.over(self.vertices, keep=vars(self).keys() - {"shared"})
            other.within = within
            return other

        return once(self.shared, ("only", within), made)

    @cached_property
    def shared(self) -> dict[Hashable, Any]:
        """What problems of this graph share."""
        return {}

    def nudged(self, step: float) -> Graph:
        """Return the graph at other values of its leaves, each a little further off than the one before."""
        leaves = [index for index, vertex in enumerate(self.vertices) if vertex.primitive is None]
        numbers = [index for index in leaves if np.asarray(self.vertices[index].value).dtype.kind == "f"]
        return self.moved({i: self.vertices[i].value * (1 + step * (1 + n / 7)) for n, i in enumerate(numbers)})

    def over(self, vertices: Iterable[Vertex], keep: Collection[str] = ()) -> Graph:
        """Return the graph with other vertices at the same numbers; what is known of it is to `keep`, or found anew."""
        other = copy(self)
        other.vertices = [*vertices]
        known = (name for name in vars(other) if isinstance(getattr(Graph, name, None), cached_property))
        for name in [name for name in known if name not in keep]:
            del other.__dict__[name]
        return other

    def operands(self, index: int, values: Mapping[int, Value]) -> list[Any]:
        """Return the operands of a vertex where some vertices have these values."""
        vertex = self.vertices[index]
        pairs = zip(vertex.sources, vertex.operands, strict=True)
        return [values.get(source, operand) for source, operand in pairs]


def ways_of(vertex: Vertex, index: int) -> tuple[list[Way], Mapping[str, Any]]:
    """Return the edges below a vertex with their rules and sources, and the options of its operation."""
    rules = vertex.rules.items()
    return [(Edge(index, position), rule, vertex.sources[position]) for position, rule in rules], vertex.options
