"""Diagnoses beside the rest of a student's sheet: a mistake that would have spoiled a right answer is unlikely."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from gradcli.homework.diagnose.ordering import UNLIKELY, settled, weight
from gradcli.homework.mistakes.catalogue import TURNS
from gradcli.homework.model import Diagnosis
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem

Found = tuple[Diagnosis, ...]


def in_agreement(found: Sequence[Diagnosis], problem: Problem | None, right: Collection[Problem]) -> Found:
    """Return diagnoses with the mistakes last that would have spoiled answers that are `right`."""
    if problem is None:
        return settled(found)
    others = [other for other in right if other.graph is problem.graph]
    judged = [
        replace(one, rank=one.rank + UNLIKELY) if any(spoils(one, problem, other) for other in others) else one
        for one in found
    ]
    return settled(sorted(judged, key=weight))


def spoils(one: Diagnosis, problem: Problem, other: Problem) -> bool:
    """Whether a mistake about one problem changes the answer to another.

    Every mistake in one value changes the same other values, so a change there does not tell mistakes apart.
    """
    if problem.kind == "value" and one.vertex == problem.by:
        return False
    if one.edges and other.kind == "gradient":
        return any(v in other.above and other.graph.vertices[v].sources[p] in other.above for v, p in one.edges)
    if one.kind not in TURNS or one.vertex is None:
        return False
    if other.kind == "value":
        return one.vertex in behind(other.graph, other.by)
    return problem.kind == "gradient" and one.vertex in other.above and one.vertex != other.by


def behind(graph: Graph, vertex: int) -> set[int]:
    """Return the vertices that a value is computed from, itself among them."""
    found, waiting = {vertex}, [vertex]
    while waiting:
        for source in graph.vertices[waiting.pop()].sources:
            if source >= 0 and source not in found:
                found.add(source)
                waiting.append(source)
    return found
