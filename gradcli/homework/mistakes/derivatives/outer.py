"""Functions of functions: the outer derivative is taken at the inner value, and not at anything else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import WEAK, Guess, Mistake, Slip
from gradcli.homework.mistakes.derivatives.nesting import derivative_of, functions, insides, masked, nests
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge, Graph
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.sweep import sweep

OUTER_AT_WRONG_POINT = Mistake("outer-at-wrong-point", "took the outer derivative at the inner input", order=4, tier=1)
OUTER_AT_DERIVATIVE = Mistake(
    "outer-at-derivative", "took the outer derivative at the inner derivative", order=5, tier=1
)


@OUTER_AT_DERIVATIVE.guesses
def outer_at_whole_derivative(problem: Problem) -> Iterator[Guess]:
    """f'(g'(x)) where g is made of several steps; of a named g in a sum, the rest of the sum beside it."""
    graph = problem.graph
    for edge, whole, derivative in insides(problem):
        ways = [(whole, derivative)]
        for inner in {inner for other, inner in nests(problem) if other == edge} & graph.named - {whole}:
            own = derivative_of(problem, inner).get(problem.by)
            if own is not None:
                ways.append((inner, graph.forward({inner: own}, frozenset({whole}))[whole]))
        for inner, point in ways:
            wrong = problem.totals[edge.vertex] * slope_at(graph, edge, point)
            yield Guess(
                edge.vertex,
                composed(problem, problem.by),
                put_inside(problem, edge, inner),
                problem.truth + wrong - problem.contribution(edge) * derivative,
                rank=masked(graph, edge.vertex),
            )


@OUTER_AT_DERIVATIVE.guesses
def outer_at_derivative_of_its_value(problem: Problem) -> Iterator[Guess]:
    """f'(g'(x)) for a local derivative f'(u), where u = g(x)."""
    edges = problem.into(problem.by) if problem.stop and not np.ndim(problem.truth) else []
    if len(edges) == 1 and edges[0] in set(functions(problem)):
        derivatives = sweep(problem.graph, problem.by)
        for leaf in variables(problem.graph, problem.by):
            wrong = slope_at(problem.graph, edges[0], derivatives.get(leaf, np.nan))
            yield Guess(
                edges[0].vertex, composed(problem, leaf), put_inside(problem, edges[0], problem.by), wrong, rank=1
            )


@OUTER_AT_WRONG_POINT.slips
def outer_at_inner_input(problem: Problem) -> Iterator[Slip]:
    """f'(x) g'(x) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        near = [*inputs(problem.graph, inner), *variables(problem.graph, inner)]
        far = [x for x in variables(problem.graph, inner, deep=True) if x not in near]
        for x, rank in (dict.fromkeys(near, 0) | dict.fromkeys(far, WEAK)).items():
            name, wanted = problem.label(x), problem.label(problem.graph.source(edge))
            for told, point in points(problem.graph, edge, inner, name, problem.graph.vertices[x].value):
                yield Slip(
                    edge.vertex,
                    f"f'({told}) for f'({wanted})",
                    f"you took the derivative of {problem.label(edge.vertex)} at {told}; it belongs at {wanted}",
                    {edge: slope(slope_at(problem.graph, edge, point))},
                    rank=rank + masked(problem.graph, edge.vertex),
                )


def points(graph: Graph, edge: Edge, inner: int, name: str, value: Value) -> Iterator[tuple[str, Value]]:
    """Yield a value as the point at which a function is taken, and the sum that `inner` is in with it in its place."""
    yield name, value
    whole = graph.source(edge)
    if inner != whole and whole not in graph.named:
        yield f"{name} for {graph.label(inner)}", graph.forward({inner: value}, frozenset({whole}))[whole]


@OUTER_AT_DERIVATIVE.slips
def outer_at_inner_derivative(problem: Problem) -> Iterator[Slip]:
    """f'(g'(x)) for f'(g(x)) g'(x)."""
    for edge, inner in nests(problem):
        for below in problem.graph.below(inner):
            x, wrong = problem.graph.source(below), slope_at(problem.graph, edge, problem.graph.local(below))
            is_same = np.array_equal(wrong, problem.graph.local(edge))  # then it is the inner one that was forgotten
            yield Slip(
                edge.vertex,
                composed(problem, x),
                put_inside(problem, edge, inner),
                {edge: slope(wrong), below: slope(1.0)},
                rank=masked(problem.graph, edge.vertex) + is_same,
            )


def composed(problem: Problem, x: int) -> str:
    name = problem.label(x)
    return f"f'(g'({name})) for f'(g({name}))*g'({name})"


def put_inside(problem: Problem, edge: Edge, inner: int) -> str:
    outer = problem.label(edge.vertex)
    return (
        f"you put the derivative of {problem.label(inner)} inside the derivative of {outer}; it is a factor beside it"
    )


def inputs(graph: Graph, vertex: int) -> list[int]:
    """Return the inputs of a vertex that have its shape."""
    shape = np.shape(graph.vertices[vertex].value)
    sources = dict.fromkeys(source for source in graph.vertices[vertex].sources if source >= 0)
    return [source for source in sources if np.shape(graph.vertices[source].value) == shape]


def variables(graph: Graph, vertex: int, *, deep: bool = False) -> list[int]:
    """Return the values with names that a vertex is made of by steps without names, of its shape; if `deep` leaves."""
    shape = np.shape(graph.vertices[vertex].value)
    found, waiting = {}, inputs(graph, vertex)
    while waiting:
        below = waiting.pop()
        if not graph.vertices[below].rules or (below in graph.named and not deep):
            is_variable = below in graph.named or graph.vertices[below].line.is_variable
            found[below] = is_variable and np.shape(graph.vertices[below].value) == shape
        elif below not in found:
            found[below] = False
            waiting.extend(source for source in graph.vertices[below].sources if source >= 0)
    return [below for below, is_variable in found.items() if is_variable]


def slope_at(graph: Graph, edge: Edge, point: Value) -> Value:
    """Return the local derivative of an elementwise edge with its input at another point."""
    vertex = graph.vertices[edge.vertex]
    operands = [point if position == edge.position else x for position, x in enumerate(vertex.operands)]
    return graph.local(edge, operands, vertex.forward(operands))
