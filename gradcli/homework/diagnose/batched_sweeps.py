"""Backward passes with changed rules: where every value is one number, many of them run side by side in one sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.explanation.refusals import FAILURES
from gradcli.homework.diagnose.suspect_index import Suspect
from gradcli.homework.mistakes.declaration import Slip
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Part
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.sweep import Begun, sweep
from gradcli.homework.solve.vertices import Vertex

Slipped = Mapping[Edge, Change]  # the rules that one slip changes


def sweeps(problem: Problem, suspects: Sequence[Suspect]) -> Callable[[int], Any]:
    """Return the gradients after each suspect's slips as a function of the vertex; None where none arrives there."""
    slips = [[part.changes for part in suspect.parts if isinstance(part, Slip)] for suspect in suspects]
    if not problem.graph.is_scalar or not suspects:
        totals: list[dict[int, Value]] = [{} for _ in slips]
        branch_off(Walk(problem), list(enumerate(slips)), totals)
        return lambda by: [total.get(by) for total in totals]
    changes = [{edge: change for slip in some for edge, change in slip.items()} for some in slips]
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


class Walk:
    """A sweep with changed rules that stops on its way, so that others go on from there."""

    def __init__(self, problem: Problem, changes: Slipped = MappingProxyType({}), begun: Begun | None = None) -> None:
        self.problem, self.changes, self.begun = problem, changes, begun
        self.only = problem.alone

    def down_to(self, vertex: int) -> Begun:
        """Return the sweep as it comes to a vertex, each time to a lower one; to -1 where it ends."""
        totals = self.problem.swept(self.changes, only=self.only, begun=self.begun, until=vertex + 1)
        self.begun = Begun(vertex, totals)
        return self.begun


def branch_off(walk: Walk, left: Sequence[tuple[int, Sequence[Slipped]]], found: list[dict[int, Value]]) -> None:
    """Find the gradients after the slips that are `left` at each place; nothing where they do not fit the shapes.

    All that have the same slip at the top go on from one sweep.
    """
    alike: dict[int, list[tuple[int, list[Slipped]]]] = {}
    for place, slips in left:
        if slips:
            first, *others = sorted(slips, key=top, reverse=True) if len(slips) > 1 else slips
            alike.setdefault(id(first), []).append((place, [first, *others]))
    for some in sorted(alike.values(), key=lambda some: top(some[0][1][0]), reverse=True):
        slip = some[0][1][0]
        with suppress(*FAILURES, TypeError):
            begun = walk.down_to(min(top(slip), walk.problem.of))
            branch_off(
                Walk(walk.problem, {**walk.changes, **slip}, begun), [(p, rest) for p, (_, *rest) in some], found
            )
    for place in (place for place, slips in left if not slips):
        found[place] = dict(walk.down_to(-1).totals)


def top(slip: Slipped) -> int:
    """Return the highest vertex of which a rule is changed."""
    return max((edge.vertex for edge in slip), default=-1)


def attempt(
    problem: Problem,
    changes: dict[Edge, Change],
    values: Sequence[Value] | None = None,
    changed: Mapping[int, Vertex] = MappingProxyType({}),
) -> dict[int, Value]:
    """Run one sweep; empty where the mistake does not fit the shapes."""
    only = part_after(problem, changed)
    try:
        return problem.swept(changes, values=values, changed=changed, only=only)
    except (*FAILURES, TypeError):
        return {}


def part_after(problem: Problem, changed: Mapping[int, Vertex]) -> Part | None:
    """Return the part of a graph that is enough, if there is one, and changed vertices send gradients on as before."""
    part = problem.alone
    pairs = ((new.leads, problem.graph.vertices[index].leads) for index, new in changed.items() if part)
    return part if part and all((a ^ b).isdisjoint(part.vertices) for a, b in pairs) else None


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
