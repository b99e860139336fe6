"""Products of matrices, and the values in them: another order, entry by entry, the result where the input belongs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import Guess, Mistake, Slip, Turn
from gradcli.homework.mistakes.forward import LAST, fits
from gradcli.homework.mistakes.tensors.layout import LAYOUTS, TRANSPOSE, vertex_first
from gradcli.homework.solve.graph import Change, Edge, Graph
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


def factors(problem: Problem) -> Iterator[tuple[Edge, Any, Any]]:
    """Yield the edges of products of two matrices, with the other factor and the operand."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        first = vertex_first(vertex)
        if "matrix" in vertex.traits and edge.position >= first:
            other = vertex.operands[first + 1 if edge.position == first else first]
            if np.ndim(other) == np.ndim(vertex.operands[edge.position]) == 2:
                yield edge, other, vertex.operands[edge.position]


def possible(problem: Problem, edge: Edge, change: Change) -> bool:
    """Whether a change gives a gradient of the right shape."""
    operand = problem.graph.vertices[edge.vertex].operands[edge.position]
    try:
        shape = np.shape(fit(np.asarray(change(problem.totals[edge.vertex], None)), operand))
    except FAILURES:
        return False
    return bool(shape == np.shape(operand))


@FACTORS_ORDER.slips
def swapped_gradient(problem: Problem) -> Iterator[Slip]:
    """`W.T @ g` for `g @ W.T`, also with the transpose left out."""
    for edge, other, _ in factors(problem):
        is_first = edge.position == vertex_first(problem.graph.vertices[edge.vertex])
        for factor, rank in ((other.T, 0), (other, 1)):
            change = _before(factor) if is_first else _behind(factor)
            if possible(problem, edge, change):
                name = problem.label(edge.vertex)
                message = f"on the way back through {name} you put the factors in the other order"
                yield Slip(edge.vertex, "the other order", message, {edge: change}, rank=rank)


@FACTORS_ORDER.guesses
def of_another_shape(problem: Problem) -> Iterator[Guess]:
    """The factors in the other order where the result has another shape."""
    uses = problem.into(problem.by) if problem.kind == "gradient" else []
    for edge, other, operand in factors(problem) if len(uses) == 1 else ():
        g = problem.totals[edge.vertex]
        is_first = edge.position == vertex_first(problem.graph.vertices[edge.vertex])
        for factor in (other.T, other) if edge in uses and np.ndim(g) == 2 else ():
            left, right = (factor, g) if is_first else (g, factor)
            if np.shape(left)[1] == np.shape(right)[0] and np.shape(left @ right) != np.shape(operand):
                message = f"on the way back through {problem.label(edge.vertex)} you put the factors in the other order"
                yield Guess(problem.by, "the other order", message, left @ right)


@ELEMENTWISE.guesses
def unsummed_product(problem: Problem) -> Iterator[Guess]:
    """The entries of a matrix times those of a vector, which are not added up."""
    vertex = problem.graph.vertices[problem.by]
    number = 1.0
    if problem.kind == "value" and vertex.op == "div" and vertex.sources[0] >= 0 and np.ndim(vertex.operands[1]) == 0:
        vertex, number = problem.graph.vertices[vertex.sources[0]], vertex.operands[1]
    if problem.kind == "value" and vertex.op == "mv":
        message = f"in {problem.label(problem.by)} you multiplied entry by entry; it is a matrix product"
        yield Guess(problem.by, "X*w for X @ w", message, vertex.operands[0] * vertex.operands[1] / number)


def _before(factor: Any) -> Change:
    return lambda g, contribution: factor @ g


def _behind(factor: Any) -> Change:
    return lambda g, contribution: g @ factor


@ELEMENTWISE.slips
def elementwise_gradient(problem: Problem) -> Iterator[Slip]:
    for edge, other, _ in factors(problem):
        for factor, rank in ((other, 0), (other.T, 1)):
            change = slope(factor)
            if possible(problem, edge, change):
                name = problem.label(edge.vertex)
                message = f"on the way back through {name} you multiplied entry by entry; it is a matrix product"
                yield Slip(edge.vertex, "* for @", message, {edge: change}, rank=rank)


