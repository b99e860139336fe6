"""Rules half remembered: of a root, an exponential, a quotient, half of a square, a factor with a minus sign."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import Slip
from gradcli.homework.mistakes.derivatives.nesting import INNER_DROPPED
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE, QUOTIENT
from gradcli.homework.mistakes.forward import SELDOM
from gradcli.homework.solve.problem import Problem, scaled, slope


@POWER_RULE.slips
def root_left_out(problem: Problem) -> Iterator[Slip]:
    """`1/(2*x)` for the derivative `1/(2*sqrt(x))` of a root."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op == "sqrt" or (vertex.op == "pow" and vertex.options.get("exponent") == 0.5):
            message = f"in the derivative of {problem.label(edge.vertex)} the root is still there"
            ratio, x = problem.ratio(edge.vertex, problem.graph.source(edge)), vertex.operands[0]
            yield Slip(edge.vertex, f"{ratio} = 1/(2*x)", message, {edge: slope(1 / (2 * x))}, rank=1)
            yield Slip(edge.vertex, f"{ratio} = 2*sqrt(x)", message, {edge: slope(2 * vertex.value)}, rank=2)


@POWER_RULE.slips
def exponent_in_front(problem: Problem) -> Iterator[Slip]:
    """`x*exp(x)` for the derivative of `exp(x)`."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op == "exp":
            written = problem.label(edge.vertex)
            message = f"{written} is its own derivative; no exponent comes down in front"
            rule = f"{problem.ratio(edge.vertex, problem.graph.source(edge))} = x*exp(x)"
            yield Slip(edge.vertex, rule, message, {edge: slope(vertex.operands[0] * vertex.value)}, rank=2)


@POWER_RULE.slips
def half_of_a_square(problem: Problem) -> Iterator[Slip]:
    """`2*e` for the derivative `e` of `e**2/2`: the number in front and the exponent cancel."""
    graph = problem.graph
    for edge in problem.edges:
        vertex, source = graph.vertices[edge.vertex], graph.source(edge)
        number: Any = vertex.operands[1 - edge.position] if len(vertex.operands) == 2 else 1.0
        if vertex.op not in ("mul", "div") or np.ndim(number) or len(vertex.rules) != 1 or source in graph.named:
            continue
        factor = 1 / number if vertex.op == "div" else number
        below = graph.vertices[source]
        while below.op in ("sum", "sum_dim") and below.sources[0] not in graph.named:
            below = graph.vertices[below.sources[0]]
        if factor == 0.5 and below.op == "pow" and below.options.get("exponent") == 2:
            message = f"in the derivative of {problem.label(edge.vertex)} the number in front and the exponent cancel"
            yield Slip(edge.vertex, "2*x for x", message, {edge: scaled(2.0)})


@QUOTIENT.slips
def upside_down(problem: Problem) -> Iterator[Slip]:
    """`u'*v` for `u'/v`; who turned the quotient over in the forward pass gets there, too."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op == "div" and edge.position == 0 and 1 in vertex.rules:
            message = f"the derivative of {problem.label(edge.vertex)} by its numerator is upside down"
            yield Slip(edge.vertex, "u'*v for u'/v", message, {edge: slope(vertex.operands[1])}, rank=SELDOM)


@INNER_DROPPED.slips
def number_beside_minus(problem: Problem) -> Iterator[Slip]:
    """-1 for the derivative `-k` of `-k*x`."""
    graph = problem.graph
    for edge in problem.edges:
        vertex = graph.vertices[edge.vertex]
        other = vertex.sources[1 - edge.position] if vertex.op == "mul" else -1
        is_minus = other >= 0 and graph.vertices[other].op == "neg" and other not in graph.named
        number = vertex.operands[1 - edge.position] if vertex.op == "mul" else 1.0
        if is_minus or (other < 0 and np.ndim(number) == 0 and number < 0 and number != -1):
            ratio = problem.ratio(edge.vertex, graph.source(edge))
            message = f"in the derivative {ratio} a factor is missing beside the minus sign"
            yield Slip(edge.vertex, f"{ratio} = -1", message, {edge: slope(-np.ones_like(number)[()])}, rank=1)
