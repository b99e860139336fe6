"""Backward passes with changed rules: where every value is one number, many of them run side by side in one sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.explanation.refusals import FAILURES
from gradcli.homework.diagnose.shelves import Suspect
from gradcli.homework.mistakes.declaration import Slip
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, sweep
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.vertices import Vertex


def sweeps(problem: Problem, suspects: Sequence[Suspect]) -> Callable[[int], Any]:
    """Return the gradients after each suspect's slips as a function of the vertex; None where none arrives there."""
    changes = [{e: c for slip in s.parts if isinstance(slip, Slip) for e, c in slip.changes.items()} for s in suspects]
    if not problem.graph.is_scalar or not suspects:
        totals = [attempt(problem, change) for change in changes]
        return lambda by: [total.get(by) for total in totals]
    by_edge: dict[Edge, list[tuple[int, Change]]] = {}
    for place, change in enumerate(changes):
        for edge, one in change.items():
            by_edge.setdefault(edge, []).append((place, one))
    for edge, own in problem.own.items():
        by_edge.setdefault(edge, []).extend((p, own) for p, change in enumerate(changes) if edge not in change)
    merged = {edge: side_by_side(parts) for edge, parts in by_edge.items()}
    seed = np.full(len(suspects), 1.0 if problem.seed is None else problem.seed)
    given = {vertex: np.full(len(suspects), value) for vertex, value in problem.given.items() if vertex != problem.by}
    wide = sweep(problem.graph, problem.of, merged, seed=seed, given=given, stop=problem.stop)
    return lambda by: np.broadcast_to(wide[by], seed.shape) if by in wide else [None] * len(suspects)


def attempt(
    problem: Problem,
    changes: dict[Edge, Change],
    values: Sequence[Value] | None = None,
    changed: Mapping[int, Vertex] = MappingProxyType({}),
) -> dict[int, Value]:
    """Run one sweep; empty where the mistake does not fit the shapes."""
    of_same = all(vertex.sources == problem.graph.vertices[index].sources for index, vertex in changed.items())
    only = problem.above if problem.is_alone and of_same else None
    try:
        return problem.swept(changes, values=values, changed=changed, only=only)
    except (*FAILURES, TypeError):
        return {}


def side_by_side(parts: Sequence[tuple[int, Change]]) -> Change:
    """Join changes of one edge, each at its own places of arrays that hold all sweeps."""
    grouped: dict[int, tuple[Change, list[int]]] = {}
    for place, change in parts:
        grouped.setdefault(id(change), (change, []))[1].append(place)
    indexed = [(change, np.array(places)) for change, places in grouped.values()]

    def changed(g: Value, contribution: Value) -> Value:
        result = np.array(np.broadcast_to(contribution, g.shape))
        for change, places in indexed:
            result[places] = change(g[places], result[places])
        return result

    return changed
