"""Maxima and minima: the gradient goes back to the one that was taken, and to no other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import Slip, Turn
from gradcli.homework.mistakes.derivatives.activations import RELU_GATE
from gradcli.homework.mistakes.forward import FORWARD_SLIP, LAST, fits
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem

REDUCED = {"max": (np.max, np.min), "amax": (np.max, np.min), "min": (np.min, np.max), "amin": (np.min, np.max)}
ENTRIES = 8  # of a vector of which each may have been taken for the largest


@RELU_GATE.slips
def other_branch(problem: Problem) -> Iterator[Slip]:
    """The gradient of `maximum(a, b)` sent to the other one, or to both."""
    for index, vertex in enumerate(problem.graph.vertices):
        if "choice" not in vertex.traits or len(vertex.rules) != 2 or not problem.reaches(index):
            continue
        first, second = (Edge(index, position) for position in vertex.rules)
        name = problem.label(index)
        shares = [problem.graph.local(edge) for edge in (first, second)]
        told = f"the gradient of {name} goes back to the one that was taken"
        swapped: dict[Edge, Change] = {first: _times(shares[1]), second: _times(shares[0])}
        yield Slip(index, "to the other one", f"{told}, and you sent it to the other", swapped)
        yield Slip(index, "to both", f"{told}, and you sent it to both", {first: _times(1.0), second: _times(1.0)})


def _times(share: Any) -> Change:
    return lambda g, contribution: g * share


@RELU_GATE.slips
def other_entry(problem: Problem) -> Iterator[Slip]:
    """The gradient of the largest entry sent to all, to another one, or times the entry itself."""
    for edge in problem.edges:
        vertex = problem.graph.vertices[edge.vertex]
        entries = vertex.operands[0]
        if vertex.op not in REDUCED or np.ndim(vertex.value) or np.ndim(entries) != 1:
            continue
        told = f"the gradient of {problem.label(edge.vertex)} goes back to the entry that was taken"
        yield Slip(edge.vertex, "to all", f"{told}, and you sent it to all", {edge: _times(np.ones_like(entries))})
        taken = np.flatnonzero(np.equal(entries, vertex.value))
        for place in range(len(entries)) if len(entries) <= ENTRIES else ():
            if place not in taken:
                one_hot = np.eye(len(entries))[place]
                yield Slip(
                    edge.vertex, f"to entry {place}", f"{told}, and you sent it to another", {edge: _times(one_hot)}
                )


@FORWARD_SLIP.turns
def other_extreme(graph: Graph) -> Iterator[Turn]:
    """The smallest entry for the largest, and the largest by its absolute value."""
    for index, vertex in graph.new():
        if vertex.op not in REDUCED or np.ndim(vertex.value):
            continue
        taken, other = REDUCED[vertex.op]
        entries = vertex.operands[0]
        what = "smallest" if other is np.min else "largest"
        message = f"you took the {what} entry for {graph.label(index)}"
        ways = ((f"the {what}", message, other(entries)), ("of the absolute values",
                f"you took {graph.label(index)} of the absolute values", taken(np.abs(entries))))  # fmt: skip
        for rule, told, value in ways:
            if fits(value, vertex.value):
                yield Turn(index, rule, told, {index: replace(vertex, value=value)}, rank=LAST)