def products(graph: Graph) -> Iterator[tuple[int, Any, Any, Any]]:
    """Yield the matrix products of the forward pass with their two factors and the addend."""
    for index, vertex in graph.new():
        if "matrix" in vertex.traits and len(vertex.operands) >= 2:
            a, b = vertex.operands[-2:]
            if np.ndim(a) == 2 and np.ndim(b) > 0:
                yield index, a, b, vertex.operands[0] if len(vertex.operands) > 2 else 0.0


def _turn(graph: Graph, index: int, make: Any, rule: str, message: str) -> Iterator[Turn]:
    vertex = graph.vertices[index]
    try:
        value = make()
    except FAILURES:
        return
    if fits(value, vertex.value):
        yield Turn(index, rule, message, {index: replace(vertex, value=value)})


@TRANSPOSE.turns
def transposed_factor(graph: Graph) -> Iterator[Turn]:
    for index, a, b, c in products(graph):
        message = f"in {graph.label(index)} you transposed a factor"
        if np.ndim(b) == 2:
            yield from _turn(graph, index, lambda a=a, b=b, c=c: a @ b.T + c, "X @ W.T for X @ W", message)
        yield from _turn(graph, index, lambda a=a, b=b, c=c: a.T @ b + c, "X.T @ W for X @ W", message)


@FACTORS_ORDER.turns
def swapped_product(graph: Graph) -> Iterator[Turn]:
    for index, a, b, c in products(graph):
        message = f"in {graph.label(index)} you put the factors in the other order"
        if np.ndim(b) == 2:  # a vector before a matrix is the transpose
            yield from _turn(graph, index, lambda a=a, b=b, c=c: b @ a + c, "W @ X for X @ W", message)


@ELEMENTWISE.turns
def elementwise_product(graph: Graph) -> Iterator[Turn]:
    for index, a, b, c in products(graph):
        message = f"in {graph.label(index)} you multiplied entry by entry; it is a matrix product"
        yield from _turn(graph, index, lambda a=a, b=b, c=c: a * b + c, "X*W for X @ W", message)
        if np.ndim(b) == 2:  # of a factor that is turned over, the entries as they were
            yield from _turn(graph, index, lambda a=a, b=b, c=c: a * b.T + c, "X*W for X @ W.T", message)


@RESULT_FOR_INPUT.slips
def result_for_input(problem: Problem) -> Iterator[Slip]:
    """`A.T @ g` for `X.T @ g`: the value behind a step, or before an activation, in place of the factor."""
    graph = problem.graph
    for edge in problem.edges:
        vertex = graph.vertices[edge.vertex]
        is_matrix = "matrix" in vertex.traits and edge.position >= vertex_first(vertex)
        if len(vertex.rules) < 1 or not (is_matrix or vertex.op in ("mul", "dot")):
            continue
        last = len(vertex.operands) - 1
        place = last if edge.position == last - 1 else last - 1
        factor, source = vertex.operands[place], vertex.sources[place]
        near = nearby(problem, edge.vertex, source)
        below = graph.vertices[source] if source >= 0 else None
        if below is not None and below.op in LAYOUTS and below.primitive is not None and below.sources[0] >= 0:
            for other in nearby(problem, edge.vertex, below.sources[0]):  # of a factor that is turned over
                value = graph.vertices[other].value
                if np.shape(value) == np.shape(below.operands[0]):
                    wanted, used = graph.label(below.sources[0]), graph.label(other)
                    message = f"on the way back through {graph.label(edge.vertex)} you used {used}; it is {wanted}"
                    change = _with(vertex, edge, place, below.forward([value]))
                    yield Slip(edge.vertex, f"{used} for {wanted}", message, {edge: change})
        known = sorted({*graph.named, *graph.leaves} - {*near})
        for other in [*near, *(one for one in known if one < edge.vertex or one in graph.leaves)]:
            value = graph.vertices[other].value
            if other in (source, graph.source(edge)) or np.shape(value) != np.shape(factor):
                continue
            change = _with(vertex, edge, place, value)
            wanted, used = graph.label(source) if source >= 0 else "the other factor", graph.label(other)
            message = f"on the way back through {graph.label(edge.vertex)} you used {used}; it is {wanted}"
            rank = 0 if is_matrix and other in near else LAST + 1
            yield Slip(edge.vertex, f"{used} for {wanted}", message, {edge: change}, rank=rank)


