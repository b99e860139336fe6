"""A question as a student met it: with the student's own earlier numbers in place of the right ones."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from gradcli.homework.solve.carried import is_partial, local_changes, passed_on
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.runs.bearing import Earlier

NOTHING: Earlier = MappingProxyType({})


def based(problem: Problem, earlier: Earlier, before: Sequence[Problem], right: Earlier = NOTHING) -> Problem | None:
    """Return the problem at the earlier answers that were wrong; None where it does not depend on them.

    Mistakes are looked for between the quantity and all that was asked `before`. Gradients that are `right` are gone on
    with as they are: a rule that was then forgotten is right in what they came by.
    """
    seen = {
        quantity: (other, typed)
        for quantity, (asked_before, typed) in earlier.items()
        if (other := asked_before.seen_in(problem.graph, quantity)) is not None and np.all(np.isfinite(typed.value))
    }
    upstream = {quantity: one for quantity, one in seen.items() if is_upstream(one[0], problem)}
    wrong = [
        (other, np.asarray(typed.value)[()])
        for other, typed in {**passed_on(upstream), **seen}.values()
        if not same_quantity(other, problem)
    ]
    asked = [other for other in before if other.graph is problem.graph and not same_quantity(other, problem)]
    forward = {other.by: value for other, value in wrong if other.kind == "value"}
    graph = problem.graph.moved(forward) if forward else copy(problem.graph)
    if problem.kind == "value":
        graph.within = region(problem, {other.by for other in asked if other.kind == "value"})
        return problem.over(graph) if forward else None
    known = [other for other, _ in right.values() if other.graph is problem.graph and not same_quantity(other, problem)]
    given = {other.by: other.truth for other in known if is_upstream(other, problem)}
    given |= {other.by: value for other, value in wrong if is_upstream(other, problem)}
    changes: dict[Edge, Change] = {}
    for other, value in sorted(wrong, key=lambda one: one[0].of):
        if is_partial(other, problem):
            changes.update(local_changes(other, value, graph.values if forward else None))
    if not (forward or given or changes):
        return None
    graph.within = region(problem, {other.by for other in asked if is_upstream(other, problem)})
    return replace(problem, graph=graph, given=given, own=changes, is_alone=True, cache={})


def is_upstream(other: Problem, problem: Problem) -> bool:
    return other.kind == "gradient" and not other.stop and other.of == problem.of


def same_quantity(one: Problem, other: Problem) -> bool:
    return (one.kind, one.of, one.by, one.stop) == (other.kind, other.of, other.by, other.stop)


def region(problem: Problem, known: set[int]) -> frozenset[int]:
    """Return the vertices between a quantity and the `known` ones: above it for a gradient, below it for a value."""
    graph, is_value = problem.graph, problem.kind == "value"
    found, waiting = {problem.by}, [problem.by]
    while waiting:
        vertex = waiting.pop()
        nearby = graph.vertices[vertex].sources if is_value else [edge.vertex for edge in problem.into(vertex)]
        for other in nearby:
            if other >= 0 and other not in found and not (is_value and other in known):
                found.add(other)
                if other not in known:
                    waiting.append(other)
    return frozenset(found)
