"""One edit of a formula, of any kind: looked for where no mistake that is made often gives the number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import Mistake, Slip, Turn
from gradcli.homework.mistakes.derivatives.activations import PRE_POST_ACTIVATION
from gradcli.homework.mistakes.derivatives.nesting import OUTER_AT_WRONG_POINT
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE, PRODUCT_OWN_FACTOR, QUOTIENT
from gradcli.homework.mistakes.forward import ACTIVATIONS, FAR, FORWARD_SLIP, FUNCTIONS, VERTICES, fits, operated
from gradcli.homework.mistakes.tensors.products import RESULT_FOR_INPUT
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex

BINARY = ("add", "sub", "mul", "div")
SQUARE = {"exponent": 2}
MORE: dict[str, Callable[[Any], Any]] = {
    "a root": np.sqrt,
    "a square": np.square,
    "half": lambda x: x / 2,
    "twice": lambda x: 2 * x,
}
OF_RULE: dict[str, Mistake] = {
    **dict.fromkeys(("mul", "mm", "mv", "dot", "bmm"), PRODUCT_OWN_FACTOR),
    **dict.fromkeys(("div", "reciprocal"), QUOTIENT),
    **dict.fromkeys(("pow", "pow_tensor"), POWER_RULE),
    **dict.fromkeys(ACTIVATIONS, PRE_POST_ACTIVATION),
}


def known_values(graph: Graph) -> list[int]:
    """Return the vertices whose values a reader has on the sheet: those with names, and what the program was given."""
    return [i for i, v in enumerate(graph.vertices) if i in graph.named or v.primitive is None]


def others(graph: Graph, value: Any, known: list[int], but: set[int]) -> Iterator[int]:
    """Yield the known vertices of the same shape that have other values than this one."""
    for index in known:
        other = graph.values[index]
        if index not in but and np.shape(other) == np.shape(value) and not np.array_equal(other, value):
            yield index


@FORWARD_SLIP.far_turns
def other_operand(graph: Graph) -> Iterator[Turn]:
    """Another value of the sheet where an operand belongs."""
    if len(graph.vertices) > VERTICES:
        return
    known = known_values(graph)
    for index, vertex in graph.new():
        for position, (source, operand) in enumerate(zip(vertex.sources, vertex.operands, strict=True)):
            before = [one for one in known if one < index or graph.vertices[one].primitive is None]
            for other in others(graph, operand, before, {source}) if source >= 0 else ():
                operands, sources = list(vertex.operands), list(vertex.sources)
                operands[position], sources[position] = graph.values[other], other
                new = replaced(vertex, operands, sources)
                if new is not None:
                    b, a, out = graph.label(other), graph.label(source), graph.label(index)
                    message = f"in {out} you used {b} for {a}"
                    yield Turn(index, f"{b} for {a}", message, {index: new}, rank=FAR)


def replaced(vertex: Vertex, operands: list[Any], sources: list[int]) -> Vertex | None:
    """Return a vertex over other operands; None where its operation does not take them."""
    try:
        with np.errstate(all="ignore"):
            value = vertex.forward(operands)
    except FAILURES:
        return None
    changed = replace(vertex, value=value, operands=tuple(operands), sources=tuple(sources))
    return changed if fits(value, vertex.value) else None


@FORWARD_SLIP.far_turns
def other_operation(graph: Graph) -> Iterator[Turn]:
    """Another operation over the same operands."""
    for index, vertex in graph.new() if len(graph.vertices) <= VERTICES else ():
        for op, positions, options in operations(vertex):
            try:
                new = operated(vertex, op, positions, options)
            except FAILURES:
                continue
            if fits(new.value, vertex.value):
                message = f"for {graph.label(index)} you took another operation ({op})"
                yield Turn(index, f"{op} for {vertex.op}", message, {index: new}, rank=FAR)


def operations(vertex: Vertex) -> Iterator[tuple[str, tuple[int, ...], dict[str, Any]]]:
    """Yield operations that take as many operands, with the places of these and the options."""
    if vertex.op in BINARY:
        for op in BINARY:
            yield from ((op, order, {}) for order in ((0, 1), (1, 0)))
    elif vertex.op in FUNCTIONS or vertex.op in ("pow", "neg", "square"):
        yield from ((op, (0,), {}) for op in (*FUNCTIONS, "neg", "reciprocal") if op != vertex.op)
        yield "pow", (0,), SQUARE


@FORWARD_SLIP.far_turns
def once_more(graph: Graph) -> Iterator[Turn]:
    """A step that is not there: a root, a square, half of it."""
    for index, vertex in graph.new() if len(graph.vertices) <= VERTICES else ():
        for name, change in MORE.items() if vertex.primitive else ():
            with np.errstate(all="ignore"):
                value = change(vertex.value)
            if fits(value, vertex.value):
                out = graph.label(index)
                message = f"you took {name} of {out}" if name.startswith("a ") else f"you took {name} {out}"
                yield Turn(index, name, message, {index: replace(vertex, value=value)}, rank=FAR)


@FORWARD_SLIP.far_turns
def rearranged(graph: Graph) -> Iterator[Turn]:
    """The parentheses elsewhere, or two steps in the other order: `a*b + c` for `a*(b + c)`, the square of a mean."""
    for index, vertex in graph.new() if len(graph.vertices) <= VERTICES else ():
        for way in (*regrouped(graph, vertex), *joined(graph, vertex)):
            try:
                with np.errstate(all="ignore"):
                    value = way()
            except (*FAILURES, TypeError):
                continue
            if fits(value, vertex.value):
                message = f"in {graph.label(index)} you did the steps in another order than the parentheses say"
                yield Turn(index, "parentheses", message, {index: replace(vertex, value=value)}, rank=FAR)


Way = Callable[[], Any]  # computes a value


def regrouped(graph: Graph, vertex: Vertex) -> Iterator[Way]:
    """Yield the ways in which a step is done before the one inside, for one of its operands or for all."""
    for position in range(len(vertex.sources)):
        inner = unnamed(graph, vertex, position)
        if inner is not None:
            outer, places = partial(put, vertex, position), range(len(inner.operands))
            yield from (partial(inside, inner, outer, [place]) for place in places)
            yield partial(inside, inner, outer, places)


def joined(graph: Graph, vertex: Vertex) -> Iterator[Way]:
    """Yield a function of a sum for the sum of the function's values, the same of other operations."""
    pair = [one for position in range(len(vertex.sources)) if (one := unnamed(graph, vertex, position))]
    if len(pair) == len(vertex.sources) == 2 and (pair[0].op, pair[0].options) == (pair[1].op, pair[1].options):
        yield lambda: put(pair[0], 0, vertex.forward([one.operands[0] for one in pair]))


