"""Long edges as straight lines: the stations of the edges from one box stand at one place where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from gradcli.render.graph.layered.layers import Graph

TURNS = 2  # the second has the room that the first made


def straighten_trunks(
    layers: Sequence[Sequence[int]], graph: Graph, apart: Sequence[Sequence[float]], place: list[float]
) -> None:
    """Move stations, in their order and at their distances, so that long edges bend as seldom as they can."""
    position = {vertex: at for layer in layers for at, vertex in enumerate(layer)}

    def room(station: int) -> tuple[float, float]:
        layer, at = graph.layer[station], position[station]
        members, distances = layers[layer], apart[layer]
        least = place[members[at - 1]] + distances[at - 1] if at else -inf
        return least, place[members[at + 1]] - distances[at] if at + 1 < len(members) else inf

    def runs(trunk: Sequence[int]) -> Iterator[tuple[Sequence[int], float, float]]:
        """Yield the longest parts that have a common room, one after the other."""
        first, least, most = 0, -inf, inf
        for at, station in enumerate(trunk):
            low, high = room(station)
            if at > first and max(least, low) > min(most, high):
                yield trunk[first:at], least, most
                first, least, most = at, low, high
            least, most = max(least, low), min(most, high)
        yield trunk[first:], least, most

    found = trunks(graph)
    for _ in range(TURNS):
        for (source, *trunk, target), port in found:
            for run, least, most in runs(trunk):
                ends = [place[source]] * (run[0] == trunk[0]) + [place[target] + port] * (run[-1] == trunk[-1])
                mean = sum(place[station] for station in run) / len(run)
                level = next((end for end in ends if least <= end <= most), min(max(mean, least), most))
                for station in run:
                    place[station] = level


def trunks(graph: Graph) -> list[tuple[list[int], float]]:
    """Return the longest edge from each box, and the port at which it enters another; long ones first."""
    ports = {(link.source, link.target): link.port for link in graph.links}
    longest: dict[int, list[int]] = {}
    for chain in graph.chains:
        if len(chain) > max(2, len(longest.get(chain[0], ()))):
            longest[chain[0]] = chain
    chains = sorted(longest.values(), key=len, reverse=True)
    return [(chain, ports[chain[-2], chain[-1]]) for chain in chains]
