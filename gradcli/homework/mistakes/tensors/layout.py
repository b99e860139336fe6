"""Layout: a transpose forgotten, or one too many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import EdgeFacts, Guess, Mistake, Slip
from gradcli.homework.solve.graph import Change
from gradcli.homework.solve.problem import Problem

TRANSPOSE = Mistake(
    "transpose",
    "left out a transpose, or put one too many",
    order=14,
    of_rule=True,
    hint="look again at the layout at {node}: which factor is transposed, and what has whose shape",
)


TRANSPOSE.ends("the transpose", "it is turned over", lambda problem, value: value.T if np.ndim(value) == 2 else None)


@TRANSPOSE.guesses
def transposed(problem: Problem) -> Iterator[Guess]:
    if np.ndim(problem.truth) == 2:
        message = f"this is the transpose: a gradient has the layout of {problem.label(problem.by)} itself"
        yield Guess(problem.by, "the transpose", message, problem.truth.T)


def factor_beside(edge: EdgeFacts) -> tuple[bool, Any] | None:
    """Return whether the edge of a matrix product is that of the left factor, and the other one; None for other edges.

    A product may have an addend before its factors.
    """
    first = len(edge.operands) - 2
    if "matrix" not in edge.vertex.traits or edge.position < first:
        return None
    is_left = edge.position == first
    return is_left, edge.operands[first + is_left]


def is_possible(edge: EdgeFacts, change: Change) -> bool:
    """Whether a change gives a gradient of the right shape."""
    operand = np.asarray(edge.operands[edge.position])
    try:
        shape = np.shape(fit(np.asarray(change(edge.upstream, None)), operand))
    except FAILURES:
        return False
    return bool(shape == np.shape(operand))


@TRANSPOSE.rules()
def untransposed(edge: EdgeFacts) -> Iterator[Slip]:
    """`g @ W` for `g @ W.T`, where the shapes let it through."""
    if beside := factor_beside(edge):
        is_left, other = beside

        def change(g: Any, contribution: Any) -> Any:
            if is_left:  # by a vector it is the outer product, turned
                return np.outer(other, g) if np.ndim(other) == 1 else np.matmul(g, other)
            return np.matmul(other, g)

        rule = "g @ W for g @ W.T" if is_left else "X @ g for X.T @ g"
        message = f"on the way back through {edge.name} you did not transpose the other factor"
        if is_possible(edge, change):
            yield edge.slip(rule, message, change)


@TRANSPOSE.rules()
def untransposed_gradient(edge: EdgeFacts) -> Iterator[Slip]:
    """`g @ X` for `g.T @ X`, where the other factor of X is turned over, and `g.T @ W.T` for `g @ W.T`."""
    beside: tuple[bool, Any] = factor_beside(edge) or (False, None)
    is_left, other = beside
    g, source = edge.upstream, edge.graph.vertices[edge.source]
    if np.ndim(g) != 2 or np.ndim(other) != 2 or len({*np.shape(g)}) != 1:
        return
    if "turning" in source.traits and np.shape(g) == np.shape(other) == np.shape(source.value):
        message = f"on the way back through {edge.name} you did not transpose the gradient"
        rule = "W @ g for W @ g.T" if is_left else "g @ X for g.T @ X"
        yield edge.slip(rule, message, lambda g, contribution: ((other @ g) if is_left else (g @ other)).T)
    message = f"on the way back through {edge.name} you transposed the gradient"
    rule = "g.T @ W.T for g @ W.T" if is_left else "X.T @ g.T for X.T @ g"
    yield edge.slip(rule, message, lambda g, contribution: g.T @ other.T if is_left else other.T @ g.T, rank=1)
