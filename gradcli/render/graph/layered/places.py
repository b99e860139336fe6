"""The places of vertices across the layers: near their neighbours, in their order, never on each other."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import pairwise

from gradcli.render.graph.layered.jogs import smooth
from gradcli.render.graph.layered.layers import Graph, Link
from gradcli.render.graph.layered.trunks import straighten_trunks

ROUNDS = 12
STRAIGHT = 6.0  # weight of a link between stations, which should be a straight line
BRANCH = 0.2  # weight of one that parts from such a line
MAIN, SIDE = 3.0, 0.05  # weights of one from a box that others lead to, and from a source, which stands beside that
LOOSE = 1e-4  # of a source when the others are in front of their ports: it must not push them aside


def spread(
    layers: Sequence[Sequence[int]],
    graph: Graph,
    before: Sequence[float],
    after: Sequence[float],
    gap: float,
) -> list[float]:
    """Return the middle of each vertex; it takes the room from `before` to `after` it, with a gap between two."""
    near: list[list[tuple[int, float, float]]] = [[] for _ in graph.layer]  # another vertex, the shift, the weight
    goes_on = {link.source for link in graph.links if min(link.source, link.target) >= graph.boxes}
    inner = {link.target for link in graph.links}
    for link in graph.links:
        stations = (link.source >= graph.boxes) + (link.target >= graph.boxes)
        weight = (MAIN if link.source in inner else SIDE, 2.0, STRAIGHT)[stations]
        if link.source in goes_on and link.target < graph.boxes:
            weight = BRANCH
        near[link.target].append((link.source, -link.port, weight))
        near[link.source].append((link.target, link.port, weight))
    apart = [[after[a] + before[b] + gap / (1 + (min(a, b) >= graph.boxes)) for a, b in pairwise(x)] for x in layers]
    place = [0.0] * len(graph.layer)
    for layer, distances in zip(layers, apart, strict=True):
        settle(layer, distances, [0.0] * len(layer), [1.0] * len(layer), place)
    for turn in range(ROUNDS):
        side = (-1, 1, 0)[turn % 3] if turn < ROUNDS - 1 else 0
        steps = range(len(layers)) if turn % 2 == 0 else range(len(layers) - 1, -1, -1)
        for at in steps:
            layer = layers[at]
            wishes, weights = [], []
            for vertex in layer:
                found = [one for one in near[vertex] if not side or graph.layer[one[0]] - at == side] or near[vertex]
                total = sum(weight for _, _, weight in found)
                mean = sum((place[other] + shift) * weight for other, shift, weight in found)
                wishes.append(mean / total if found else place[vertex])
                weights.append(total or 0.1)
            settle(layer, apart[at], wishes, weights, place)
    straighten(layers, graph, apart, place, inner)
    straighten_trunks(layers, graph, apart, place)
    smooth(layers, graph, apart, place)
    return place


def straighten(
    layers: Sequence[Sequence[int]],
    graph: Graph,
    apart: Sequence[Sequence[float]],
    place: list[float],
    inner: Container[int],
) -> None:
    """Move what has one user in front of its port, where there is room: most edges of a tree are straight lines."""
    ends: list[list[Link]] = [[] for _ in graph.layer]
    for link in graph.links:
        ends[link.source].append(link)
    for at in range(len(layers) - 1, -1, -1):
        found = [ends[vertex] for vertex in layers[at]]
        wishes = [
            place[links[0].target] + links[0].port if len(links) == 1 else place[vertex]
            for vertex, links in zip(layers[at], found, strict=True)
        ]
        weights = [
            (STRAIGHT if vertex in inner else LOOSE) if len(links) == 1 else 1.0
            for links, vertex in zip(found, layers[at], strict=True)
        ]
        settle(layers[at], apart[at], wishes, weights, place)


def settle(
    layer: Sequence[int],
    distances: Sequence[float],
    wishes: Sequence[float],
    weights: Sequence[float],
    place: list[float],
) -> None:
    """Put a layer as near to its wishes as its order and distances allow (least squares, by pooling neighbours)."""
    shift, shifts = 0.0, [0.0]
    for distance in distances:
        shift += distance
        shifts.append(shift)
    blocks: list[list[float]] = []  # weighted sum of wishes, weight, number of vertices
    for wish, weight, moved in zip(wishes, weights, shifts, strict=False):
        blocks.append([(wish - moved) * weight, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    at = 0
    for total, weight, count in blocks:
        for _ in range(int(count)):
            place[layer[at]] = total / weight + shifts[at]
            at += 1
