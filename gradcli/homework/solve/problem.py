"""One quantity of a question: its graph, its right value, and the gradients of the right sweep."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.facts import dataclass
from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.result_cache import once
from gradcli.homework.solve.graph import Change, Edge, Graph, reached, ways_of
from gradcli.homework.solve.vertices import Vertex, at_values, ones_like
from gradcli.homework.wording import wrapped


def sweep(
    graph: Graph,
    of: int,
    changes: Mapping[Edge, Change] | None = None,
    *,
    seed: Value | None = None,
    given: Mapping[int, Value] | None = None,
    values: Sequence[Value] | None = None,
    changed: Mapping[int, Vertex] = MappingProxyType({}),
    stop: Collection[int] = (),
    fitted: bool = True,
    only: Collection[int] | None = None,
) -> dict[int, Value]:
    """Return the gradients of vertex `of` with respect to everything below it, by vertex, or of some vertices `only`.

    `changes` replace contributions; `seed` (default 1) enters at `of`, and may be an array of many seeds where the
    graph is scalar; `given` replace computed gradients, `values` forward values, and `changed` vertices; nothing flows
    on from the vertices in `stop`; contributions are summed over broadcast axes only if `fitted`.
    """
    changes, given, is_fitted = changes or {}, given or {}, fitted and not graph.is_scalar
    totals = {of: ones_like(graph.vertices[of].value) if seed is None else seed}
    if only is not None:  # which begin at the gradients that are given
        totals.update((vertex, value) for vertex, value in given.items() if vertex in only)
    for index in range(of, -1, -1):
        if index not in totals:
            continue
        if index in given:
            totals[index] = np.asarray(given[index])[()]
        if index in stop and index != of:
            continue
        vertex, rules, options = graph.ways[index]
        if index in changed:
            vertex = changed[index]
            rules, options = ways_of(vertex, index)
        if not rules:
            continue
        g = totals[index]
        operands = vertex.operands if values is None or index in changed else at_values(vertex, values)
        out = vertex.value if values is None else values[index]
        for edge, rule, source in rules:
            if only is not None and source not in only:
                continue
            contribution = rule(g, out, *operands, **options)
            change = changes.get(edge) if changes else None
            if change is not None:
                contribution = change(g, contribution)
            if is_fitted:
                contribution = fit(contribution, operands[edge.position])
            totals[source] = totals[source] + contribution if source in totals else contribution
    return totals


T = TypeVar("T")
PATHS = 10  # of which every subset is tried
SUMS = {"add": (1.0, 1.0), "sub": (1.0, -1.0)}  # the local derivatives of sums


@dataclass(frozen=True)
class Problem:
    """The value of vertex `by`, or the gradient of vertex `of` with respect to it.

    A local derivative is a gradient at which nothing flows on from named vertices (`stop`). `seed` is the gradient
    that enters, None for 1. Of a snippet (`accumulates`), `before` is the `.grad` that was there before, if any, by
    `earlier` passes; `unreset` are the values of `.grad` if nothing had reset it.

    Where a student goes on from own numbers, `given` are gradients that replace computed ones, and `changes` the rules.
    """

    graph: Graph
    kind: Literal["value", "gradient"]
    of: int
    by: int
    stop: frozenset[int] = frozenset()
    seed: Value | None = None
    before: Value | None = None
    unreset: tuple[Value, ...] = ()
    earlier: tuple[Problem, ...] = ()
    accumulates: bool = False
    rates: tuple[float, ...] = (1.0, 0.5, 0.2, 0.1, 0.05, 0.01, 0.001)  # steps that learners take
    given: Mapping[int, Value] = field(default_factory=dict)
    is_alone: bool = False  # whether nobody asks for the gradients of other vertices
    changes: Mapping[Edge, Change] = field(default_factory=dict)
    cache: dict[Any, Any] = field(default_factory=dict, compare=False)

    def at(self, by: int) -> Problem:
        """Return the problem of the same output with respect to another vertex; the two share their cache."""
        return replace(self, by=by)

    def over(self, graph: Graph) -> Problem:
        """Return the problem at other values of its graph; the problem itself where they are its own."""
        return self if graph is self.graph else replace(self, graph=graph, cache={})

    def swept(
        self,
        changes: Mapping[Edge, Change] | None = None,
        *,
        values: Sequence[Value] | None = None,
        changed: Mapping[int, Vertex] = MappingProxyType({}),
        fitted: bool = True,
        only: Collection[int] | None = None,
    ) -> dict[int, Value]:
        """Return the gradients of `of`, by vertex, with some rules or vertices changed, or at other values."""
        return sweep(
            self.graph,
            self.of,
            {**self.changes, **(changes or {})} if self.changes else changes,
            seed=self.seed,
            given={vertex: value for vertex, value in self.given.items() if vertex != self.by} if self.given else None,
            values=values,
            changed=changed,
            stop=self.stop,
            fitted=fitted,
            only=only,
        )

    def once(self, key: Any, compute: Callable[[], T]) -> T:
        """Return a result that problems of one output share, computed for the first that asks."""
        return once(self.cache, key, compute)

    @property
    def totals(self) -> dict[int, Value]:
        """The right gradient of every vertex below `of`."""
        totals: dict[int, Value] | None = self.cache.get("totals")
        if totals is None:
            totals = self.cache["totals"] = {vertex: np.asarray(total)[()] for vertex, total in self.swept().items()}
        return totals

    @cached_property
    def truth(self) -> Value:
        """The right value; None where the output does not depend on the variable."""
        if self.kind == "value":
            return self.graph.vertices[self.by].value
        total = self.totals.get(self.by)
        return total if self.before is None or total is None else self.before + total

    def contribution(self, edge: Edge) -> Value:
        """Return the contribution of an edge, before any sum over broadcast axes."""
        vertex = self.graph.vertices[edge.vertex]
        rule = vertex.rules[edge.position]
        return rule(self.totals[edge.vertex], vertex.value, *vertex.operands, **vertex.options)

    def local(self, edge: Edge) -> Value:
        """Return the local derivative of an elementwise edge, the student's own if there is one."""
        right = self.graph.local(edge)
        change = self.changes.get(edge)
        return right if change is None else change(np.ones_like(right)[()], right)

    def reaches(self, vertex: int) -> bool:
        """Whether a gradient arrives at a vertex and goes on."""
        return vertex in self.totals and (vertex == self.of or vertex not in self.stop)

    @property
    def edges(self) -> list[Edge]:
        """The edges that the gradient flows along."""

        def reached() -> list[Edge]:
            within = self.graph.within
            return [e for e in self.graph.edges if self.reaches(e.vertex) and (within is None or e.vertex in within)]

        return self.once("edges", reached)

    def into(self, vertex: int) -> list[Edge]:
        """Return the edges that bring the gradient of a vertex."""
        return self.once(
            ("into", vertex), lambda: [e for e in self.graph.into.get(vertex, ()) if self.reaches(e.vertex)]
        )

    def seen_in(self, graph: Graph, quantity: Quantity) -> Problem | None:
        """Return the problem of a quantity as it stands in a graph; None where it has no part in it.

        In a snippet one that has a name may be in another graph, too. It is then a value there, whatever it was when it
        was asked for: `torch.autograd.grad` has given it.
        """
        if self.graph is graph:
            return self
        vertex = graph.names.get(quantity.of) if quantity.kind == "snippet" else None
        is_same = vertex is not None and np.array_equal(graph.vertices[vertex].value, self.truth)
        return Problem(graph, "value", vertex, vertex) if vertex is not None and is_same else None

    def sums(self) -> Iterator[tuple[Problem, float]]:
        """Yield the problems of the sums that a variable has only been added to, with the sign it has there."""
        problem, sign = self, 1.0
        while problem.kind == "gradient" and not problem.stop and problem.of != problem.by:
            edges = problem.into(problem.by)
            signs = SUMS.get(problem.graph.vertices[edges[0].vertex].op) if len(edges) == 1 else None
            if signs is None:
                return
            problem, sign = problem.at(edges[0].vertex), sign * signs[edges[0].position]
            yield problem, sign

    @cached_property
    def paths(self) -> list[tuple[Edge, ...]] | None:
        """The paths from `of` to `by`, each from the output on; None where they are too many to try."""
        paths: list[tuple[Edge, ...]] = []
        for path in self._walk():
            if len(paths) == PATHS:
                return None
            paths.append(path)
        return paths

    @property
    def above(self) -> frozenset[int]:
        """The vertices from which `by` is reached, itself among them."""
        return self.once(("above", self.by), lambda: frozenset(reached([self.by], self.users)))

    @property
    def alone(self) -> frozenset[int] | None:
        """The vertices through which `by` has its gradient from those that are given; None where all are asked for."""

        def compute_alone() -> frozenset[int]:
            known = self.given.keys() - {self.by}
            return frozenset(reached([self.by], lambda vertex: () if vertex in known else self.users(vertex)))

        return self.once(("alone", self.by), compute_alone) if self.is_alone else None

    def feels(self, edges: Collection[Edge]) -> bool:
        """Whether changed edges change something that is asked for: the gradient of `by`, where that is alone."""
        alone = self.alone
        return alone is None or any(edge.vertex in alone and self.graph.source(edge) in alone for edge in edges)

    def users(self, vertex: int) -> list[int]:
        """Return the vertices through which the gradient of one comes, one for each use."""
        return [edge.vertex for edge in self.into(vertex)]

    @property
    def read(self) -> frozenset[int]:
        """The vertices whose values the rules have that lead to `by`."""

        def compute_read() -> frozenset[int]:
            steps = {edge.vertex for edge in self.graph.edges if self.graph.source(edge) in self.above}
            return frozenset(v for step in steps for v in (step, *self.graph.vertices[step].sources))

        return self.once(("read", self.by), compute_read)

    def _walk(self) -> Iterator[tuple[Edge, ...]]:
        above = self.above
        waiting: list[tuple[int, tuple[Edge, ...]]] = [(self.of, ())]
        while waiting:
            vertex, path = waiting.pop()
            if vertex == self.by:
                yield path
            elif self.reaches(vertex):
                onward = reversed(self.graph.below(vertex))
                waiting.extend((s, (*path, e)) for e in onward if (s := self.graph.source(e)) in above)

    def flow(self, path: tuple[Edge, ...]) -> Value:
        """Return the contribution of one path alone."""
        others = {edge: nothing for edge in self.edges if edge not in path}
        return self.swept(others)[self.by]

    @cached_property
    def flows(self) -> list[Value]:
        """The contributions of the paths."""
        return [self.flow(path) for path in self.paths or ()]

    def label(self, vertex: int) -> str:
        return self.graph.label(vertex)

    def ratio(self, of: int, by: int) -> str:
        """Write `∂q/∂s` with the labels of two vertices."""
        return f"∂{wrapped(self.label(of))}/∂{wrapped(self.label(by))}"


def nothing(g: Value, contribution: Value) -> Value:
    """The change that leaves a contribution out."""
    return np.zeros_like(contribution)[()]


def slope(derivative: Value) -> Change:
    """The change that puts another local derivative in place of the right one, at an elementwise edge."""
    return lambda g, contribution: g * derivative


def instead(derivative: Value) -> Change:
    """The change that puts a derivative in place of a contribution, whatever the gradient from above."""
    return lambda g, contribution: np.broadcast_to(derivative, np.shape(contribution))[()]


def scaled(factor: Value) -> Change:
    """The change that multiplies a contribution."""
    return lambda g, contribution: contribution * factor