def unnamed(graph: Graph, vertex: Vertex, position: int) -> Vertex | None:
    """Return the step that makes an operand, where it has no name of its own."""
    source = vertex.sources[position]
    is_step = source >= 0 and source not in graph.named and graph.vertices[source].primitive is not None
    return graph.vertices[source] if is_step else None


def inside(inner: Vertex, outer: Callable[[Any], Any], places: Sequence[int]) -> Any:
    """Return the value of a step over operands of which some went through the step around it first."""
    return inner.forward([outer(x) if place in places else x for place, x in enumerate(inner.operands)])


def put(vertex: Vertex, position: int, value: Any) -> Any:
    """Return the value of a vertex over another operand."""
    return vertex.forward([*vertex.operands[:position], value, *vertex.operands[position + 1 :]])


def rules_elsewhere(problem: Problem) -> Iterator[tuple[Mistake, Slip]]:
    """Yield rules that read another value of the sheet in the place of an operand or of the result."""
    graph = problem.graph
    known = known_values(graph) if len(graph.vertices) <= VERTICES else []
    for edge in problem.edges if known else ():
        vertex = graph.vertices[edge.vertex]
        own = {edge.vertex, *vertex.sources} - {-1}
        for position, value in enumerate((vertex.value, *vertex.operands), -1):
            for other in others(graph, value, sorted(own.union(known)), set()):
                mistake = OF_RULE.get(vertex.op, OUTER_AT_WRONG_POINT)
                if mistake is PRODUCT_OWN_FACTOR and other not in own:
                    mistake = RESULT_FOR_INPUT
                yield from ((mistake, slip) for slip in read_at(problem, edge, position, other))


def read_at(problem: Problem, edge: Edge, position: int, other: int) -> Iterator[Slip]:
    graph, vertex = problem.graph, problem.graph.vertices[edge.vertex]
    change = reading(vertex, edge, position, graph.values[other])
    right = problem.contribution(edge)
    try:
        with np.errstate(all="ignore"):
            wrong = change(problem.totals[edge.vertex], right)
    except (*FAILURES, TypeError):
        return
    if np.shape(wrong) == np.shape(right) and np.all(np.isfinite(wrong)) and not np.array_equal(wrong, right):
        source = vertex.sources[position] if position >= 0 else edge.vertex
        a = problem.label(source) if source >= 0 else str(vertex.operands[position])
        name, b = problem.label(edge.vertex), problem.label(other)
        message = f"in the derivative of {name} you used {b} where {a} belongs"
        yield Slip(edge.vertex, f"{b} for {a}", message, {edge: change}, rank=FAR)


def reading(vertex: Vertex, edge: Edge, position: int, value: Any) -> Change:
    """Return the rule of an edge with another value for one operand, or for the result at position -1."""
    rule, options = vertex.rules[edge.position], vertex.options
    out, operands = vertex.value, list(vertex.operands)
    if position < 0:
        out = value
    else:
        operands[position] = value
    return lambda g, contribution: rule(g, out, *operands, **options)


def read_elsewhere(mistake: Mistake) -> Callable[[Problem], Iterator[Slip]]:
    """Return the generator of the rules of one mistake."""

    def elsewhere(problem: Problem) -> Iterator[Slip]:
        found = problem.once("elsewhere", lambda: list(rules_elsewhere(problem)))
        return (slip for which, slip in found if which is mistake)

    return elsewhere


for _mistake in {OUTER_AT_WRONG_POINT, RESULT_FOR_INPUT, *OF_RULE.values()}:
    _mistake.far_slips(read_elsewhere(_mistake))
