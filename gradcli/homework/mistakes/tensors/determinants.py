"""Determinants: the derivative of det(A) is the determinant times the transposed inverse, that of its logarithm not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import Mistake, Slip
from gradcli.homework.solve.problem import Problem, scaled

DETERMINANT = Mistake(
    "determinant",
    "left the determinant out of its derivative, or put it into that of its logarithm",
    order=14.5,
    of_rule=True,
    is_single=True,
    hint="look again at the derivative of the determinant at {node}: which factors it has",
)


@DETERMINANT.slips
def missing_factor(problem: Problem) -> Iterator[Slip]:
    """The transposed inverse alone; of a logarithm, with the determinant before it."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        name = problem.label(edge.vertex)
        if vertex.op == "det" and np.ndim(vertex.value) == 0 and vertex.value:
            message = f"in the derivative of {name} the determinant itself is a factor; you left it out"
            yield Slip(edge.vertex, "inverse(A).T", message, {edge: scaled(1 / vertex.value)})
        if vertex.op == "slogdet_logabsdet" and np.ndim(vertex.value) == 0:
            message = f"the derivative of {name} is that of a logarithm, and has no determinant in it"
            yield Slip(edge.vertex, "det(A)*inverse(A).T", message, {edge: scaled(np.exp(vertex.value))})
