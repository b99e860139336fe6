"""The forward pass: a formula misread, so that several steps go wrong at once, or another function is taken.

All of it is seldom, so a number alone does not show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np

from gradcli.homework.mistakes.declaration import VERTICES, WEAK, StepFacts, Turn
from gradcli.homework.mistakes.forward import FORWARD_SLIP, SELDOM, itself, operated
from gradcli.homework.mistakes.tensors.softmax import SOFTMAX
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.vertices import Vertex

ENTRIES = 6  # of a vector from which another one may be taken
NUMBERED = re.compile(r"(?P<stem>[A-Za-z]+)\d+")


@FORWARD_SLIP.steps("relu", "pow", "abs", "sqrt", "log", "sigmoid", "softmax")
def unlike_function(step: StepFacts) -> Iterator[Turn]:
    """The absolute value for a relu or a square, the logarithm to base 10, a softmax for a sigmoid."""
    out, op, x = step.name, step.op, step.operands[0]
    if op == "relu" or (op == "pow" and step.vertex.options.get("exponent") == 2):
        message = f"you took the absolute value for {out}"
        what = "relu" if op == "relu" else "square"
        yield step.turn(f"abs for {what}", message, operated(step.vertex, "abs", (0,)), rank=SELDOM)
    if op in ("abs", "sqrt"):
        yield step.turn(f"square for {op}", f"you took the square for {out}", x**2, rank=SELDOM)
    if op == "log":
        message = f"you took the common logarithm for {out}; log is the natural one"
        yield step.turn("the common log for log", message, step.value / np.log(10.0), rank=SELDOM)
    if op == "sigmoid" and np.ndim(step.value):
        raised = np.exp(x - np.max(x))
        yield step.turn("softmax for sigmoid", f"you took the softmax for {out}", raised / np.sum(raised), rank=SELDOM)
    if op == "softmax":
        share = x / np.sum(x, axis=step.vertex.options["dim"], keepdims=True)
        yield step.turn("no exp", f"in {out} you forgot the exponentials", share, rank=SELDOM)


@FORWARD_SLIP.turns
def all_alike(graph: Graph) -> Iterator[Turn]:
    """All powers, or all functions of one kind, left out."""
    kinds = ("pow", "relu", "tanh", "sigmoid")
    places = sorted((i for i, vertex in graph.new() if vertex.op in kinds), key=lambda i: graph.vertices[i].op)
    for op, group in groupby(places, key=lambda i: graph.vertices[i].op):
        some = list(group)
        if len(some) > 1 and len(graph.vertices) <= VERTICES:
            what = "exponents" if op == "pow" else op
            changed = {index: itself(graph.vertices[index], 0) for index in some}
            message = f"you forgot the {what} in {' and in '.join(map(graph.label, some))}"
            yield Turn(some[0], f"all {what} left out", message, changed, rank=SELDOM)


@FORWARD_SLIP.turns
def neighbour(graph: Graph) -> Iterator[Turn]:
    """`x1` for `x2`: a value whose name differs in its number alone."""
    alike: dict[str, list[int]] = {}
    for name, index in graph.names.items():
        if match := NUMBERED.fullmatch(name):
            alike.setdefault(match["stem"], []).append(index)
    others = {member: some for some in alike.values() for member in some if len(some) > 1}
    for index, vertex in graph.new() if others and len(graph.vertices) <= VERTICES else ():
        for place, source in enumerate(vertex.sources if vertex.primitive else ()):
            for other in others.get(source, ()):
                if other < index and not np.array_equal(graph.values[other], graph.values[source]):
                    yield from with_another(StepFacts(graph, index, vertex), place, other)


def with_another(step: StepFacts, place: int, other: int) -> Iterator[Turn]:
    """Yield the step with another value of the graph for an operand, where it has the shape of that."""
    value = step.graph.values[other]
    if np.shape(value) == np.shape(step.operands[place]):
        wrong = with_operand(step.vertex, place, other, value)
        source = step.graph.label(step.vertex.sources[place])
        message = f"in {step.name} you took {step.graph.label(other)} for {source}"
        yield step.turn("another one", message, wrong, rank=SELDOM)


def with_operand(vertex: Vertex, place: int, source: int, value: Any) -> Vertex:
    """Return a vertex with another value for an operand."""
    operands = tuple(value if n == place else operand for n, operand in enumerate(vertex.operands))
    sources = tuple(source if n == place else other_source for n, other_source in enumerate(vertex.sources))
    return replace(vertex, operands=operands, sources=sources, value=vertex.forward(list(operands)))


@FORWARD_SLIP.steps("select")
def another_entry(step: StepFacts) -> Iterator[Turn]:
    """`x[0]` for `x[1]`."""
    entries = step.operands[0]
    for number, entry in enumerate(entries if np.ndim(entries) == 1 and len(entries) <= ENTRIES else ()):
        message = f"you took another entry in place of {step.name}"
        other = replace(step.vertex, value=entry, altered={**step.vertex.options, "index": number})
        yield step.turn("another entry", message, other, rank=SELDOM)


@SOFTMAX.steps("select")
def another_class(step: StepFacts) -> Iterator[Turn]:
    """`p[0]` for `p[1]`, where p are probabilities or their logarithms."""
    below = step.below()
    for turn in another_entry(step) if below is not None and "softmax" in below.op else ():
        yield turn._replace(message=f"you used another label for {step.name}", rank=WEAK)