@RESULT_FOR_INPUT.slips
def result_at_each_use(problem: Problem) -> Iterator[Slip]:
    """The result for the input at each use of a weight, as in a network that is unrolled."""
    graph = problem.graph
    for source in graph.leaves:
        changes: dict[Edge, Change] = {}
        uses = [edge for edge in problem.into(source) if graph.vertices[edge.vertex].op == "mul"]
        for edge in uses if len(uses) > 1 else ():
            vertex, place = graph.vertices[edge.vertex], 1 - edge.position
            above = [v for v in nearby(problem, edge.vertex, -1) if graph.vertices[v].is_function]
            if vertex.sources[place] >= 0 and above:
                changes[edge] = _with(vertex, edge, place, graph.vertices[above[0]].value)
        if len(changes) > 1:
            message = f"in the derivative by {graph.label(source)} you used the results; it is the inputs"
            yield Slip(next(iter(changes)).vertex, "results for inputs", message, changes, rank=LAST + 1)


@RESULT_FOR_INPUT.guesses
def input_of_another_shape(problem: Problem) -> Iterator[Guess]:
    """`X.T @ g` for `A.T @ g`, where X has another number of columns."""
    graph = problem.graph
    for edge, other, _ in factors(problem) if problem.kind == "gradient" else ():
        vertex, g = graph.vertices[edge.vertex], problem.totals[edge.vertex]
        if graph.source(edge) != problem.by or edge.position != len(vertex.operands) - 1 or np.ndim(g) != 2:
            continue
        for one in sorted({*graph.named, *graph.leaves} - {problem.by}):
            value = graph.vertices[one].value
            if np.ndim(value) == 2 and len(value) == len(other) and np.shape(value) != np.shape(other):
                message = f"on the way back through {graph.label(edge.vertex)} you used {graph.label(one)}"
                yield Guess(problem.by, f"{graph.label(one)}.T @ g", message, value.T @ g, rank=1)


def _with(vertex: Vertex, edge: Edge, place: int, value: Any) -> Change:
    """Return the rule of an edge with another value for an operand."""
    operands = [value if position == place else x for position, x in enumerate(vertex.operands)]
    return lambda g, contribution: vertex.rules[edge.position](g, vertex.value, *operands, **vertex.options)


@ELEMENTWISE.guesses
def entries_for_outer(problem: Problem) -> Iterator[Guess]:
    """The entries of two vectors multiplied where their outer product belongs."""
    for edge in problem.into(problem.by) if problem.kind == "gradient" else ():
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op == "mv" and edge.position == 0:
            g, x = problem.totals[edge.vertex], vertex.operands[1]
            if np.shape(g) == np.shape(x):
                name = problem.label(edge.vertex)
                message = f"on the way back through {name} you multiplied entry by entry; it is an outer product"
                yield Guess(problem.by, "* for the outer product", message, g * x)


def nearby(problem: Problem, vertex: int, factor: int) -> list[int]:
    """Return the step itself, what is computed from it one value at a time, and what an activation was given."""
    graph = problem.graph
    found = [vertex]
    for _ in range(2):
        above = (edge.vertex for edge in chain.from_iterable(map(problem.into, found)))
        found.extend(v for v in above if v not in found and not graph.vertices[v].structured)
    below = graph.vertices[factor] if factor >= 0 else None
    if below is not None and len(below.sources) == 1 and not below.structured:
        found.extend(source for source in below.sources if source >= 0)
    return list(dict.fromkeys(found))
