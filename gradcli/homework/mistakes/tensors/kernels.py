"""Convolutions with the kernel turned round: layers of networks slide it as it stands, mathematicians turn it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import Mistake, Slip, Turn
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex

CONVOLUTION = "convolution"
FLIPPED_KERNEL = Mistake(
    "flipped-kernel", "turned the kernel of a convolution round", order=14.4, of_rule=True, is_single=True
)


def turned_round(kernel: Value) -> Value:
    """Return a kernel with the entries of each channel in the other order."""
    return np.flip(kernel, tuple(range(2, np.ndim(kernel))))


def is_lopsided(vertex: Vertex) -> bool:
    """Whether a vertex is a convolution with a kernel that is another when it is turned round."""
    return vertex.op == CONVOLUTION and not np.array_equal(turned_round(vertex.operands[1]), vertex.operands[1])


def with_other(rule: Callable[..., Any]) -> Callable[..., Any]:
    """Return a rule, or a forward pass, that gets the kernel turned round."""
    return lambda *given, **options: rule(*given[:-2], turned_round(given[-2]), given[-1], **options)


@FLIPPED_KERNEL.slips
def on_the_way_back(problem: Problem) -> Iterator[Slip]:
    """The gradient of the input with the kernel turned round, or that of the kernel itself turned round."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        if vertex.op != CONVOLUTION or edge.position > 1:
            continue
        name = problem.label(problem.graph.source(edge))
        message = f"on the way back to {name} you turned the kernel round"
        yield Slip(edge.vertex, "the kernel turned round", message, {edge: back(vertex, edge.position)})


def back(vertex: Vertex, position: int) -> Change:
    if position == 1:
        return lambda g, contribution: turned_round(contribution)
    rule = with_other(vertex.rules[0])
    return lambda g, contribution: rule(g, vertex.value, *vertex.operands, **vertex.options)


@FLIPPED_KERNEL.turns
def on_the_way_forward(graph: Graph) -> Iterator[Turn]:
    """The convolution of mathematics, in both passes."""
    for index, vertex in graph.new():
        if is_lopsided(vertex) and vertex.primitive is not None:
            primitive = replace(vertex.primitive, forward=with_other(vertex.primitive.forward))
            rules = {position: with_other(rule) for position, rule in vertex.rules.items()}
            if 1 in rules:
                rules[1] = of_kernel(vertex.rules[1])
            changed = replace(
                vertex, primitive=primitive, rules=rules, value=primitive.forward(*vertex.operands, **vertex.options)
            )
            message = f"in {graph.label(index)} the kernel slides as it stands; you turned it round"
            yield Turn(index, "the kernel turned round", message, {index: changed})


def of_kernel(rule: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given, **options: turned_round(rule(*given, **options))
