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
from gradcli.homework.mistakes.tensors.means import divisor_of
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


@FORWARD_SLIP.steps("sum", "mean", "sqrt")
def sums_and_squares(step: StepFacts) -> Iterator[Turn]:
    """The square of a sum or a mean for that of squares; the root of each term."""
    below = step.below()
    if below is not None and below.op == "pow" and step.op != "sqrt":
        value = step.vertex.forward(below.operands) ** below.options["exponent"]
        yield step.turn("(a + b)**2", f"for {step.name} you squared the {step.op}", value, rank=SELDOM)
    if below is not None and step.op == "sqrt" and below.op in ("add", "sum", "sum_dim"):
        value = below.forward(list(map(np.sqrt, below.operands)))
        yield step.turn("root by root", f"for {step.name} you took a root of each term", value, rank=SELDOM)


@FORWARD_SLIP.steps()
def other_mean(step: StepFacts) -> Iterator[Turn]:
    """Half or the root of a mean of squares."""
    if divisor_of(step.graph, step.vertex) == 1:
        return
    below = step.below()
    if below is not None and below.op == "pow":
        yield step.turn("sqrt(x) for x", f"you took the root of the mean {step.name}", np.sqrt(step.value), rank=SELDOM)
    yield step.turn("1/(2*n) for 1/n", f"you took half of the mean {step.name}", step.value / 2, rank=SELDOM)
    if step.op == "div":
        message = f"you divided by half of the number that divides in {step.name}"
        yield step.turn("1/n for 1/(2*n)", message, step.value * 2, rank=SELDOM)


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


@FORWARD_SLIP.steps("add", "sub")
def crossed(step: StepFacts) -> Iterator[Turn]:
    """`a*d + c*b` or `a*c + b*d` for `a*b + c*d`.

    A factor of the first product is exchanged for one of the other. A gradient comes back to what stands before a step
    alone, so it is the factors that are known first.
    """
    first, other = step.below(0), step.below(1)
    if first is None or other is None or first is other or first.op != "mul" or other.op != "mul":
        return
    for place in (1, 0):
        kept, moved = min(((0, 1 - place), (1, place)), key=lambda pair: other.sources[pair[1]])
        changed = {
            step.vertex.sources[0]: with_operand(first, kept, other.sources[moved], other.operands[moved]),
            step.vertex.sources[1]: with_operand(other, moved, first.sources[kept], first.operands[kept]),
        }
        message = f"in {step.name} you crossed the factors"
        yield Turn(step.index, "a*d + c*b for a*b + c*d", message, changed, rank=SELDOM)


@FORWARD_SLIP.steps("mul", "add", "sub")
def brackets(step: StepFacts) -> Iterator[Turn]:
    """`a*(b + c)` for `a*b + c`, `(a + b)**n` for `a + b**n`, and `(a*b)**n` for `a*b**n`."""
    message = f"in {step.name} you set other brackets"
    for place in range(2):
        raised = step.unnamed(place)
        if raised is not None and raised.op in (("pow", "sqrt") if step.op == "mul" else ("pow",)):
            operands = [raised.operands[0] if n == place else x for n, x in enumerate(step.operands)]
            value = raised.forward([step.vertex.forward(operands), *raised.operands[1:]])
            rule = "(a*b)**n for a*b**n" if step.op == "mul" else "(a + b)**n for a + b**n"
            yield step.turn(rule, message, value, rank=SELDOM)
    below = step.below() if step.op != "mul" else None
    if below is not None and below.op == "mul":
        (a, b), c = below.operands, step.operands[1]
        for value in (a * step.vertex.forward([b, c]), step.vertex.forward([a, c]) * b):
            yield step.turn("a*(b + c) for a*b + c", message, value, rank=SELDOM)


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
