"""Determinants: the derivative of det(A) is the determinant times the transposed inverse, that of its logarithm not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Mistake, Slip
from gradcli.homework.solve.problem import scaled

DETERMINANT = Mistake(
    "determinant",
    "left the determinant out of its derivative, or put it into that of its logarithm",
    order=14.5,
    of_rule=True,
    is_single=True,
    hint="look again at the derivative of the determinant at {node}: which factors it has",
)


@DETERMINANT.rules("det", "slogdet_logabsdet")
def missing_factor(edge: EdgeFacts) -> Iterator[Slip]:
    """The transposed inverse alone; of a logarithm, with the determinant before it."""
    if edge.op == "det" and np.ndim(edge.value) == 0 and edge.value:
        message = f"in the derivative of {edge.name} the determinant itself is a factor; you left it out"
        yield edge.slip("inverse(A).T", message, scaled(1 / edge.value))
    elif edge.op != "det" and np.ndim(edge.value) == 0:
        message = f"the derivative of {edge.name} is that of a logarithm, and has no determinant in it"
        yield edge.slip("det(A)*inverse(A).T", message, scaled(np.exp(edge.value)))
