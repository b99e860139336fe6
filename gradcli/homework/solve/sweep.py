"""The chain rule, run over a graph from an output down, with some of its rules changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.homework.model import Value
from gradcli.homework.solve.graph import Change, Edge, Graph, Part, ways_of
from gradcli.homework.solve.vertices import Vertex, at_values, ones_like


class Begun(NamedTuple):
    """A sweep on its way: the vertex that it comes to next, and the gradients so far."""

    vertex: int
    totals: Mapping[int, Value]


def sweep(
    graph: Graph,
    of: int,
    changes: Mapping[Edge, Change] | None = None,
    *,
    seed: Value | None = None,
    given: Mapping[int, Value] | None = None,
    values: Sequence[Value] | None = None,
    changed: Mapping[int, Vertex] = MappingProxyType({}),
    stop: Collection[int] = (),
    fitted: bool = True,
    only: Part | None = None,
    begun: Begun | None = None,
    until: int = 0,
) -> dict[int, Value]:
    """Return the gradients of vertex `of` with respect to everything below it, by vertex, or in a part `only`.

    `changes` replace contributions; `seed` (default 1) enters at `of`, and may be an array of many seeds where the
    graph is scalar; `given` replace computed gradients, `values` forward values, and `changed` vertices; nothing flows
    on from the vertices in `stop`; contributions are summed over broadcast axes only if `fitted`. A part begins at
    `of` and at the given gradients in it. A sweep may go on from one that has `begun`, and
    stop at a vertex, `until` which it goes.
    """
    changes, given, is_fitted = changes or {}, given or {}, fitted and not graph.is_scalar
    ways = graph.ways if only is None else only.ways
    first, totals = (of, {}) if begun is None else (begun.vertex, dict(begun.totals))
    if begun is None:
        totals[of] = ones_like(graph.vertices[of].value) if seed is None else seed
        totals.update((v, value) for v, value in given.items() if only is not None and v in only.vertices)
    for index in range(first, until - 1, -1):
        if index not in totals:
            continue
        if index in given:
            totals[index] = np.asarray(given[index])[()]
        if index in stop and index != of:
            continue
        vertex, rules, options = ways[index]
        if index in changed:
            vertex = changed[index]
            rules, options = ways_of(vertex, index)
            rules = rules if only is None else [way for way in rules if way[2] in only.vertices]
        if not rules:
            continue
        g = totals[index]
        operands = vertex.operands if values is None or index in changed else at_values(vertex, values)
        out = vertex.value if values is None else values[index]
        for edge, rule, source in rules:
            contribution = rule(g, out, *operands, **options)
            change = changes.get(edge) if changes else None
            if change is not None:
                contribution = change(g, contribution)
            if is_fitted:
                contribution = fit(contribution, operands[edge.position])
            totals[source] = totals[source] + contribution if source in totals else contribution
    return totals
