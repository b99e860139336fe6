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

from gradcli.homework.mistakes.declaration import WEAK, Guess, Turn
from gradcli.homework.mistakes.forward import FORWARD_SLIP, SELDOM, VERTICES, fits, itself, operated
from gradcli.homework.mistakes.tensors.means import means
from gradcli.homework.mistakes.tensors.softmax import SOFTMAX
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex

ENTRIES = 6  # of a vector from which another one may be taken
LEAVES = 6  # given numbers, each of which may stand for another
NUMBERED = re.compile(r"(?P<stem>[A-Za-z]+)\d+")


def turn(graph: Graph, index: int, rule: str, message: str, value: Value, rank: int = SELDOM) -> Iterator[Turn]:
    """Yield the turn in which a step has another value, where that fits its shape."""
    vertex = graph.vertices[index]
    if fits(value, vertex.value):
        yield Turn(index, rule, message, {index: replace(vertex, value=value)}, rank=rank)


@FORWARD_SLIP.turns
def unlike_function(graph: Graph) -> Iterator[Turn]:
    """The absolute value for a relu or a square, the logarithm to base 10, a softmax for a sigmoid."""
    for index, vertex in graph.new():
        out = graph.label(index)
        is_square = vertex.op == "pow" and vertex.options.get("exponent") == 2
        if vertex.op == "relu" or is_square:
            what = "relu" if vertex.op == "relu" else "square"
            message = f"you took the absolute value for {out}"
            yield Turn(index, f"abs for {what}", message, {index: operated(vertex, "abs", (0,))}, rank=SELDOM)
        if vertex.op in ("abs", "sqrt"):
            yield from turn(
                graph, index, f"square for {vertex.op}", f"you took the square for {out}", vertex.operands[0] ** 2
            )
        if vertex.op == "log":
            message = f"you took the common logarithm for {out}; log is the natural one"
            yield from turn(graph, index, "the common log for log", message, vertex.value / np.log(10.0))
        if vertex.op == "sigmoid" and np.ndim(vertex.value):
            raised = np.exp(vertex.operands[0] - np.max(vertex.operands[0]))
            message = f"you took the softmax for {out}"
            yield from turn(graph, index, "softmax for sigmoid", message, raised / np.sum(raised))
        if vertex.op == "softmax":
            scores = vertex.operands[0]
            share = scores / np.sum(scores, axis=vertex.options["dim"], keepdims=True)
            yield from turn(graph, index, "no exp", f"in {out} you forgot the exponentials", share)


@FORWARD_SLIP.turns
def sums_and_squares(graph: Graph) -> Iterator[Turn]:
    """The square of a sum or a mean for that of squares; half or the root of a mean of squares."""
    for index, vertex in graph.new():
        below = graph.vertices[vertex.sources[0]] if vertex.sources and vertex.sources[0] >= 0 else None
        if below is not None and below.op == "pow" and vertex.op in ("sum", "mean"):
            value = vertex.forward(below.operands) ** below.options["exponent"]
            yield from turn(graph, index, "(a + b)**2", f"for {graph.label(index)} you squared the {vertex.op}", value)
        if below is not None and vertex.op == "sqrt" and below.op in ("add", "sum", "sum_dim"):
            with np.errstate(all="ignore"):
                value = below.forward(list(map(np.sqrt, below.operands)))
            message = f"for {graph.label(index)} you took a root of each term"
            yield from turn(graph, index, "root by root", message, value)
    for index, vertex, _ in means(graph):
        if vertex.sources[0] >= 0 and graph.vertices[vertex.sources[0]].op == "pow":
            message = f"you took the root of the mean {graph.label(index)}"
            yield from turn(graph, index, "sqrt(x) for x", message, np.sqrt(vertex.value))
        message = f"you took half of the mean {graph.label(index)}"
        yield from turn(graph, index, "1/(2*n) for 1/n", message, vertex.value / 2)
        if vertex.op == "div":
            message = f"you divided by half of the number that divides in {graph.label(index)}"
            yield from turn(graph, index, "1/n for 1/(2*n)", message, vertex.value * 2)


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
def crossed(graph: Graph) -> Iterator[Turn]:
    """`a*d + c*b` or `a*c + b*d` for `a*b + c*d`."""
    for index, vertex in graph.new():
        sources = vertex.sources if vertex.op in ("add", "sub") else ()
        if len({*sources}) == 2 and all(s >= 0 and graph.vertices[s].op == "mul" for s in sources):
            for place in (1, 0):
                changed = exchanged(graph, sources, place)
                if all(fits(new.value, graph.vertices[source].value) for source, new in changed.items()):
                    message = f"in {graph.label(index)} you crossed the factors"
                    yield Turn(index, "a*d + c*b for a*b + c*d", message, changed, rank=SELDOM)


