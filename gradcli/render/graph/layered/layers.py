"""The layer of each box, and the stations of an edge in the layers that it passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from gradcli.facts import dataclass

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
        found: list[list[int]] = [[] for _ in range(self.count)]
        for vertex, layer in enumerate(self.layer):
            found[layer].append(vertex)
        return found


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
    waiting = [len(found) for found in ins]
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
