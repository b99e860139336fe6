"""Rules half remembered: of a root, an exponential, a quotient, half of a square, a factor with a minus sign."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Slip
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE
from gradcli.homework.solve.problem import scaled


@POWER_RULE.rules("sqrt", "pow")
def root_left_out(edge: EdgeFacts) -> Iterator[Slip]:
    """`1/(2*x)` for the derivative `1/(2*sqrt(x))` of a root."""
    if edge.op == "sqrt" or edge.vertex.options.get("exponent") == 0.5:
        message = f"in the derivative of {edge.name} the root is still there"
        yield edge.with_derivative("1/(2*x)", message, 1 / (2 * edge.operands[0]), rank=1)
        yield edge.with_derivative("2*sqrt(x)", message, 2 * edge.value, rank=2)


@POWER_RULE.rules("exp")
def exponent_in_front(edge: EdgeFacts) -> Iterator[Slip]:
    """`x*exp(x)` for the derivative of `exp(x)`."""
    message = f"{edge.name} is its own derivative; no exponent comes down in front"
    yield edge.with_derivative("x*exp(x)", message, edge.operands[0] * edge.value, rank=2)


@POWER_RULE.rules("mul", "div")
def half_of_a_square(edge: EdgeFacts) -> Iterator[Slip]:
    """`2*e` for the derivative `e` of `e**2/2`: the number in front and the exponent cancel."""
    graph, number = edge.graph, edge.operands[1 - edge.position]
    if np.ndim(number) or len(edge.vertex.rules) != 1 or edge.source in graph.named:
        return
    below = graph.vertices[edge.source]
    while below.op in ("sum", "sum_dim") and below.sources[0] not in graph.named:
        below = graph.vertices[below.sources[0]]
    is_half = number == (2 if edge.op == "div" else 0.5)
    if is_half and below.op == "pow" and below.options.get("exponent") == 2:
        message = f"in the derivative of {edge.name} the number in front and the exponent cancel"
        yield edge.slip("2*x for x", message, scaled(2.0))
