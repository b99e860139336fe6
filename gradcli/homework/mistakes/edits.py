"""One edit of a formula: looked for where no mistake that is made often gives the number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import StepFacts, Turn
from gradcli.homework.mistakes.forward import FAR, FORWARD_SLIP, FUNCTIONS, operated
from gradcli.homework.mistakes.misread import with_operand
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.vertices import Vertex
from gradcli.language.catalogue import operation_of

BINARY = tuple(map(operation_of, "+-*/"))


def known_values(graph: Graph) -> list[int]:
    """Return the vertices whose values a reader has on the sheet: those with names, and what the program was given."""
    return [i for i, v in enumerate(graph.vertices) if i in graph.named or v.primitive is None]


def others(graph: Graph, value: Any, known: Sequence[int]) -> Iterator[int]:
    """Yield the known vertices of the same shape that have other values than this one."""
    for index in known:
        other = graph.values[index]
        if np.shape(other) == np.shape(value) and not np.array_equal(other, value):
            yield index


@FORWARD_SLIP.steps(is_far=True)
def other_operand(step: StepFacts) -> Iterator[Turn]:
    """Another value of the sheet where an operand belongs."""
    graph = step.graph
    known = [index for index in known_values(graph) if index < step.index or graph.vertices[index].primitive is None]
    for position, source in enumerate(step.vertex.sources):
        for other in others(graph, step.operands[position], known) if source >= 0 else ():
            with suppress(*FAILURES):
                b, a = graph.label(other), graph.label(source)
                new = with_operand(step.vertex, position, other, graph.values[other])
                yield step.turn(f"{b} for {a}", f"in {step.name} you used {b} for {a}", new, rank=FAR)


@FORWARD_SLIP.steps(is_far=True)
def other_operation(step: StepFacts) -> Iterator[Turn]:
    """Another operation over the same operands."""
    for op, positions, options in operations(step.vertex):
        with suppress(*FAILURES):
            message = f"for {step.name} you took another operation ({op})"
            yield step.turn(f"{op} for {step.op}", message, operated(step.vertex, op, positions, options), rank=FAR)


def operations(vertex: Vertex) -> Iterator[tuple[str, tuple[int, ...], dict[str, Any]]]:
    """Yield operations that take as many operands, with the places of these and the options."""
    if vertex.op in BINARY:
        for op in BINARY:
            yield from ((op, order, {}) for order in ((0, 1), (1, 0)))
    elif vertex.op in FUNCTIONS or vertex.op in ("pow", "neg", "square"):
        yield from ((op, (0,), {}) for op in (*FUNCTIONS, "neg", "reciprocal") if op != vertex.op)
        yield "pow", (0,), {"exponent": 2}


@FORWARD_SLIP.steps(is_far=True)
def rearranged(step: StepFacts) -> Iterator[Turn]:
    """The parentheses elsewhere, or two steps in the other order: `a*b + c` for `a*(b + c)`, the square of a mean."""
    for way in (*regrouped(step), *joined(step)):
        with suppress(*FAILURES, TypeError):
            message = f"in {step.name} you did the steps in another order than the parentheses say"
            yield step.turn("parentheses", message, way(), rank=FAR)


Way = Callable[[], Any]  # computes a value


def regrouped(step: StepFacts) -> Iterator[Way]:
    """Yield the ways in which a step is done before the one inside, for one of its operands or for all."""
    for position in range(len(step.operands)):
        inner = step.unnamed(position)
        if inner is not None:
            outer, places = partial(put, step.vertex, position), range(len(inner.operands))
            yield from (partial(inside, inner, outer, [place]) for place in places)
            yield partial(inside, inner, outer, places)


def joined(step: StepFacts) -> Iterator[Way]:
    """Yield a function of a sum for the sum of the function's values, the same of other operations."""
    pair = [operand_step for position in range(len(step.operands)) if (operand_step := step.unnamed(position))]
    if len(pair) == len(step.operands) == 2 and (pair[0].op, pair[0].options) == (pair[1].op, pair[1].options):
        yield lambda: put(pair[0], 0, step.vertex.forward([operand_step.operands[0] for operand_step in pair]))


def inside(inner: Vertex, outer: Callable[[Any], Any], places: Sequence[int]) -> Any:
    """Return the value of a step over operands of which some went through the step around it first."""
    return inner.forward([outer(x) if place in places else x for place, x in enumerate(inner.operands)])


def put(vertex: Vertex, position: int, value: Any) -> Any:
    """Return the value of a vertex over another operand."""
    return vertex.forward([*vertex.operands[:position], value, *vertex.operands[position + 1 :]])
