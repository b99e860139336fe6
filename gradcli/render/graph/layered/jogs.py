"""Small jogs: an edge that would be straight but for a few pixels is, where a box may stand so much further aside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradcli.render.graph.layered.layers import Graph, Link

SMALL, NONE = 12.0, 0.05  # pixels: of a jog, and of none
MOST = 400  # links of a picture in which they are looked for


def smooth(layers: Sequence[Sequence[int]], graph: Graph, apart: Sequence[Sequence[float]], place: list[float]) -> None:
    """Move an end of an edge with a jog, and all that it pushes, where fewer edges bend than before."""
    if len(graph.links) > MOST:
        return
    position = {vertex: at for layer in layers for at, vertex in enumerate(layer)}
    links: list[list[Link]] = [[] for _ in graph.layer]
    for link in graph.links:
        links[link.source].append(link)
        links[link.target].append(link)

    def pushed(vertex: int, by: float) -> Iterator[tuple[int, float]]:
        """Yield the places of a vertex that moves, and of its neighbours as far as they must give way."""
        layer, distances = layers[graph.layer[vertex]], apart[graph.layer[vertex]]
        at, way = position[vertex], 1 if by > 0 else -1
        level = place[vertex] + by
        yield vertex, level
        while 0 <= at + way < len(layer):
            level += way * distances[min(at, at + way)]
            at += way
            if (place[layer[at]] - level) * way >= 0:
                return
            yield layer[at], level

    def bends(moved: Mapping[int, float]) -> int:
        """Count the bends of all edges that what moves has, a jog for two."""
        found = {id(link): link for vertex in moved for link in links[vertex]}
        return sum(map(weight, (offset(link, moved) for link in found.values())))

    def offset(link: Link, moved: Mapping[int, float]) -> float:
        source, target = (moved.get(vertex, place[vertex]) for vertex in (link.source, link.target))
        return target + link.port - source

    for link in graph.links:
        for vertex, way in ((link.source, 1), (link.target, -1)):
            jog = offset(link, {})
            if not NONE < abs(jog) < SMALL:
                break
            moved = dict(pushed(vertex, way * jog))
            if bends(moved) < bends({one: place[one] for one in moved}):
                for one, level in moved.items():
                    place[one] = level


def weight(offset: float) -> int:
    return (abs(offset) > NONE) + (NONE < abs(offset) < SMALL)
