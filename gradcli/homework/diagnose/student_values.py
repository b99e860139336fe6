"""A question as a student met it: with the student's own earlier numbers in place of the right ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from gradcli.homework.model import Value
from gradcli.homework.solve.carried import passed_on
from gradcli.homework.solve.graph import Change, Edge
from gradcli.homework.solve.problem import Problem
from gradcli.homework.solve.recomputing import is_partial, local_changes
from gradcli.homework.solve.runs.relevant_numbers import Earlier

NOTHING: Earlier = MappingProxyType({})


class Basis(NamedTuple):
    """The numbers of a student from which an answer may go on: values, gradients, and derivatives of parts."""

    forward: dict[int, Value]
    given: dict[int, Value]
    partial: list[tuple[Problem, Value]]

    @property
    def known(self) -> tuple[Hashable, ...]:
        """Return the key of the numbers, by what they are of: whatever else a student typed changes nothing."""
        numbers = (*self.forward.items(), *self.given.items())
        parts = ((other.of, other.by, np.asarray(value).tobytes()) for other, value in self.partial)
        return len(self.forward), *((by, np.asarray(value).tobytes()) for by, value in numbers), *parts


def basis(problem: Problem, earlier: Earlier, right: Earlier = NOTHING) -> Basis | None:
    """Return the `earlier` answers, which were wrong, that a problem depends on; None where it depends on none.

    Gradients that are `right` are gone on with as they are: a rule that was then forgotten is right in what they came
    by.
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
    forward = {other.by: value for other, value in wrong if other.kind == "value"}
    if problem.kind == "value":
        return Basis(forward, {}, []) if forward else None
    known = [other for other, _ in right.values() if other.graph is problem.graph and not same_quantity(other, problem)]
    given = {other.by: other.truth for other in known if is_upstream(other, problem)}
    given |= {other.by: value for other, value in wrong if is_upstream(other, problem)}
    partial = [one for one in sorted(wrong, key=lambda one: one[0].of) if is_partial(one[0], problem)]
    return Basis(forward, given, partial) if forward or given or partial else None


def based(problem: Problem, own: Basis, before: Sequence[Problem]) -> Problem:
    """Return the problem at a student's own numbers.

    Mistakes are looked for between the quantity and all that was asked `before`.
    """
    asked = [other for other in before if other.graph is problem.graph and not same_quantity(other, problem)]
    graph = problem.graph.moved(own.forward) if own.forward else problem.graph
    if problem.kind == "value":
        return problem.over(graph.only(region(problem, {other.by for other in asked if other.kind == "value"})))
    changes: dict[Edge, Change] = {}
    for other, value in own.partial:
        changes.update(local_changes(other, value, graph.values if own.forward else None))
    new = graph.only(region(problem, {other.by for other in asked if is_upstream(other, problem)}))
    return replace(problem, graph=new, given=own.given, own=changes, is_alone=True, cache={})


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
