"""The drawing of a graph: layers, order, places, and the routes of edges with their labels."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from math import inf
from typing import NamedTuple

from gradcli.facts import dataclass
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
from gradcli.render.graph.layered.order import Graph, Link, fractions, ordered, stationed

# Where the boxes of each layer stand: long edges straight, small jogs gone, the rest near what they are tied to.


SMALL, NONE = 12.0, 0.05  # pixels: of a jog, and of none
LINKS = 400  # links of a picture in which they are looked for
TURNS = 2  # the second has the room that the first made
ROUNDS = 12
STRAIGHT = 6.0  # weight of a link between stations, which should be a straight line
BRANCH = 0.2  # weight of one that parts from such a line
MAIN, SIDE = 3.0, 0.05  # weights of one from a box that others lead to, and from a source, which stands beside that
LOOSE = 1e-4  # of a source when the others are in front of their ports: it must not push them aside


def weight(offset: float) -> int:
    return (abs(offset) > NONE) + (NONE < abs(offset) < SMALL)


def trunks(graph: Graph) -> list[tuple[list[int], float]]:
    """Return the longest edge from each box, and the port at which it enters another; long ones first."""
    ports = {(link.source, link.target): link.port for link in graph.links}
    longest: dict[int, list[int]] = {}
    for chain in graph.chains:
        if len(chain) > max(2, len(longest.get(chain[0], ()))):
            longest[chain[0]] = chain
    chains = sorted(longest.values(), key=len, reverse=True)
    return [(chain, ports[chain[-2], chain[-1]]) for chain in chains]


def neighbours(graph: Graph, inner: Container[int]) -> list[list[tuple[int, float, float]]]:
    """Return for each vertex those that it is tied to, each with the shift and the weight."""
    near: list[list[tuple[int, float, float]]] = [[] for _ in graph.layer]
    goes_on = {link.source for link in graph.links if min(link.source, link.target) >= graph.boxes}
    for link in graph.links:
        stations = (link.source >= graph.boxes) + (link.target >= graph.boxes)
        weight = (MAIN if link.source in inner else SIDE, 2.0, STRAIGHT)[stations]
        if link.source in goes_on and link.target < graph.boxes:
            weight = BRANCH
        near[link.target].append((link.source, -link.port, weight))
        near[link.source].append((link.target, link.port, weight))
    return near


class Places:
    """The middle of each vertex: it takes the room from `before` to `after` it, with a gap between two."""

    def __init__(
        self, layers: Sequence[Sequence[int]], graph: Graph, before: Sequence[float], after: Sequence[float], gap: float
    ) -> None:
        self.layers, self.graph = layers, graph
        self.inner = {link.target for link in graph.links}
        self.position = {vertex: at for layer in layers for at, vertex in enumerate(layer)}
        self.apart = [
            [after[a] + before[b] + gap / (1 + (min(a, b) >= graph.boxes)) for a, b in pairwise(x)] for x in layers
        ]
        self.place = [0.0] * len(graph.layer)
        self.spread()

    def spread(self) -> None:
        """Move all vertices, first each to those that it is tied to."""
        near = neighbours(self.graph, self.inner)
        for at, layer in enumerate(self.layers):
            self.settle(at, [0.0] * len(layer), [1.0] * len(layer))
        for turn in range(ROUNDS):
            side = (-1, 1, 0)[turn % 3] if turn < ROUNDS - 1 else 0
            steps = range(len(self.layers))
            for at in steps if turn % 2 == 0 else reversed(steps):
                wishes, weights = [], []
                for vertex in self.layers[at]:
                    ties = near[vertex]
                    pulls = [tie for tie in ties if not side or self.graph.layer[tie[0]] - at == side] or ties
                    total = sum(weight for _, _, weight in pulls)
                    mean = sum((self.place[other] + shift) * weight for other, shift, weight in pulls)
                    wishes.append(mean / total if pulls else self.place[vertex])
                    weights.append(total or 0.1)
                self.settle(at, wishes, weights)
        self.straighten()
        self.straighten_trunks()
        self.smooth()

    def straighten(self) -> None:
        """Move what has one user in front of its port, where there is room: most edges of a tree are straight lines."""
        ends: list[list[Link]] = [[] for _ in self.graph.layer]
        for link in self.graph.links:
            ends[link.source].append(link)
        for at in range(len(self.layers) - 1, -1, -1):
            outgoing = [ends[vertex] for vertex in self.layers[at]]
            wishes = [
                self.place[links[0].target] + links[0].port if len(links) == 1 else self.place[vertex]
                for vertex, links in zip(self.layers[at], outgoing, strict=True)
            ]
            weights = [
                (STRAIGHT if vertex in self.inner else LOOSE) if len(links) == 1 else 1.0
                for links, vertex in zip(outgoing, self.layers[at], strict=True)
            ]
            self.settle(at, wishes, weights)

    def settle(self, at: int, wishes: Sequence[float], weights: Sequence[float]) -> None:
        """Put a layer as near to its wishes as its order and distances allow (least squares, by pooling neighbours)."""
        shift, shifts = 0.0, [0.0]
        for distance in self.apart[at]:
            shift += distance
            shifts.append(shift)
        blocks: list[list[float]] = []  # weighted sum of wishes, weight, number of vertices
        for wish, weight, moved in zip(wishes, weights, shifts, strict=False):
            blocks.append([(wish - moved) * weight, weight, 1])
            while len(blocks) > 1 and blocks[-2][0] * blocks[-1][1] > blocks[-1][0] * blocks[-2][1]:
                last = blocks.pop()
                blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
        numbered = enumerate(self.layers[at])
        for total, weight, count in blocks:
            for number, vertex in islice(numbered, int(count)):
                self.place[vertex] = total / weight + shifts[number]

    def straighten_trunks(self) -> None:
        """Move stations, in their order and at their distances, so that long edges bend as seldom as they can."""

        def room(station: int) -> tuple[float, float]:
            layer, at = self.graph.layer[station], self.position[station]
            members, distances = self.layers[layer], self.apart[layer]
            least = self.place[members[at - 1]] + distances[at - 1] if at else -inf
            return least, self.place[members[at + 1]] - distances[at] if at + 1 < len(members) else inf

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

        long_edges = trunks(self.graph)
        for _ in range(TURNS):
            for (source, *trunk, target), port in long_edges:
                for run, least, most in runs(trunk):
                    ends = [self.place[source]] * (run[0] == trunk[0])
                    ends += [self.place[target] + port] * (run[-1] == trunk[-1])
                    mean = sum(self.place[station] for station in run) / len(run)
                    level = next((end for end in ends if least <= end <= most), min(max(mean, least), most))
                    for station in run:
                        self.place[station] = level

    def smooth(self) -> None:
        """Move an end of an edge with a jog, and all that it pushes, where fewer edges bend than before."""
        if len(self.graph.links) > LINKS:
            return
        links: list[list[Link]] = [[] for _ in self.graph.layer]
        for link in self.graph.links:
            links[link.source].append(link)
            links[link.target].append(link)

        def pushed(vertex: int, by: float) -> Iterator[tuple[int, float]]:
            """Yield the places of a vertex that moves, and of its neighbours as far as they must give way."""
            layer, distances = self.layers[self.graph.layer[vertex]], self.apart[self.graph.layer[vertex]]
            at, way = self.position[vertex], 1 if by > 0 else -1
            level = self.place[vertex] + by
            yield vertex, level
            while 0 <= at + way < len(layer):
                level += way * distances[min(at, at + way)]
                at += way
                if (self.place[layer[at]] - level) * way >= 0:
                    return
                yield layer[at], level

        def bends(moved: Mapping[int, float]) -> int:
            """Count the bends of all edges that what moves has, a jog for two."""
            touched = {id(link): link for vertex in moved for link in links[vertex]}
            return sum(map(weight, (offset(link, moved) for link in touched.values())))

        def offset(link: Link, moved: Mapping[int, float]) -> float:
            source, target = (moved.get(vertex, self.place[vertex]) for vertex in (link.source, link.target))
            return target + link.port - source

        for link in self.graph.links:
            for vertex, way in ((link.source, 1), (link.target, -1)):
                jog = offset(link, {})
                if not NONE < abs(jog) < SMALL:
                    break
                moved = dict(pushed(vertex, way * jog))
                if bends(moved) < bends({member: self.place[member] for member in moved}):
                    for member, level in moved.items():
                        self.place[member] = level


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
    before = [margin.before for margin in sides] + [THIN] * stations
    after = [margin.after for margin in sides] + [THIN] * stations
    across: Sequence[float] = Places(layers, graph, before, after, GAPS[direction]).place
    across = shifted(across, before)
    draft = Draft(boxes, edges, graph, sides, across, direction)
    whole = max((place + room for place, room in zip(across, after, strict=True)), default=0.0)
    length = max(draft.bands.ends, default=0.0)
    return Drawing(
        direction,
        *((length, whole) if direction == "LR" else (whole, length)),
        boxes={box.id: draft.placed(n) for n, box in enumerate(boxes)},
        routes=tuple(draft.routes()),
        layers=graph.count,
        crossings=crossings,
        ends=tuple(draft.bands.ends),
    )


def shifted(across: Sequence[float], before: Sequence[float]) -> list[float]:
    """Return the places so that the first begins at 0."""
    least = min((place - room for place, room in zip(across, before, strict=True)), default=0.0)
    return [place - least for place in across]


@dataclass(frozen=True)
class Draft:
    """A drawing whose boxes have their layers, and their places across these."""

    boxes: Sequence[Box]
    edges: Sequence[Edge]
    graph: Graph
    sides: Sequence[Side]
    across: Sequence[float]
    direction: Direction

    def point(self, along: float, across: float) -> Point:
        return Point(along, across) if self.direction == "LR" else Point(across, along)

    def size(self, number: int) -> float:
        """Return how far a box goes along the drawing."""
        return self.boxes[number].width if self.direction == "LR" else self.boxes[number].height

    @cached_property
    def bands(self) -> Bands:
        """The layers one after the other."""
        sizes, labels, wide = [0.0] * self.graph.count, [ARROW] * self.graph.count, [0.0] * self.graph.count
        for number in range(len(self.boxes)):
            at = self.graph.layer[number]
            sizes[at] = max(sizes[at], self.size(number))
        for edge, chain in zip(self.edges, self.graph.chains, strict=True):
            if edge.label:
                at = self.graph.layer[chain[-1]]
                labels[at] = max(labels[at], edge.label[self.direction == "TB"] + ARROW + ASIDE)
        for link in self.graph.links:
            at = self.graph.layer[link.target]
            wide[at] = max(wide[at], abs(self.across[link.target] + link.port - self.across[link.source]))
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

    def placed(self, number: int) -> Rectangle:
        """Return the place of a box, in the middle of its layer."""
        at = self.graph.layer[number]
        size, side = self.size(number), self.sides[number]
        start = (self.bands.starts[at] + self.bands.ends[at] - size) / 2
        first = self.across[number] - side.across / 2
        if self.direction == "LR":
            return Rectangle(start, first, size, side.across)
        return Rectangle(first, start, side.across, size)

    def routes(self) -> Iterator[Route]:
        """Yield the routes of the edges: bends in gaps, and straight lines from one to the next past or into boxes."""
        seen = [0] * len(self.boxes)
        for edge, chain in zip(self.edges, self.graph.chains, strict=True):
            target = chain[-1]
            position, ports = seen[target], self.sides[target].ports
            seen[target] += 1
            at = self.graph.layer[chain[0]]
            middle = (self.bands.starts[at] + self.bands.ends[at]) / 2
            start = self.point(middle + self.size(chain[0]) / 2, self.across[chain[0]])
            segments: list[tuple[Point, ...]] = []
            for behind, ahead in pairwise(chain):
                at = self.graph.layer[ahead]
                left, right = self.bands.ends[at - 1], self.bands.bends[at]
                level, end = self.across[behind], self.across[ahead] + (ports[position] if ahead == target else 0.0)
                if level == end:
                    continue
                if segments or left > (start.x if self.direction == "LR" else start.y):
                    segments.append((self.point(left, level),))
                half = (left + right) / 2
                segments.append((self.point(half, level), self.point(half, end), self.point(right, end)))
            at = self.graph.layer[target]
            stop = (self.bands.starts[at] + self.bands.ends[at] - self.size(target)) / 2
            level = self.across[target] + ports[position]
            segments.append((self.point(stop, level),))
            label = None
            if edge.label:
                width, height = edge.label
                room = edge.label[self.direction == "TB"]
                first = self.bands.starts[at] - ARROW - room
                thick = edge.label[self.direction == "LR"]
                beside = level - ASIDE / 2 - thick if is_before(position, len(ports), self.direction) else level + ASIDE
                label = Rectangle(*self.point(first, beside), width, height)
            yield Route(edge, start, tuple(segments), label)
