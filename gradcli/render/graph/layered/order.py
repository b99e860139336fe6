"""The order within layers: each vertex near the mean of its neighbours, then swaps of neighbours, for few crossings."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import field

from gradcli.facts import dataclass

# The layer of each box, and the stations of an edge in the layers that it passes.


PASSES = 3  # in which boxes are drawn to those that use them


@dataclass(slots=True)
class Link:
    """A part of an edge between neighbouring layers, from the vertex above to a port of the one below."""

    source: int
    target: int
    edge: int
    port: float = 0.0  # across, from the middle of the target


@dataclass(slots=True)
class Graph:
    """Vertices in layers: first the boxes by number, then the stations of long edges."""

    layer: list[int]
    boxes: int
    links: list[Link] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)  # the vertices of each edge, from its source to its target

    @property
    def count(self) -> int:
        return max(self.layer, default=-1) + 1

    def members(self) -> list[list[int]]:
        """Return the vertices by layer."""
        by_layer: list[list[int]] = [[] for _ in range(self.count)]
        for vertex, layer in enumerate(self.layer):
            by_layer[layer].append(vertex)
        return by_layer


def stationed(boxes: int, edges: Sequence[tuple[int, int]], most: int) -> Graph | None:
    """Return the layered graph; None where its edges would have more than `most` stations.

    Edges from one box go through the same stations, and part from one another where they must.
    """
    graph = Graph(layers(boxes, edges), boxes)
    stations: dict[tuple[int, int], int] = {}
    for number, (source, target) in enumerate(edges):
        chain = [source]
        for at in range(graph.layer[source] + 1, graph.layer[target]):
            station = stations.get((source, at))
            if station is None:
                station = stations[source, at] = len(graph.layer)
                graph.layer.append(at)
                graph.links.append(Link(chain[-1], station, number))
            chain.append(station)
        if len(stations) > most:
            return None
        graph.links.append(Link(chain[-1], target, number))
        graph.chains.append([*chain, target])
    return graph


def layers(boxes: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return a layer for each box, so that edges go forward; ValueError for edges in a circle.

    Sources stand next to the first box that uses them, and so does what is made from them alone.
    """
    ins: list[list[int]] = [[] for _ in range(boxes)]
    outs: list[list[int]] = [[] for _ in range(boxes)]
    for source, target in edges:
        ins[target].append(source)
        outs[source].append(target)
    waiting = [len(sources) for sources in ins]
    order = [box for box in range(boxes) if not waiting[box]]
    layer = [0] * boxes
    for box in order:
        for user in outs[box]:
            layer[user] = max(layer[user], layer[box] + 1)
            waiting[user] -= 1
            if not waiting[user]:
                order.append(user)
    if len(order) < boxes:
        raise ValueError("the edges run in a circle")
    for _ in range(PASSES):
        for box in reversed(order):
            users = outs[box]
            if not users:
                continue
            held = sum(1 for source in ins[box] if ins[source] or len(set(outs[source])) > 1)
            if len(users) >= held:
                layer[box] = min(layer[user] for user in users) - 1
    first = min(layer, default=0)
    return [at - first for at in layer]


SWEEPS, FEW = 12, 4  # of a small graph, and of another
SMALL = 600  # vertices of a graph that is improved by swaps
TINY, MORE = 40, 6  # vertices of one for which more orders are tried to begin with, and how many
SHUFFLE = 577  # mixes them, in the same way each time
Neighbours = list[list[tuple[int, float]]]  # of each vertex: another one, and where the link between them has its port


def ordered(graph: Graph, ports: Sequence[float]) -> tuple[list[list[int]], int]:
    """Return the vertices by layer in their order, and the number of crossings; ports are fractions of a box."""
    above, below = neighbours(graph, ports)
    best = begun(graph, above)
    fewest = crossings(best, graph, ports)
    is_small = len(graph.layer) <= SMALL
    starts = 2 + MORE * (len(graph.layer) <= TINY) if is_small else 1
    for first in range(starts):  # the side that is looked at first leads to different orders, as other beginnings do
        layers = begun(graph, above)
        if first > 1:
            for layer in layers:
                layer.sort(key=lambda vertex: (vertex + 1) * first * SHUFFLE % 1009)
        for sweep in range(first, first + (SWEEPS if is_small else FEW)):
            if not fewest:
                return best, fewest
            swept(layers, graph, above, below, is_up=sweep % 2 == 0)
            if is_small:
                swapped(layers, above, below)
            count = crossings(layers, graph, ports)
            if count < fewest:
                best, fewest = [list(layer) for layer in layers], count
    return best, fewest


