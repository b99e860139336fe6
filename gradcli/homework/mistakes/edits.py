"""One edit of a formula, of any kind: looked for where no mistake that is made often gives the number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from gradcli.explanation.lines import FAILURES
from gradcli.homework.mistakes.declaration import VERTICES, EdgeFacts, Mistake, Slip, StepFacts, Turn
from gradcli.homework.mistakes.derivatives.activations import PRE_POST_ACTIVATION
from gradcli.homework.mistakes.derivatives.nesting import OUTER_AT_WRONG_POINT
from gradcli.homework.mistakes.derivatives.rules import POWER_RULE, PRODUCT_OWN_FACTOR, QUOTIENT
from gradcli.homework.mistakes.forward import ACTIVATIONS, FAR, FORWARD_SLIP, FUNCTIONS, operated
from gradcli.homework.mistakes.misread import with_operand
from gradcli.homework.mistakes.tensors.products import RESULT_FOR_INPUT
from gradcli.homework.solve.graph import Change, Graph
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
    known = [one for one in known_values(graph) if one < step.index or graph.vertices[one].primitive is None]
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
        yield "pow", (0,), SQUARE


@FORWARD_SLIP.steps(is_far=True)
def once_more(step: StepFacts) -> Iterator[Turn]:
    """A step that is not there: a root, a square, half of it."""
    for name, change in MORE.items():
        of = "of " if name.startswith("a ") else ""
        yield step.turn(name, f"you took {name} {of}{step.name}", change(step.value), rank=FAR)


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
    pair = [one for position in range(len(step.operands)) if (one := step.unnamed(position))]
    if len(pair) == len(step.operands) == 2 and (pair[0].op, pair[0].options) == (pair[1].op, pair[1].options):
        yield lambda: put(pair[0], 0, step.vertex.forward([one.operands[0] for one in pair]))


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
    for edge in (EdgeFacts(problem, one) for one in problem.edges if known):
        own = {edge.index, *edge.vertex.sources} - {-1}
        for position, value in enumerate((edge.value, *edge.operands), -1):
            for other in others(graph, value, sorted(own.union(known))):
                mistake = OF_RULE.get(edge.op, OUTER_AT_WRONG_POINT)
                if mistake is PRODUCT_OWN_FACTOR and other not in own:
                    mistake = RESULT_FOR_INPUT
                yield from ((mistake, slip) for slip in read_at(edge, position, other))


def read_at(edge: EdgeFacts, position: int, other: int) -> Iterator[Slip]:
    """Yield the slip that reads another value for an operand, or for the result at position -1."""
    change = reading(edge, position, edge.graph.values[other])
    right, wrong = edge.problem.contribution(edge.edge), np.array(np.nan)
    with suppress(*FAILURES, TypeError), np.errstate(all="ignore"):
        wrong = change(edge.upstream, right)
    if np.shape(wrong) == np.shape(right) and np.all(np.isfinite(wrong)) and not np.array_equal(wrong, right):
        source = edge.vertex.sources[position] if position >= 0 else edge.index
        a = edge.problem.label(source) if source >= 0 else str(edge.operands[position])
        b = edge.problem.label(other)
        message = f"in the derivative of {edge.name} you used {b} where {a} belongs"
        yield edge.slip(f"{b} for {a}", message, change, rank=FAR)


def reading(edge: EdgeFacts, position: int, value: Any) -> Change:
    """Return the rule of an edge with another value for one operand, or for the result at position -1."""
    rule, options = edge.vertex.rules[edge.position], edge.vertex.options
    out, *operands = (value if place == position else x for place, x in enumerate((edge.value, *edge.operands), -1))
    return lambda g, contribution: rule(g, out, *operands, **options)


def read_elsewhere(mistake: Mistake) -> Callable[[Problem], Iterator[Slip]]:
    """Return the generator of the rules of one mistake."""

    def elsewhere(problem: Problem) -> Iterator[Slip]:
        found = problem.once("elsewhere", lambda: list(rules_elsewhere(problem)))
        return (slip for which, slip in found if which is mistake)

    return elsewhere


for _mistake in {OUTER_AT_WRONG_POINT, RESULT_FOR_INPUT, *OF_RULE.values()}:
    _mistake.far_slip_makers.append(read_elsewhere(_mistake))