def exchanged(graph: Graph, products: tuple[int, ...], place: int) -> dict[int, Vertex]:
    """Return two products with a factor of the first exchanged for the one at a place, 0 or 1, of the other.

    A gradient comes back to what stands before a step alone, so it is the factors that are known first.
    """
    one, other = (graph.vertices[index] for index in products)
    own, moved = min(((0, 1 - place), (1, place)), key=lambda pair: other.sources[pair[1]])
    changed = {}
    for index, vertex, at, beside, there in (
        (products[0], one, own, other, moved),
        (products[1], other, moved, one, own),
    ):
        operands, sources = list(vertex.operands), list(vertex.sources)
        operands[at], sources[at] = beside.operands[there], beside.sources[there]
        changed[index] = replace(
            vertex, operands=tuple(operands), sources=tuple(sources), value=vertex.forward(operands)
        )
    return changed


@FORWARD_SLIP.turns
def brackets(graph: Graph) -> Iterator[Turn]:
    """`a*(b + c)` for `a*b + c`, `(a + b)**n` for `a + b**n`, and `(a*b)**n` for `a*b**n`."""
    for index, vertex in graph.new():
        for place, source in enumerate(vertex.sources if vertex.op == "mul" else ()):
            raised = graph.vertices[source] if source >= 0 and source not in graph.named else None
            if raised is not None and raised.op in ("pow", "sqrt"):
                value = raised.forward([vertex.operands[1 - place] * raised.operands[0], *raised.operands[1:]])
                message = f"in {graph.label(index)} you set other brackets"
                yield from turn(graph, index, "(a*b)**n for a*b**n", message, value)
        for place, source in enumerate(vertex.sources if vertex.op in ("add", "sub") else ()):
            raised = graph.vertices[source] if source >= 0 and source not in graph.named else None
            if raised is not None and raised.op == "pow":
                operands = [raised.operands[0] if n == place else x for n, x in enumerate(vertex.operands)]
                value = vertex.forward(operands) ** raised.options["exponent"]
                message = f"in {graph.label(index)} you set other brackets"
                yield from turn(graph, index, "(a + b)**n for a + b**n", message, value)
        below = graph.vertices[vertex.sources[0]] if vertex.op in ("add", "sub") and vertex.sources[0] >= 0 else None
        if below is not None and below.op == "mul":
            out, (a, b), c = graph.label(index), below.operands, vertex.operands[1]
            for value in (a * vertex.forward([b, c]), vertex.forward([a, c]) * b):
                yield from turn(graph, index, "a*(b + c) for a*b + c", f"in {out} you set other brackets", value)


@FORWARD_SLIP.turns
def neighbour(graph: Graph) -> Iterator[Turn]:
    """`x1` for `x2`: a value whose name differs in its number alone."""
    alike: dict[str, list[int]] = {}
    for name, index in graph.names.items():
        if found := NUMBERED.fullmatch(name):
            alike.setdefault(found["stem"], []).append(index)
    others = {one: some for some in alike.values() for one in some if len(some) > 1}
    for index, vertex in graph.new() if others and len(graph.vertices) <= VERTICES else ():
        for place, source in enumerate(vertex.sources):
            for other in others.get(source, ()) if vertex.primitive else ():
                if other < index and other != source and not is_same(graph, other, source):
                    wrong = with_operand(vertex, place, other, graph.vertices[other].value)
                    message = f"in {graph.label(index)} you took {graph.label(other)} for {graph.label(source)}"
                    if wrong is not None and fits(wrong.value, vertex.value):
                        yield Turn(index, "another one", message, {index: wrong}, rank=SELDOM)


