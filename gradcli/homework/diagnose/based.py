"""A question as a student met it: with the student's own earlier numbers in place of the right ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradcli.homework.solve.carried import Earlier, local_changes
from gradcli.homework.solve.problem import Problem


def based(problem: Problem, earlier: Earlier) -> Problem | None:
    """Return the problem at earlier answers; None where it does not depend on them, or they are not finite."""
    own = {
        quantity: (other, typed.value)
        for quantity, (other, typed) in earlier.items()
        if other.graph is problem.graph and np.all(np.isfinite(typed.value)) and not same_quantity(other, problem)
    }
    forward = {other.by: np.asarray(value)[()] for other, value in own.values() if other.kind == "value"}
    graph = problem.graph.moved(forward) if forward else problem.graph
    if problem.kind == "value":
        return replace(problem, graph=graph, cache={}) if forward else None
    given = {
        other.by: np.asarray(value)[()]
        for other, value in own.values()
        if other.kind == "gradient" and not other.stop and other.of == problem.of
    }
    changes = {}
    for other, value in own.values():
        if other.stop and not problem.stop:
            changes.update(local_changes(other, value))
    if not (forward or given or changes):
        return None
    within = region(problem, set(given))
    return replace(problem, graph=graph, given=given, own=changes, within=within, cache={})


def same_quantity(one: Problem, other: Problem) -> bool:
    return (one.kind, one.of, one.by, one.stop) == (other.kind, other.of, other.by, other.stop)


def region(problem: Problem, given: set[int]) -> frozenset[int]:
    """Return the vertices that the gradient comes through, up to given ones."""
    found, waiting = {problem.by}, [problem.by]
    while waiting:
        for edge in problem.into(waiting.pop()):
            if edge.vertex not in found:
                found.add(edge.vertex)
                if edge.vertex not in given:
                    waiting.append(edge.vertex)
    return frozenset(found)
