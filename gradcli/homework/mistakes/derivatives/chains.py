"""Along a chain local derivatives are multiplied, from the output all the way down."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import add, mul

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.homework.mistakes.declaration import WEAK, EdgeFacts, Guess, Mistake, Slip
from gradcli.homework.mistakes.derivatives.activations import RELU_GATE, is_gate
from gradcli.homework.mistakes.derivatives.nesting import INNER_DROPPED
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import Problem, nothing, sweep
from gradcli.homework.solve.vertices import Vertex

LOCAL_NOT_TOTAL = Mistake("local-not-total", "gave a local derivative for the total one", order=3)
CHAIN_ADDED = Mistake("chain-added", "added along a chain, or multiplied across paths", order=16, tier=1)


@LOCAL_NOT_TOTAL.gradients
def local_alone(problem: Problem) -> Iterator[Guess]:
    """The derivative of one consumer, or of the first named value above, not carried on to the output."""
    graph, by = problem.graph, problem.by
    for above in consumers(problem):
        uses = [edge for edge in problem.into(by) if edge.vertex == above]
        derivatives = [] if graph.vertices[above].structured else [problem.local(edge) for edge in uses]
        if len(derivatives) > 1:
            derivatives.append(reduce(add, derivatives))
        if above in graph.named:
            derivatives.append(sweep(graph, above, stop=graph.named - {above})[by])
            if np.ndim(graph.vertices[above].value) == 0 and len(uses) < len(problem.into(by)):
                derivatives.append(sweep(graph, above, problem.changes)[by])  # by its other uses, too
        ratio, rest = problem.ratio(above, by), problem.ratio(problem.of, above)
        rest = "the gradient that backward was given" if above == problem.of else rest
        message = f"this is the local derivative {ratio}; it is still to be multiplied by {rest}"
        rule, rank = f"{problem.ratio(problem.of, by)} = {ratio}", 0 if above in graph.named else 1
        yield from (Guess(by, rule, message, value, rank=rank) for value in derivatives)


def is_plain(vertex: Vertex) -> bool:
    """Whether a step has a derivative that readers write down, the other factor of a matrix product included."""
    return not vertex.structured or not {"matrix", "layout"}.isdisjoint(vertex.traits)


def consumers(problem: Problem) -> list[int]:
    """Return the steps above a value, up to the first with names; of structured ones, the single numbers."""
    graph = problem.graph
    steps: dict[int, bool] = {}  # whether the gradient of the step by the value is a local one
    waiting = [(problem.by, True)]
    while waiting:
        vertex, is_local = waiting.pop()
        for edge in problem.into(vertex):
            above = edge.vertex
            if (above == problem.of and problem.seed is None) or steps.get(above):
                continue
            steps[above] = is_local and is_plain(graph.vertices[above])
            if above not in graph.named:
                waiting.append((above, steps[above]))
    direct = {edge.vertex for edge in problem.into(problem.by)}
    named = (v for v in steps if v in graph.named and (steps[v] or np.ndim(graph.vertices[v].value) == 0))
    return list(dict.fromkeys([*(v for v in steps if v in direct), *named]))


@LOCAL_NOT_TOTAL.gradients
def of_another_value(problem: Problem) -> Iterator[Guess]:
    """The derivative of a named value on the way, over several named ones, not carried on to the output."""
    if problem.stop:
        return
    for above, ratio, derivative in named_above(problem, set(consumers(problem))):
        message = f"this is {ratio}; it is still to be multiplied by {problem.ratio(problem.of, above)}"
        yield Guess(problem.by, f"{problem.ratio(problem.of, problem.by)} = {ratio}", message, derivative, rank=2)


def named_above(problem: Problem, but: Collection[int] = ()) -> Iterator[tuple[int, str, Value]]:
    """Yield the numbers with names on the way to a variable, with their derivatives by it, and so tensors of its shape.

    Between these are only steps that go entry by entry.
    """
    graph = problem.graph
    for above in sorted(graph.named & problem.above - {problem.by, problem.of, *but}):
        derivative = sweep(graph, above, problem.changes).get(problem.by)
        is_number = np.ndim(graph.vertices[above].value) == 0
        if derivative is not None and (is_number or is_entrywise(problem, above)):
            yield above, problem.ratio(above, problem.by), derivative


def is_entrywise(problem: Problem, above: int) -> bool:
    """Whether a tensor has come entry by entry from the variable."""
    between = [vertex for vertex in problem.above if problem.by < vertex <= above]
    shape = np.shape(problem.truth)
    values = (problem.graph.vertices[vertex] for vertex in between)
    return all(not vertex.structured and np.shape(vertex.value) == shape for vertex in values)


@CHAIN_ADDED.rules()
def added_at_a_link(edge: EdgeFacts) -> Iterator[Slip]:
    """The upstream gradient plus a local derivative, where a product belongs."""
    if edge.index != edge.problem.of and not edge.vertex.structured:
        local, above = edge.problem.local(edge.edge), edge.problem.ratio(edge.problem.of, edge.index)
        message = f"you added {edge.ratio} to {above}; along a chain they are multiplied"
        rank = max(by_one(local), by_one(edge.upstream))
        yield edge.slip(f"{above} + {edge.ratio}", message, lambda g, contribution: g + local, rank=rank)


def by_one(derivative: Value) -> int:
    """Return the rank of a sum with such a derivative: who is off by one may have got there in any way."""
    return WEAK if np.equal(np.abs(derivative), 1).all() else 0


MULTIPLIED = "you multiplied what comes along the paths; it is added"


@CHAIN_ADDED.gradients
def multiplied_branches(problem: Problem) -> Iterator[Guess]:
    """The contributions of the uses of a value multiplied."""
    value = problem.graph.vertices[problem.by].value
    parts = [fit(problem.contribution(edge), value) for edge in problem.into(problem.by)]
    if len(parts) > 1:
        rule = f"{problem.ratio(problem.of, problem.by)} = the product over the paths"
        yield Guess(problem.by, rule, MULTIPLIED, reduce(mul, parts))


@CHAIN_ADDED.gradients
def sums_and_products(problem: Problem) -> Iterator[Guess]:
    """The local derivatives of each path added up; the paths multiplied."""
    if np.ndim(problem.truth) or not problem.paths:
        return
    ratio = problem.ratio(problem.of, problem.by)
    chains = [links(problem, path) for path in problem.paths]
    short = [[link for link in chain if link != 1] for chain in chains]  # nobody writes down the 1 of a sum
    for some in [chains, short] if short != chains else [chains]:
        if not any(len(chain) > 1 for chain in some):
            break
        added = [link for chain in some for link in chain]
        message = "you added the local derivatives along the chain; they are multiplied"
        rule = f"{ratio} = the sum of the local derivatives"
        yield Guess(problem.by, rule, message, reduce(add, added), rank=max(map(by_one, added)))
    if len(problem.paths) > 1:
        yield Guess(problem.by, f"{ratio} = the product over the paths", MULTIPLIED, np.prod(problem.flows))


@INNER_DROPPED.gradients
def link_is_one(problem: Problem) -> Iterator[Guess]:
    """The derivative of a named value above left out, over all the steps to it."""
    graph, by = problem.graph, problem.by
    gates = {above for above in graph.named if is_gate(graph.vertices[above])}  # of which the mask is forgotten
    for above in sorted(graph.named & problem.above - {by, problem.of} - gates):
        upstream = problem.totals[above]
        others = graph.named - {above}
        part = sweep(graph, above, problem.changes, seed=upstream, stop=others).get(by)
        if part is not None and np.shape(part) == np.shape(upstream) == np.shape(problem.truth):
            what = problem.ratio(above, by)
            message = f"the derivative {what} is missing in the chain"
            yield Guess(above, f"{what} = 1", message, problem.truth - part + upstream, rank=2)


@RELU_GATE.guesses
def own_gate_is_open(problem: Problem) -> Iterator[Guess]:
    """The gradient let through a mask everywhere, on the way from a student's own gradient."""
    above = problem.above if problem.given else set()
    for vertex in sorted(above & problem.given.keys() - {problem.by, problem.of}):
        for edge in problem.into(vertex):
            upstream = problem.totals[edge.vertex]
            is_open = is_gate(problem.graph.vertices[edge.vertex])
            if is_open and np.shape(upstream) == np.shape(problem.given[vertex]):
                given = {**problem.given, vertex: upstream}
                gradient = replace(problem, given=given, cache={}).swept().get(problem.by)
                message = f"you let the gradient through {problem.label(edge.vertex)} everywhere"
                yield Guess(vertex, "the mask is 1 everywhere", message, gradient, rank=1)


def links(problem: Problem, path: Sequence[Edge]) -> list[Value]:
    """Return the derivatives along a path, from each value that is one number to the next."""
    graph, derivatives = problem.graph, []
    part: list[Edge] = []
    for edge in path:
        part.append(edge)
        source = graph.source(edge)
        if np.ndim(graph.vertices[source].value) == 0:
            others = {other: nothing for other in problem.edges if other not in part}
            alone = len(part) == 1 and not graph.vertices[edge.vertex].structured
            changes = {**problem.changes, **others}
            derivatives.append(problem.local(edge) if alone else sweep(graph, part[0].vertex, changes)[source])
            part = []
            if source in problem.given and source != problem.by:  # the student has the chain so far as one number
                derivatives = [problem.given[source]]
    return derivatives