@FORWARD_SLIP.turns
def another_leaf(graph: Graph) -> Iterator[Turn]:
    """`w` for `u`: another given number in place of one, whatever the two are called."""
    leaves = [index for index in graph.leaves if not np.ndim(graph.vertices[index].value)]
    for index, vertex in graph.new() if 1 < len(leaves) <= LEAVES else ():
        for place, source in enumerate(vertex.sources):
            for other in leaves if vertex.primitive and source in leaves else ():
                value = graph.vertices[other].value
                is_other = value != graph.vertices[source].value  # equal numbers hide which of them was taken
                wrong = with_operand(vertex, place, other, value) if is_other else None
                if wrong is not None and fits(wrong.value, vertex.value) and other not in vertex.sources:
                    message = f"in {graph.label(index)} you took {graph.label(other)} for {graph.label(source)}"
                    yield Turn(index, "another one", message, {index: wrong}, rank=SELDOM)


@FORWARD_SLIP.guesses
def another_step(problem: Problem) -> Iterator[Guess]:
    """The value of another step, of the same operation: `y3` for `y2`."""
    graph, own = problem.graph, problem.graph.vertices[problem.by]
    for other in sorted(graph.named) if problem.kind == "value" and own.primitive else ():
        vertex = graph.vertices[other]
        if other != problem.by and vertex.op == own.op and np.shape(vertex.value) == np.shape(own.value):
            message = f"this is {graph.label(other)}, not {graph.label(problem.by)}"
            yield Guess(problem.by, f"{graph.label(other)} for it", message, vertex.value, rank=SELDOM)


@FORWARD_SLIP.turns
def another_entry(graph: Graph) -> Iterator[Turn]:
    """`x[0]` for `x[1]`."""
    yield from entries(graph)


@SOFTMAX.turns
def another_class(graph: Graph) -> Iterator[Turn]:
    """`p[0]` for `p[1]`, where p are probabilities or their logarithms."""
    for found in entries(graph):
        if is_probability(graph, found.node):
            yield found._replace(message=f"you used another label for {graph.label(found.node)}", rank=WEAK)


def is_probability(graph: Graph, index: int) -> bool:
    source = graph.vertices[index].sources[0]
    return source >= 0 and "softmax" in graph.vertices[source].op


def entries(graph: Graph) -> Iterator[Turn]:
    """Yield the steps that take an entry of a vector, each with another entry."""
    for index, vertex in graph.new():
        if vertex.op == "select" and np.ndim(vertex.operands[0]) == 1 and len(vertex.operands[0]) <= ENTRIES:
            for number, entry in enumerate(vertex.operands[0]):
                message = f"you took another entry in place of {graph.label(index)}"
                other = replace(vertex, value=entry, altered={**vertex.options, "index": number})
                yield Turn(index, "another entry", message, {index: other}, rank=SELDOM)


def is_same(graph: Graph, one: int, other: int) -> bool:
    return np.array_equal(graph.vertices[one].value, graph.vertices[other].value)


def with_operand(vertex: Vertex, place: int, source: int, value: Any) -> Vertex | None:
    """Return a vertex with another value for an operand; None where the two do not go together."""
    if np.shape(value) != np.shape(vertex.operands[place]):
        return None
    operands = tuple(value if n == place else one for n, one in enumerate(vertex.operands))
    sources = tuple(source if n == place else one for n, one in enumerate(vertex.sources))
    return replace(vertex, operands=operands, sources=sources, value=vertex.forward(list(operands)))


@FORWARD_SLIP.turns
def factor_of_minus(graph: Graph) -> Iterator[Turn]:
    """`-x` for `-k*x`, which is a product with `-k`."""
    for index, vertex in graph.new():
        for place, source in enumerate(vertex.sources if vertex.op == "mul" else ()):
            if source >= 0 and graph.vertices[source].op == "neg" and source not in graph.named:
                factor = graph.label(graph.vertices[source].sources[0])
                message = f"in {graph.label(index)} you forgot the factor {factor}"
                value = operated(vertex, "mul", (1 - place, -1.0))
                yield Turn(index, "* left out", message, {index: value}, rank=SELDOM)