def swept(layers: list[list[int]], graph: Graph, above: Neighbours, below: Neighbours, *, is_up: bool) -> None:
    """Order the layers one after the other: downwards by the layer above each, or upwards by the layer below."""
    place = positions(layers, len(graph.layer))
    near, steps = (above, range(1, len(layers))) if is_up else (below, range(len(layers) - 2, -1, -1))
    for at in steps:
        layers[at].sort(key=lambda vertex: wished(vertex, near, place, is_up=is_up))
        for position, vertex in enumerate(layers[at]):
            place[vertex] = position


def neighbours(graph: Graph, ports: Sequence[float]) -> tuple[Neighbours, Neighbours]:
    """Return the neighbours of each vertex in the layer before, and in the one after."""
    above: Neighbours = [[] for _ in graph.layer]
    below: Neighbours = [[] for _ in graph.layer]
    for link, port in zip(graph.links, ports, strict=True):
        above[link.target].append((link.source, port))
        below[link.source].append((link.target, port))
    return above, below


def begun(graph: Graph, above: Neighbours) -> list[list[int]]:
    """Return the layers as a walk from the last boxes meets their vertices, operands in their order."""
    used = {link.source for link in graph.links}
    stack = [vertex for vertex in range(graph.boxes) if vertex not in used]
    layers: list[list[int]] = [[] for _ in range(graph.count)]
    seen: set[int] = set()
    while stack:
        vertex = stack.pop()
        if vertex in seen:
            continue
        seen.add(vertex)
        layers[graph.layer[vertex]].append(vertex)
        stack.extend(source for source, _ in reversed(above[vertex]))
    return layers


def positions(layers: Sequence[Sequence[int]], count: int) -> list[float]:
    place = [0.0] * count
    for layer in layers:
        for position, vertex in enumerate(layer):
            place[vertex] = position
    return place


def wished(vertex: int, near: Neighbours, place: Sequence[float], *, is_up: bool) -> float:
    """Return the mean of where the neighbours stand, ports included; where there are none, its own place."""
    ties = near[vertex]
    if not ties:
        return place[vertex]
    if is_up:  # what stands at an upper port pulls the box down by as much
        return sum(place[other] - port for other, port in ties) / len(ties)
    return sum(place[other] + port for other, port in ties) / len(ties)


def crossings(layers: Sequence[Sequence[int]], graph: Graph, ports: Sequence[float]) -> int:
    """Count the crossings of links."""
    place = positions(layers, len(graph.layer))
    by_layer: list[list[tuple[float, float]]] = [[] for _ in layers]
    for link, port in zip(graph.links, ports, strict=True):
        by_layer[graph.layer[link.source]].append((place[link.source], place[link.target] + port))
    return sum(map(inversions, by_layer))


def inversions(links: list[tuple[float, float]]) -> int:
    count, seen = 0, list[float]()
    for _, end in sorted(links):
        count += len(seen) - bisect_right(seen, end)
        insort(seen, end)
    return count


def swapped(layers: list[list[int]], above: Neighbours, below: Neighbours) -> None:
    """Swap neighbours wherever this takes crossings away."""
    place = positions(layers, len(above))
    for _ in range(4):
        is_better = False
        for layer in layers:
            for i in range(len(layer) - 1):
                first, second = layer[i], layer[i + 1]
                if saved(above[first], above[second], place) + saved(below[first], below[second], place) > 0:
                    layer[i], layer[i + 1] = second, first
                    place[first], place[second] = place[second], place[first]
                    is_better = True
        if not is_better:
            return


def saved(first: list[tuple[int, float]], second: list[tuple[int, float]], place: Sequence[float]) -> int:
    """Return how many crossings of the links of two vertices a swap takes away."""
    count = 0
    for a, at in first:
        for b, other in second:
            left, right = place[a] + (at if a == b else 0), place[b] + (other if a == b else 0)
            count += (left > right) - (left < right)
    return count


def fractions(links: Sequence[Link], entering: Sequence[int], boxes: int) -> list[float]:
    """Return for each link where it enters its target: between -½ and ½, in the order of the edges."""
    seen = [0] * boxes
    places = []
    for link in links:
        if link.target >= boxes:
            places.append(0.0)
            continue
        places.append((seen[link.target] + 0.5) / entering[link.target] - 0.5)
        seen[link.target] += 1
    return places
