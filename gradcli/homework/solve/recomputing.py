"""An answer computed again from a student's own earlier numbers, in place of the right ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from gradcli.homework.assignment.quantities import Quantity
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem, scaled, slope, sweep
from gradcli.homework.submission.numerals import Typed

Earlier = Mapping[Quantity, tuple[Problem, Typed]]  # answers, with the problems that they are about


def bearing(problem: Problem, earlier: Earlier) -> dict[Quantity, tuple[Problem, Typed]]:
    """Return the earlier answers that can have a part in another one."""
    return {quantity: answer for quantity, answer in earlier.items() if bears(problem, answer[0])}


def bears(problem: Problem, other: Problem) -> bool:
    """Whether one quantity can have a part in another; found once for both, by the edges of their graph."""
    if other.graph is not problem.graph:
        return False
    key = ("bears", problem.kind, problem.by, other.kind, other.of, other.by, other.stop)
    return problem.once(key, lambda: is_behind(problem, other))


def is_behind(problem: Problem, other: Problem) -> bool:
    if other.kind == "value":
        read = frozenset({problem.by}) if problem.kind == "value" else problem.read
        own_vertices = frozenset((other.by, *problem.graph.twins.get(other.by, ())))
        return not read.isdisjoint((*own_vertices, *(vertex for vertex, _ in problem.graph.order.after(own_vertices))))
    if problem.kind == "value":
        return False
    return any(asked.by in problem.above for asked in (other, *(above for above, _ in other.sums())))


def choices(own_numbers: Earlier, spare: Iterable[Collection[Quantity]]) -> Iterator[tuple[Quantity, ...]]:
    """Yield the sets of own numbers that a student may have gone on with, the latest number first in each."""
    everything, seen = list(own_numbers)[::-1], set[tuple[Quantity, ...]]([()])
    for some in chain([()], spare if len(own_numbers) > 1 else ()):  # the groups are found only where they are needed
        chosen = tuple(quantity for quantity in everything if quantity not in some)
        if chosen not in seen:
            seen.add(chosen)
            yield chosen


def recomputed(problem: Problem, earlier: Earlier) -> Value | None:
    """Return the answer to the question if the earlier ones were right; None where it does not depend on them."""
    graph = problem.graph
    earlier = {q: (other, typed) for q, (other, typed) in earlier.items() if other.graph is graph}  # not another pass
    forward = {other.by: typed.value for other, typed in earlier.values() if other.kind == "value"}
    values = graph.forward(forward) if forward else None
    if problem.kind == "value":
        return None if values is None else values[problem.by]
    given = {
        other.by: typed.value
        for other, typed in earlier.values()
        if other.kind == "gradient" and not other.stop and other.of == problem.of and other.by != problem.by
    }
    changes = own_probabilities(graph, forward)
    for other, typed in sorted(earlier.values(), key=lambda pair: pair[0].of):  # that of a later value has the others
        if is_partial(other, problem):
            changes.update(local_changes(other, typed.value, values))
    if values is None and not given and not changes:
        return None
    totals = sweep(graph, problem.of, changes, seed=problem.seed, given=given, values=values, stop=problem.stop)
    total = totals.get(problem.by)
    return total if problem.before is None or total is None else problem.before + total


def own_probabilities(graph: Graph, forward: Mapping[int, Value]) -> dict[Edge, Change]:
    """Return the rule of a cross entropy over a student's own probabilities, which may have any sign."""

    def rule(probabilities: Value, axis: int) -> Change:
        return lambda g, contribution: g - probabilities * np.sum(g, axis=axis, keepdims=True)

    softmax = [vertex for vertex in forward if vertex in graph.twins]
    return {
        Edge(twin, 0): rule(np.asarray(forward[index]), graph.vertices[twin].options["dim"])
        for index in softmax
        for twin in graph.twins[index]
    }


def is_partial(other: Problem, problem: Problem) -> bool:
    """Whether a derivative is one link of the chain to another: a local one, or that of a value on the way alone."""
    if other.kind != "gradient" or problem.stop or other.of == problem.of:
        return bool(other.stop) and not problem.stop and other.kind == "gradient"
    waiting = [edge.vertex for edge in other.into(other.by)]
    seen = {other.of, *waiting}
    while waiting:  # nothing else may come through the edges of that value
        vertex = waiting.pop()
        if vertex == problem.of:
            return False
        above = {edge.vertex for edge in problem.into(vertex)} if vertex != other.of else set()
        waiting.extend(above - seen)
        seen |= above
    return True


def local_changes(local: Problem, value: Value, values: Sequence[Value] | None) -> dict[Edge, Change]:
    """Return rules that give a student's local derivative: over several steps by its ratio to the one at `values`."""
    first, *others = local.into(local.by)
    if first.vertex == local.of and all(edge.vertex == local.of for edge in others):
        return {first: slope(value), **dict.fromkeys(others, slope(0.0))}
    truth = local.truth
    if values is not None:
        truth = sweep(local.graph, local.of, seed=local.seed, values=values, stop=local.stop).get(local.by, truth)
    ratio = np.divide(value, truth)
    return {edge: scaled(ratio) for edge in local.into(local.by)} if np.all(np.isfinite(ratio)) else {}
