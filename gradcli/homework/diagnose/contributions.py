"""The numbers that readers mistake for one contribution of a backward pass, each with the mistake that leads to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.primitive import Primitive
from gradcli.errors import GradcliError
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import FAILURES
from gradcli.explanation.model import Explanation
from gradcli.explanation.steps.walk import Contributed, contributions
from gradcli.explanation.values import Variables
from gradcli.facts import dataclass
from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.diagnose.suspect_index import Suspect
from gradcli.homework.mistakes.pen import decimal_point
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge, Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex
from gradcli.homework.submission.numerals import Tolerance, Typed
from gradcli.language.tree import Name

MOST = 20  # mistakes of one contribution
ENTRIES = 6  # of a contribution that anybody would type
WHOLE = 1200  # contributions times nodes where mistakes are looked for in the whole graph, and not just near an edge
SAME_NAME = re.compile(r"you used (\S+) for \1\b")


@dataclass(frozen=True, slots=True)
class Mistaken:
    """A wrong number, and the mistake behind it in a clause about the reader: "you kept the branch through p"."""

    value: Value
    message: str


class Steps(Graph):
    """A graph whose steps have the names of the page of steps: `v1`, even where a text such as `a*x2` would do.

    `steps` are these names. A value without one, such as the error inside a squared loss, is called by its text.
    """

    steps: frozenset[str] = frozenset()

    def label(self, index: int) -> str:
        name = self.vertices[index].line.name
        return name if name in self.steps else super().label(index)


def graph_of(explanation: Explanation) -> Graph | None:
    """Run the program of an explanation again, for its graph; None where that cannot be."""
    program = explanation.parsed
    if not program.statements:  # of a snippet
        return None
    variables = Variables.of(program)
    values = {node.name: node.value for node in explanation.nodes if node.name in variables.places}
    wrt = [leaf.name for leaf in explanation.leaves]
    targets = {statement.target for statement in program.statements}
    of = explanation.output if explanation.output in targets else None
    with suppress(GradcliError, *FAILURES):
        run = evaluate(program, values, wrt=wrt, of=of, dtype=np.dtype(explanation.value.dtype), variables=variables)
        graph = Steps(run, program.source.text)
        graph.steps = frozenset(node.id for node in explanation.nodes)
        return graph
    return None


class Contributions:
    """The mistakes about each contribution of one backward pass, whose graph is given."""

    def __init__(self, explanation: Explanation, graph: Graph) -> None:
        seed = None if explanation.is_seed_one else explanation.upstream
        self.graph = graph
        self.explanation = explanation
        no_rates = ()  # nobody learns by one contribution
        self.problem = Problem(graph, "gradient", graph.output, graph.output, seed=seed, rates=no_rates)
        self.is_small = len(explanation.steps) * len(explanation.nodes) <= WHOLE
        self.whole = {node.id: node.part_of for node in explanation.nodes if node.part_of}
        self.vertices: Mapping[str, int] = {v.line.name: index for index, v in enumerate(graph.vertices)}

    @cached_property
    def suspects(self) -> Suspects:
        """The mistakes on the whole graph."""
        return Suspects(self.problem)

    def mistakes(self) -> Iterator[tuple[Contributed, tuple[Mistaken, ...]]]:
        """Yield every contribution with the wrong numbers for it, likely ones first."""
        for move in contributions(self.explanation):
            wrong_numbers: list[Mistaken] = []
            if move.fact.contribution.size <= ENTRIES:
                with suppress(*FAILURES, KeyError), np.errstate(all="ignore"):
                    wrong_numbers = list(self.mistaken(move))
            yield move, tuple(distinct(wrong_numbers, move.fact.contribution))[:MOST]

    def mistaken(self, move: Contributed) -> Iterator[Mistaken]:
        edge = Edge(self.vertices[move.edge.target], move.edge.position)
        by, truth = self.vertices[move.edge.source], move.fact.contribution
        into = self.problem.into(by)
        if move.before is not None:
            through = self.whole.get(move.edge.target, move.edge.target)
            yield Mistaken(move.fact.total, f"this is the sum so far; asked is what comes through {through}")
        if len(into) == 1:
            (edge,) = into  # a quotient is one step on paper
        elif edge not in into:
            return
        if not self.is_small:
            suspects = Suspects(self.near(edge))
            by = suspects.problem.graph.vertices[-1 if edge.vertex == self.graph.output else -2].sources[edge.position]
        elif len(into) == 1:
            suspects = self.suspects
        else:
            suspects = Suspects(self.alone(edge, by))
        problem = suspects.problem.at(by)
        if problem.truth is None or not same(problem.truth, truth):
            return  # the graph of the catalogue has another edge there: a quotient is one step on paper
        ranked: list[tuple[Suspect, Value]] = []
        for shelf in suspects.shelf(by, SINGLE).values():
            ranked.extend(zip(shelf.suspects, shelf.numbers, strict=True))
        for suspect, value in sorted(ranked, key=lambda pair: pair[0].rank):
            message = said(suspect) if len(into) == 1 and self.is_small else self.held(suspect, value, problem, move)
            if not SAME_NAME.search(message):
                yield Mistaken(value, message)
        for shift in (-1, 1):
            for mistake in decimal_point(problem, Typed(truth * 10.0**shift), Tolerance()):
                yield Mistaken(mistake.value, mistake.message)

    def held(self, suspect: Suspect, value: Value, problem: Problem, move: Contributed) -> str:
        """Return what a mistake along one edge says: a part of a gradient is not the gradient."""
        source, through = move.edge.source, self.whole.get(move.edge.target, move.edge.target)
        is_part = len(self.problem.into(self.vertices[source])) > 1
        if is_part and suspect.codes == ("sign",) and f"/∂{source} has the other sign" in said(suspect):
            return f"the sign of what comes through {through} has slipped"
        if suspect.codes != ("swapped-variable",):
            return said(suspect)
        for number, vertex in enumerate(problem.graph.vertices):
            total = problem.totals.get(number)
            if total is not None and number != problem.by and same(total, value):
                known = self.problem.totals.get(self.vertices.get(vertex.line.name, -1))
                name = problem.label(number)
                if known is None or not same(known, value):
                    part = f"if {source} gets what comes through {through} alone"
                    return f"this is what arrives at {name} {part}, not what {source} gets"
        return said(suspect)

    def alone(self, edge: Edge, by: int) -> Problem:
        """Return the problem in which a node has no other consumers than the one at an edge."""
        lost = {other_edge for other_edge in self.problem.into(by) if other_edge != edge}
        graph = self.graph.over(
            replace(vertex, rules={p: rule for p, rule in vertex.rules.items() if Edge(index, p) not in lost})
            for index, vertex in enumerate(self.graph.vertices)
        )
        return replace(self.problem, graph=graph, cache={})

    def near(self, edge: Edge) -> Problem:
        """Return the problem of the step at an edge by itself."""
        graph = near(self.graph, edge, self.problem.totals[edge.vertex])
        is_last = edge.vertex == self.graph.output
        return replace(
            self.problem,
            graph=graph,
            of=graph.output,
            by=graph.output,
            seed=self.problem.seed if is_last else None,
            cache={},
        )


def near(graph: Graph, edge: Edge, upstream: Value) -> Graph:
    """Return the vertex of an edge with its inputs, as leaves, and the output as one step that hands on `upstream`.

    The gradient flows along that edge alone.
    """
    user = graph.vertices[edge.vertex]
    inputs = {source for source in user.sources if source >= 0}
    kept = sorted({*inputs, edge.vertex, graph.output})
    number = {vertex: place for place, vertex in enumerate(kept)}
    sources = tuple(number.get(source, -1) for source in user.sources)
    vertices = [Vertex(graph.vertices[index].line, graph.vertices[index].value, (), (), {}) for index in kept]
    vertices[number[edge.vertex]] = replace(user, sources=sources, rules={edge.position: user.rules[edge.position]})
    if edge.vertex != graph.output:
        vertices[-1] = rest(vertices[-1], user.value, number[edge.vertex], upstream)
    local_graph = graph.over(vertices)
    local_graph.names = {name: number[vertex] for name, vertex in graph.names.items() if vertex in number}
    local_graph.named = frozenset(number[vertex] for vertex in graph.named if vertex in number)
    local_graph.spans = {span: number[vertex] for span, vertex in graph.spans.items() if vertex in number}
    local_graph.output = number[graph.output]
    return local_graph


def rest(output: Vertex, value: Value, source: int, upstream: Value) -> Vertex:
    """Return all steps between a vertex and the output as one, whose gradient is known."""
    is_one = np.ndim(output.value) == 0
    rule = (lambda g, *_: g * upstream) if is_one else (lambda g, *_: upstream)
    step = Primitive("", lambda *_: output.value, (rule,), "", lambda *_: Name(output.line.name), structured=True)
    return Vertex(output.line, output.value, (value,), (source,), {0: rule}, step, {})


def said(suspect: Suspect) -> str:
    """Return the mistake with the numbers that go on after it."""
    details = [part.detail for part in suspect.parts if part.detail.startswith("which")]
    return ", ".join([*(part.message for part in suspect.parts), *details])


def same(value: Any, other: Any) -> bool:
    fitted = fit(np.asarray(value), other)
    return np.shape(fitted) == np.shape(other) and bool(np.allclose(fitted, other, rtol=1e-5, equal_nan=True))


def distinct(mistakes: list[Mistaken], truth: Value) -> Iterator[Mistaken]:
    """Yield the first mistake behind each number, of those that are not right."""
    seen: set[tuple[Any, ...]] = set()
    for mistake in mistakes:
        value = np.asarray(mistake.value)
        key = (value.shape, *(float(f"{entry:.9g}") for entry in value.ravel()[:ENTRIES]))
        is_right = value.shape == np.shape(truth) and np.allclose(value, truth, rtol=1e-6, atol=1e-12, equal_nan=True)
        if key not in seen and not is_right and np.isfinite(value).all():
            seen.add(key)
            yield mistake
