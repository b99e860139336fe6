"""Layout: a transpose forgotten, or one too many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import Guess, Mistake, Slip, Turn
from gradcli.homework.solve.graph import Change, Graph
from gradcli.homework.solve.problem import Problem, slope
from gradcli.homework.solve.vertices import Vertex

TRANSPOSE = Mistake(
    "transpose",
    "left out a transpose, or put one too many",
    order=14,
    of_rule=True,
    hint="look again at the layout at {node}: which factor is transposed, and what has whose shape",
)


LAYOUTS = ("t", "transpose", "permute", "reshape", "view")


TRANSPOSE.ends("the transpose", "it is turned over", lambda problem, value: value.T if np.ndim(value) == 2 else None)


@TRANSPOSE.guesses
def transposed(problem: Problem) -> Iterator[Guess]:
    if np.ndim(problem.truth) == 2:
        name = problem.label(problem.by)
        yield Guess(
            problem.by,
            "the transpose",
            f"this is the transpose: a gradient has the layout of {name} itself",
            problem.truth.T,
        )


@TRANSPOSE.slips
def untransposed(problem: Problem) -> Iterator[Slip]:
    """`g @ W` for `g @ W.T`, where the shapes let it through."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        change = _untransposed(vertex, edge.position)
        if change is None:
            continue
        try:
            fits = np.shape(fit(change(problem.totals[edge.vertex], None), np.asarray(vertex.operands[edge.position])))
        except FAILURES:
            continue
        if fits != np.shape(vertex.operands[edge.position]):
            continue
        left, right = ("g", "W") if edge.position == vertex_first(vertex) else ("X", "g")
        turned = f"{left} @ {right}.T" if left == "g" else f"{left}.T @ {right}"
        yield Slip(
            edge.vertex,
            f"{left} @ {right} for {turned}",
            f"on the way back through {problem.label(edge.vertex)} you did not transpose the other factor",
            {edge: change},
        )


@TRANSPOSE.slips
def untransposed_gradient(problem: Problem) -> Iterator[Slip]:
    """`g @ X` for `g.T @ X`, where the other factor of X is turned over, and `g.T @ W.T` for `g @ W.T`."""
    for edge in problem.edges:
        vertex, source = problem.graph.vertices[edge.vertex], problem.graph.vertices[problem.graph.source(edge)]
        first = vertex_first(vertex)
        if "matrix" not in vertex.traits or edge.position < first:
            continue
        is_left, g = edge.position == first, problem.totals[edge.vertex]
        name, other = problem.label(edge.vertex), vertex.operands[first + is_left]
        if np.ndim(g) != 2 or np.ndim(other) != 2 or len({*np.shape(g)}) != 1:
            continue
        if source.op in LAYOUTS and np.shape(g) == np.shape(other) == np.shape(source.value):
            message = f"on the way back through {name} you did not transpose the gradient"
            rule = "W @ g for W @ g.T" if is_left else "g @ X for g.T @ X"
            yield Slip(edge.vertex, rule, message, {edge: _turned_over(other, is_left)})
        message = f"on the way back through {name} you transposed the gradient"
        rule = "g.T @ W.T for g @ W.T" if is_left else "X.T @ g.T for X.T @ g"
        yield Slip(edge.vertex, rule, message, {edge: _by_turned(other, is_left)}, rank=1)


def _by_turned(other: Any, is_left: bool) -> Change:
    return lambda g, contribution: g.T @ other.T if is_left else other.T @ g.T


@TRANSPOSE.slips
def turned_factor(problem: Problem) -> Iterator[Slip]:
    """`g*W.T` for `g*W`, entry by entry."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        other: Any = vertex.operands[1 - edge.position] if vertex.op == "mul" else 0.0
        if np.ndim(other) == 2 and len({*np.shape(other), *np.shape(vertex.value)}) == 1:
            message = f"on the way back through {problem.label(edge.vertex)} you transposed the other factor"
            yield Slip(edge.vertex, "g*W.T for g*W", message, {edge: slope(other.T)}, rank=1)


def _turned_over(other: Any, is_left: bool) -> Change:
    return lambda g, contribution: ((other @ g) if is_left else (g @ other)).T


@TRANSPOSE.slips
def reshaped_gradient(problem: Problem) -> Iterator[Slip]:
    """A reshape for a transpose on the way back, and the other way."""
    for edge in problem.edges:
        vertex, g = problem.graph.vertices[edge.vertex], problem.totals[edge.vertex]
        shape = np.shape(vertex.operands[0])
        if vertex.op in LAYOUTS and len(shape) == np.ndim(g) == 2:
            name = problem.label(edge.vertex)
            for rule, made in ways(shape):
                if np.shape(made(g)) == shape:
                    message = f"at {name} you laid the entries of the gradient out in another order"
                    yield Slip(edge.vertex, rule, message, {edge: _laid_out(made)}, rank=1)


def _laid_out(made: Any) -> Change:
    return lambda g, contribution: made(g)


def ways(shape: tuple[int, ...]) -> list[tuple[str, Any]]:
    """Return the ways in which readers turn a matrix over."""
    return [
        ("transposed", lambda x: x.T),
        ("reshaped", lambda x: np.reshape(x, shape)),
        ("left as it is", lambda x: x),
    ]


@TRANSPOSE.turns
def reshaped_value(graph: Graph) -> Iterator[Turn]:
    for index, vertex in graph.new():
        if vertex.op in LAYOUTS and np.ndim(vertex.operands[0]) == np.ndim(vertex.value) == 2:
            for rule, made in ways(np.shape(vertex.value)):
                value = made(vertex.operands[0])
                if np.shape(value) == np.shape(vertex.value):
                    message = f"in {graph.label(index)} you laid the entries out in another order"
                    yield Turn(index, rule, message, {index: replace(vertex, value=value)}, rank=1)


def vertex_first(vertex: Vertex) -> int:
    """Return the position of the left factor of a matrix product among the inputs."""
    return len(vertex.operands) - 2


def _untransposed(vertex: Vertex, position: int) -> Change | None:
    first = vertex_first(vertex)
    if "matrix" not in vertex.traits or position < first:
        return None
    if position == first:
        if np.ndim(vertex.operands[first + 1]) == 1:  # the outer product, turned
            return lambda g, contribution: np.outer(vertex.operands[first + 1], g)
        return lambda g, contribution: np.matmul(g, vertex.operands[first + 1])
    return lambda g, contribution: np.matmul(vertex.operands[first], g)
