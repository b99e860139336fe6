"""Products of matrices, and the values in them: another order, entry by entry, the result where the input belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import EdgeFacts, Guess, Mistake, Slip, StepFacts, Turn
from gradcli.homework.mistakes.forward import LAST
from gradcli.homework.mistakes.tensors.layout import TRANSPOSE, factor_beside, is_possible
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.vertices import Vertex

FACTORS_ORDER = Mistake(
    "factors-order",
    "put the factors of a matrix product in the other order",
    order=14.1,
    of_rule=True,
    is_single=True,
    hint="look again at the matrix product at {node}: which factor stands where",
)
ELEMENTWISE = Mistake(
    "elementwise", "multiplied entry by entry where a matrix product belongs", order=14.2, of_rule=True, is_single=True
)
RESULT_FOR_INPUT = Mistake(
    "result-for-input", "used another value where an input belongs", order=14.3, of_rule=True, is_single=True, tier=1
)


def matrix_beside(edge: EdgeFacts) -> tuple[bool, Any] | None:
    """Return what `factor_beside` does, of products of two matrices alone."""
    beside = factor_beside(edge)
    is_both = beside is not None and np.ndim(beside[1]) == np.ndim(edge.operands[edge.position]) == 2
    return beside if is_both else None


def in_other_order(is_left: bool, factor: Any) -> Change:
    return lambda g, contribution: factor @ g if is_left else g @ factor


@FACTORS_ORDER.rules()
def swapped_gradient(edge: EdgeFacts) -> Iterator[Slip]:
    """`W.T @ g` for `g @ W.T`, also with the transpose left out."""
    if beside := matrix_beside(edge):
        message = f"on the way back through {edge.name} you put the factors in the other order"
        for factor, rank in ((beside[1].T, 0), (beside[1], 1)):
            change = in_other_order(beside[0], factor)
            if is_possible(edge, change):
                yield edge.slip("the other order", message, change, rank=rank)


@FACTORS_ORDER.gradients
def of_another_shape(problem: Problem) -> Iterator[Guess]:
    """The factors in the other order where the result has another shape."""
    uses = [EdgeFacts(problem, edge) for edge in problem.into(problem.by)]
    beside = matrix_beside(uses[0]) if len(uses) == 1 else None
    if beside is None or np.ndim(uses[0].upstream) != 2:
        return
    is_left, other = beside
    for factor in (other.T, other):
        with suppress(*FAILURES):
            value = in_other_order(is_left, factor)(uses[0].upstream, None)
            if np.shape(value) != np.shape(problem.truth):
                message = f"on the way back through {uses[0].name} you put the factors in the other order"
                yield Guess(problem.by, "the other order", message, value)


@ELEMENTWISE.rules()
def elementwise_gradient(edge: EdgeFacts) -> Iterator[Slip]:
    if beside := matrix_beside(edge):
        message = f"on the way back through {edge.name} you multiplied entry by entry; it is a matrix product"
        for factor, rank in ((beside[1], 0), (beside[1].T, 1)):
            if is_possible(edge, slope(factor)):
                yield edge.slip("* for @", message, slope(factor), rank=rank)


def multiplied(step: StepFacts, *ways: tuple[str, str, Callable[[Any, Any], Any]]) -> Iterator[Turn]:
    """Yield a matrix product, and perhaps an addend, with the factors multiplied in other ways where that can be."""
    a, b = step.operands[-2:] if "matrix" in step.vertex.traits and len(step.operands) >= 2 else (0.0, 0.0)
    for rule, message, way in ways if np.ndim(a) == 2 and np.ndim(b) > 0 else ():
        if np.ndim(b) == 2 or "W.T" not in rule:
            with suppress(*FAILURES):
                product = way(a, b) + (step.operands[0] if len(step.operands) > 2 else 0.0)
                yield step.turn(rule, f"in {step.name} you {message}", product)


@TRANSPOSE.steps()
def transposed_factor(step: StepFacts) -> Iterator[Turn]:
    message = "transposed a factor"
    yield from multiplied(
        step,
        ("X @ W.T for X @ W", message, lambda a, b: a @ b.T),
        ("X.T @ W for X @ W", message, lambda a, b: a.T @ b),
    )


@FACTORS_ORDER.steps()
def swapped_product(step: StepFacts) -> Iterator[Turn]:
    if np.ndim(step.operands[-1]) == 2:  # a vector before a matrix is the transpose
        way = ("W @ X for X @ W", "put the factors in the other order", lambda a, b: b @ a)
        yield from multiplied(step, way)


@ELEMENTWISE.steps()
def elementwise_product(step: StepFacts) -> Iterator[Turn]:
    message = "multiplied entry by entry; it is a matrix product"
    yield from multiplied(
        step,
        ("X*W for X @ W", message, lambda a, b: a * b),
        ("X*W for X @ W.T", message, lambda a, b: a * b.T),  # of a factor that is turned over, the entries as they were
    )


@RESULT_FOR_INPUT.rules()
def result_for_input(edge: EdgeFacts) -> Iterator[Slip]:
    """`A.T @ g` for `X.T @ g`: the value behind a step, or before an activation, in place of the factor."""
    graph, vertex, is_matrix = edge.graph, edge.vertex, factor_beside(edge) is not None
    if not is_matrix and edge.op not in ("mul", "dot"):
        return
    last = len(edge.operands) - 1
    place = last if edge.position == last - 1 else last - 1
    source, shape = vertex.sources[place], np.shape(edge.operands[place])

    def used(other: int, wanted: str, value: Any, rank: int) -> Slip:
        message = f"on the way back through {edge.name} you used {graph.label(other)}; it is {wanted}"
        change = _with(vertex, edge.edge, place, value)
        return edge.slip(f"{graph.label(other)} for {wanted}", message, change, rank=rank)

    below = graph.vertices[source] if source >= 0 else None
    if below is not None and "turning" in below.traits and below.primitive is not None and below.sources[0] >= 0:
        for other in nearby(edge.problem, edge.index, below.sources[0]):  # of a factor that is turned over
            if np.shape(graph.values[other]) == np.shape(below.operands[0]):
                yield used(other, graph.label(below.sources[0]), below.forward([graph.values[other]]), 0)
    near = nearby(edge.problem, edge.index, source)
    known = sorted({*graph.named, *graph.leaves} - {*near})
    wanted = graph.label(source) if source >= 0 else "the other factor"
    for other in [*near, *(index for index in known if index < edge.index or index in graph.leaves)]:
        if other not in (source, edge.source) and np.shape(graph.values[other]) == shape:
            yield used(other, wanted, graph.values[other], 0 if is_matrix and other in near else LAST + 1)


def _with(vertex: Vertex, edge: Edge, place: int, value: Any) -> Change:
    """Return the rule of an edge with another value for an operand."""
    operands = [value if position == place else x for position, x in enumerate(vertex.operands)]
    return lambda g, contribution: vertex.rules[edge.position](g, vertex.value, *operands, **vertex.options)


def nearby(problem: Problem, vertex: int, factor: int) -> list[int]:
    """Return the step itself, what is computed from it one value at a time, and what an activation was given."""
    graph = problem.graph
    vertices = [vertex]
    for _ in range(2):
        above = (edge.vertex for edge in chain.from_iterable(map(problem.into, vertices)))
        vertices.extend(v for v in above if v not in vertices and not graph.vertices[v].structured)
    below = graph.vertices[factor] if factor >= 0 else None
    if below is not None and len(below.sources) == 1 and not below.structured:
        vertices.extend(source for source in below.sources if source >= 0)
    return list(dict.fromkeys(vertices))
