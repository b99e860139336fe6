"""An answer computed again from a student's own earlier numbers, in place of the right ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph
from gradcli.homework.solve.problem import Problem, scaled, slope
from gradcli.homework.solve.runs.relevant_numbers import Earlier
from gradcli.homework.solve.sweep import sweep


def recomputed(problem: Problem, earlier: Earlier) -> Value | None:
    """Return the answer to the question if the earlier ones were right; None where it does not depend on them."""
    graph = problem.graph
    earlier = {q: (other, typed) for q, (other, typed) in earlier.items() if other.graph is graph}  # not another pass
    forward = {other.by: typed.value for other, typed in earlier.values() if other.kind == "value"}
    values = graph.forward_once(forward) if forward else None
    if problem.kind == "value":
        return None if values is None else values[problem.by]
    given = {
        other.by: typed.value
        for other, typed in earlier.values()
        if other.kind == "gradient" and not other.stop and other.of == problem.of and other.by != problem.by
    }
    changes = own_probabilities(graph, forward)
    for other, typed in sorted(earlier.values(), key=lambda one: one[0].of):  # that of a later value has the others
        if is_partial(other, problem):
            changes.update(local_changes(other, typed.value, values))
    if values is None and not given and not changes:
        return None
    found = sweep(
        graph,
        problem.of,
        changes,
        seed=problem.seed,
        given=given,
        values=values,
        stop=problem.stop,
        only=problem.part(frozenset(given)),
    ).get(problem.by)
    return found if problem.before is None or found is None else problem.before + found


def own_probabilities(graph: Graph, forward: Mapping[int, Value]) -> dict[Edge, Change]:
    """Return the rule of a cross entropy over a student's own probabilities, which may have any sign."""

    def rule(own: Value, axis: int) -> Change:
        return lambda g, contribution: g - own * np.sum(g, axis=axis, keepdims=True)

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
