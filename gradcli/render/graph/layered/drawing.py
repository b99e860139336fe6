"""The drawing of a graph: layers, order, places, and the routes of edges with their labels."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from gradcli.render.graph.layered.model import (
    ASIDE,
    Box,
    Direction,
    Drawing,
    Edge,
    Point,
    Rectangle,
    Route,
    Side,
    is_before,
    side,
)
from gradcli.render.graph.layered.order import Graph, fractions, ordered, stationed
from gradcli.render.graph.layered.places import spread

MOST = 20_000  # stations of long edges
DEEP = 8  # layers of a drawing from left to right, unless a direction is given
THIN = 3.0  # half of the room of an edge on its way past boxes
GAPS = {"LR": 16.0, "TB": 22.0}  # between neighbours in a layer
BENDS = (26.0, 0.22, 90.0)  # room in which edges bend: at least, by how far the widest goes across, at most
ARROW = 12.0  # the straight end of an edge without a label


class Bands(NamedTuple):
    """The extents of the layers along the drawing, and where the bends before each end."""

    starts: list[float]
    ends: list[float]
    bends: list[float]


def drawing(boxes: Sequence[Box], edges: Sequence[Edge], direction: Direction | None = None) -> Drawing | None:
    """Draw boxes and edges, which must not run in a circle, in a direction or in one that suits their depth.

    None where there are too many long edges to draw.
    """
    numbers = {box.id: number for number, box in enumerate(boxes)}
    graph = stationed(len(boxes), [(numbers[edge.source], numbers[edge.target]) for edge in edges], MOST)
    if graph is None:
        return None
    if direction is None:
        direction = "LR" if graph.count <= DEEP else "TB"
    entering: list[list[Edge]] = [[] for _ in boxes]
    for edge in edges:
        entering[numbers[edge.target]].append(edge)
    sides = [
        side(box.height if direction == "LR" else box.width, [edge.label for edge in into], direction)
        for box, into in zip(boxes, entering, strict=True)
    ]
    last = [link for link in graph.links if link.target < graph.boxes]
    seen = [0] * len(boxes)
    for link in last:
        link.port = sides[link.target].ports[seen[link.target]]
        seen[link.target] += 1
    shares = fractions(graph.links, [len(into) for into in entering], graph.boxes)
    layers, crossings = ordered(graph, shares)
    stations = len(graph.layer) - graph.boxes
    before = [one.before for one in sides] + [THIN] * stations
    after = [one.after for one in sides] + [THIN] * stations
    across = spread(layers, graph, before, after, GAPS[direction])
    across = shifted(across, before)
    bands = along(graph, boxes, edges, across, direction)
    whole = max((place + room for place, room in zip(across, after, strict=True)), default=0.0)
    length = bands.ends[-1] if bands.ends else 0.0
    return Drawing(
        direction,
        *((length, whole) if direction == "LR" else (whole, length)),
        boxes={box.id: placed(box, n, graph, sides[n], across, bands, direction) for n, box in enumerate(boxes)},
        routes=routes(graph, boxes, edges, sides, across, bands, direction),
        layers=graph.count,
        crossings=crossings,
        ends=tuple(bands.ends),
    )


def shifted(across: Sequence[float], before: Sequence[float]) -> list[float]:
    """Return the places so that the first begins at 0."""
    least = min((place - room for place, room in zip(across, before, strict=True)), default=0.0)
    return [place - least for place in across]


def along(
    graph: Graph, boxes: Sequence[Box], edges: Sequence[Edge], across: Sequence[float], direction: Direction
) -> Bands:
    """Return where the layers stand one after the other."""
    sizes, labels, wide = [0.0] * graph.count, [ARROW] * graph.count, [0.0] * graph.count
    for number, box in enumerate(boxes):
        at = graph.layer[number]
        sizes[at] = max(sizes[at], box.width if direction == "LR" else box.height)
    for edge, chain in zip(edges, graph.chains, strict=True):
        if edge.label:
            at = graph.layer[chain[-1]]
            labels[at] = max(labels[at], edge.label[direction == "TB"] + ARROW + ASIDE)
    for link in graph.links:
        at = graph.layer[link.target]
        wide[at] = max(wide[at], abs(across[link.target] + link.port - across[link.source]))
    bands, place = Bands([], [], []), 0.0
    for at, size in enumerate(sizes):
        if at:
            least, share, most = BENDS
            place += min(most, max(least, share * wide[at]))
            bands.bends.append(place)
            place += labels[at]
        else:
            bands.bends.append(place)
        bands.starts.append(place)
        place += size
        bands.ends.append(place)
    return bands


def placed(
    box: Box, number: int, graph: Graph, side: Side, across: Sequence[float], bands: Bands, direction: Direction
) -> Rectangle:
    """Return the place of a box, in the middle of its layer."""
    at = graph.layer[number]
    size = box.width if direction == "LR" else box.height
    start = (bands.starts[at] + bands.ends[at] - size) / 2
    first = across[number] - side.across / 2
    if direction == "LR":
        return Rectangle(start, first, size, side.across)
    return Rectangle(first, start, side.across, size)


def routes(
    graph: Graph,
    boxes: Sequence[Box],
    edges: Sequence[Edge],
    sides: Sequence[Side],
    across: Sequence[float],
    bands: Bands,
    direction: Direction,
) -> tuple[Route, ...]:
    """Return the routes of the edges: bends in gaps, and straight lines from one to the next past or into boxes."""

    def point(along: float, across: float) -> Point:
        return Point(along, across) if direction == "LR" else Point(across, along)

    def size(number: int) -> float:
        return boxes[number].width if direction == "LR" else boxes[number].height

    seen = [0] * len(boxes)
    found = []
    for edge, chain in zip(edges, graph.chains, strict=True):
        target = chain[-1]
        position, ports = seen[target], sides[target].ports
        seen[target] += 1
        at = graph.layer[chain[0]]
        middle = (bands.starts[at] + bands.ends[at]) / 2
        start = point(middle + size(chain[0]) / 2, across[chain[0]])
        segments: list[tuple[Point, ...]] = []
        for one, two in pairwise(chain):
            at = graph.layer[two]
            left, right = bands.ends[at - 1], bands.bends[at]
            level, end = across[one], across[two] + (ports[position] if two == target else 0.0)
            if level == end:
                continue
            if segments or left > (start.x if direction == "LR" else start.y):
                segments.append((point(left, level),))
            half = (left + right) / 2
            segments.append((point(half, level), point(half, end), point(right, end)))
        at = graph.layer[target]
        stop = (bands.starts[at] + bands.ends[at] - size(target)) / 2
        level = across[target] + ports[position]
        segments.append((point(stop, level),))
        label = None
        if edge.label:
            width, height = edge.label
            room = edge.label[direction == "TB"]
            first = bands.starts[at] - ARROW - room
            thick = edge.label[direction == "LR"]
            beside = level - ASIDE / 2 - thick if is_before(position, len(ports), direction) else level + ASIDE
            label = Rectangle(*point(first, beside), width, height)
        found.append(Route(edge, start, tuple(segments), label))
    return tuple(found)
