"""The parts of a drawing: boxes, edges with ports, places of labels, and the widths of texts. Lengths are in pixels."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Literal, NamedTuple

from gradcli.facts import dataclass

# Hundredths of the size of the face, by the characters that have them.
WIDTHS = {
    28: "'ijlìíîï", 30: "IJÌÍÎÏΙΪ′", 32: " ,.·", 34: "/:;\\|ίι", 36: "f", 37: "-", 40: "()[]t", 41: "!²³¹⁰⁴₀₁₂₃",
    42: "r", 46: '"', 50: "*_`°´¸º", 53: "sz∂", 56: "cçέεζLΓνξ?¿", 58: "FkΰυχTPYτ", 60: "vxyγλκς",
    62: "aeoàáâãäåèéêëðòóôõöθδοΡπÞΤΥΫÝ»«ß", 64: "$0123456789ESbdghnpquñ{}µ¶ÈÉÊËΕΞΣήβημρσ√", 66: "KΚάαφψ", 68: "∇∑",
    69: "ABVXZÀÁÂÃÄÅΑΒΔΖΛΧ", 70: "CRÇ", 75: "UÙÚÛÜNÑΝ", 78: "DGHÐΗΠΩ", 79: "&OQÒÓÔÕÖØΘΟΦΨ",
    84: "w#+<=>^~±×÷ω←→−∞≈≠≤≥⊗⊙", 87: "MΜ", 100: "%mWæÆ@…¼½¾",
}  # fmt: skip
OF = {character: width for width, characters in WIDTHS.items() for character in characters}
OF |= dict.fromkeys("TYPτß", 63)


def text_width(text: str, size: float) -> float:
    """Return the width in pixels of a text in a face of a size; a character that is not in the table is wide."""
    return sum(OF.get(c) or (0 if unicodedata.combining(c) else 100) for c in text) * size / 100


Direction = Literal["LR", "TB"]


class Point(NamedTuple):
    """A place; x grows to the right, y downwards."""

    x: float
    y: float


class Rectangle(NamedTuple):
    """A place with its left upper corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Box:
    """A box of at least this size; it grows where its edges need the room."""

    id: str
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from one box to another, and the size of its label, if it has one.

    The edges that enter a box do so side by side in the order in which they are given.
    """

    source: str
    target: str
    label: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """An edge as it is drawn: from `start` over `segments`, one point for a line, three for a cubic Bézier curve.

    It arrives in the direction of the drawing. No line of another edge crosses the place of its `label`.
    """

    edge: Edge
    start: Point
    segments: tuple[tuple[Point, ...], ...]
    label: Rectangle | None

    @property
    def end(self) -> Point:
        return self.segments[-1][-1]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A drawing of this size, without a margin: a place for each box, and a route for each edge in the order given.

    `crossings` is the number of crossings of edges, and `ends` are the places along the drawing at which layers end.
    """

    direction: Direction
    width: float
    height: float
    boxes: dict[str, Rectangle]
    routes: tuple[Route, ...]
    layers: int
    crossings: int
    ends: tuple[float, ...] = ()


def path(route: Route) -> str:
    """Return a route as a path."""
    parts = (f"{'L' if len(segment) == 1 else 'C'}{' '.join(map(pair, segment))}" for segment in route.segments)
    return f"M{pair(route.start)}{''.join(parts)}"


def pair(point: Point) -> str:
    return f"{length(point.x)} {length(point.y)}"


def length(value: float) -> str:
    """Write a length with one digit after the point, or none."""
    return f"{value:.1f}".removesuffix(".0")


APART = 18.0  # between ports
ASIDE = 4.0  # between an edge and its label


@dataclass(frozen=True, slots=True)
class Side:
    """The side where edges enter: ports from the middle, and the room that box and labels take on both sides of it."""

    ports: tuple[float, ...]
    across: float  # size of the box
    before: float
    after: float


def side(across: float, labels: Sequence[tuple[float, float] | None], direction: Direction) -> Side:
    """Return the side of a box of this size for edges with labels of these sizes.

    Left to right, a label stands above its edge. Top down, it stands to the right, the first of several to the left.
    """
    sizes = [(label[direction == "LR"] + ASIDE) if label else 0.0 for label in labels]
    if direction == "LR":
        steps = [max(APART, size + ASIDE) for size in sizes[1:]]
    else:
        steps = [APART, *(max(APART, size + 2 * ASIDE) for size in sizes[1:-1])][: max(len(sizes) - 1, 0)]
    length = sum(steps)
    room = max(across, length + APART)
    stretch = min(1.5, room / (length + APART)) if length else 1.0
    ports, at = [], -length * stretch / 2
    for step in [*steps, 0.0]:
        ports.append(at)
        at += step * stretch
    before = after = room / 2
    if sizes and (direction == "LR" or len(sizes) > 1):
        before = max(before, sizes[0] - ports[0])
    if sizes and direction == "TB":
        after = max(after, ports[-1] + sizes[-1])
    return Side(tuple(ports[: len(sizes)]), room, before, after)


def is_before(position: int, count: int, direction: Direction) -> bool:
    """Return whether a label stands on the side of its edge where the ports begin."""
    return direction == "LR" or (position == 0 and count > 1)


# A wide drawing in rows, one below the other, as a text is: edges go on from the end of a row to the next one.


RATIO = 1.55  # of the width of a page or a slide to its height
LOWEST, HIGHEST = 4 / 3 / RATIO, 16 / 9 / RATIO  # shares of it that fill such a place well
MOST = 6  # rows
NARROW = 800.0  # pixels of a drawing that stays as it is
NEARLY = 0.85  # as large as the largest
LANE = 9.0  # between two edges that go on in the next row
GAP = 18.0  # between the boxes and the first of them
NONE = 0.01  # pixels
ROUND = 6.0  # radius of a corner
BUSY = 0.04  # how much nearer a cut must be, as a share of the width, for each edge more that it cuts
Segments = tuple[tuple[Point, ...], ...]


def fitting(*drawings: Drawing | None, ratio: float = RATIO) -> Drawing | None:
    """Return the drawing, whole or in rows, that is largest in a place of this shape, or nearly so and fills it."""
    whole = [drawn for drawn in drawings if drawn is not None]
    choices = [*whole, *(choice for drawn in whole for choice in in_rows(drawn, ratio))]

    def size(drawing: Drawing) -> float:
        return min(ratio / max(drawing.width, 1), 1 / max(drawing.height, 1))

    best = max(map(size, choices), default=0.0)
    if whole and whole[0].direction == "LR" and whole[0].width <= NARROW:
        return whole[0]
    large = [choice for choice in choices if size(choice) >= NEARLY * best]
    filling = [choice for choice in large if LOWEST <= choice.width / max(choice.height, 1) / ratio <= HIGHEST]
    return max(filling or large, key=size, default=None)


def in_rows(drawing: Drawing, ratio: float, narrow: float = NARROW) -> Iterator[Drawing]:
    """Yield a drawing from left to right in two rows and in more."""
    if drawing.direction == "LR" and drawing.width > max(narrow, ratio * drawing.height):
        for rows in range(2, min(MOST, len(drawing.ends) - 1) + 1):
            places = cuts(drawing, rows)
            if len(places) == rows - 1:
                yield folded(drawing, places)


def cuts(drawing: Drawing, rows: int) -> list[float]:
    """Return where to cut a drawing: at ends of layers, near equal parts, and through few edges."""
    places: list[float] = []
    for row in range(1, rows):
        wish = drawing.width * row / rows
        ends = [end for end in drawing.ends[:-1] if end > (places[-1] if places else 0)]
        if ends:
            places.append(min(ends, key=lambda end: abs(end - wish) / drawing.width + BUSY * len(levels(drawing, end))))
    return places


def levels(drawing: Drawing, cut: float) -> list[float]:
    """Return the heights at which edges go through a cut, from the top."""
    return sorted({round(crossing.y, 2) for route in drawing.routes if (crossing := split(route, cut)[1])})


def split(route: Route, cut: float) -> tuple[Segments, Point | None, Segments]:
    """Return the parts of a route on both sides of a cut, and the point there; None where it is on one side."""
    at = route.start
    if route.end.x <= cut or at.x > cut + NONE:
        return (route.segments, None, ()) if route.end.x <= cut else ((), None, route.segments)
    before: list[tuple[Point, ...]] = []
    for number, segment in enumerate(route.segments):
        if at.x > cut - NONE or segment[-1].x > cut + NONE:
            point = Point(cut, at.y)  # an edge is level where a layer ends
            line = [(point,)] if at.x < cut - NONE else []
            return (*before, *line), point, route.segments[number:]
        before.append(segment)
        at = segment[-1]
    return tuple(before), None, ()


def pieces_of(route: Route, places: Sequence[float]) -> Iterator[tuple[int, Point, Segments, Point | None]]:
    """Yield for each row that a route goes through its start there, its segments, and its end; None in the last."""
    rest = route
    for row, place in enumerate(places):
        before, point, after = split(rest, place)
        if before or point is not None:
            yield row, rest.start, before, point
        if not after:
            return
        rest = replace(rest, start=point or rest.start, segments=after)
    yield len(places), rest.start, rest.segments, None


def folded(drawing: Drawing, places: Sequence[float]) -> Drawing:
    """Return a drawing in rows that end at these places."""
    edges = [-1.0, *places, drawing.width]
    lanes = [levels(drawing, place) for place in places]
    counts = [*map(len, lanes), 0]
    indent = max(counts) * LANE + GAP
    pieces = [piece for route in drawing.routes for piece in pieces_of(route, places)]
    top, moves, bottoms = 0.0, [], []
    for row, (first, last) in enumerate(pairwise(edges)):
        boxes = [box for box in drawing.boxes.values() if first < box.x + box.width / 2 <= last]
        labels = [route.label for route in drawing.routes if route.label and first < route.label.x <= last]
        points = [point for at, start, parts, _ in pieces if at == row for point in (start, *chain(*parts))]
        high = min([box.y for box in (*boxes, *labels)] + [point.y for point in points])
        low = max([box.y + box.height for box in (*boxes, *labels)] + [point.y for point in points])
        moves.append(Point(indent - max(first, 0.0), top - high))
        bottoms.append(top + low - high)
        top = bottoms[-1] + 2 * GAP + LANE * counts[row]
    width = max(last - max(first, 0.0) for first, last in pairwise(edges)) + 2 * indent
    placed = {id: moved_box(box, moves[row_at(box.x + box.width / 2, places)]) for id, box in drawing.boxes.items()}
    routes = tuple(joined(route, places, lanes, moves, bottoms) for route in drawing.routes)
    return replace(drawing, width=width, height=bottoms[-1], boxes=placed, routes=routes, ends=())


def row_at(x: float, places: Sequence[float]) -> int:
    return sum(x > place for place in places)


def moved(point: Point, by: Point) -> Point:
    return Point(point.x + by.x, point.y + by.y)


def moved_box(box: Rectangle, by: Point) -> Rectangle:
    return Rectangle(box.x + by.x, box.y + by.y, box.width, box.height)


def joined(
    route: Route,
    places: Sequence[float],
    lanes: Sequence[Sequence[float]],
    moves: Sequence[Point],
    bottoms: Sequence[float],
) -> Route:
    """Return the route of an edge through the rows."""
    segments: list[tuple[Point, ...]] = []
    for row, _, parts, end in pieces_of(route, places):
        segments += [tuple(moved(point, moves[row]) for point in segment) for segment in parts]
        if end is not None:
            leaves, enters = moved(end, moves[row]), moved(end, moves[row + 1])
            segments += around(leaves, enters, lanes[row].index(round(end.y, 2)), len(lanes[row]), bottoms[row])
    label = route.label and moved_box(route.label, moves[row_at(route.label.x, places)])
    return Route(route.edge, moved(route.start, moves[row_at(route.start.x - NONE, places)]), tuple(segments), label)


def around(start: Point, end: Point, lane: int, count: int, bottom: float) -> list[tuple[Point, ...]]:
    """Return the way from the end of a row to the beginning of the next; the uppermost edge goes around the others."""
    right = start.x + GAP / 2 + LANE * (count - lane)
    level = bottom + GAP + LANE * (count - 1 - lane)
    left = end.x - GAP / 2 - LANE * (lane + 1)
    corners = [start, Point(right, start.y), Point(right, level), Point(left, level), Point(left, end.y), end]
    segments: list[tuple[Point, ...]] = []
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        enter, leave = towards(corner, before), towards(corner, after)
        segments += [(enter,), (corner, corner, leave)]
    return [*segments, (end,)]


def towards(corner: Point, other: Point) -> Point:
    """Return the point near a corner at which its curve ends."""
    far = max(abs(other.x - corner.x), abs(other.y - corner.y)) or 1.0
    share = min(ROUND, far / 2) / far
    return Point(corner.x + (other.x - corner.x) * share, corner.y + (other.y - corner.y) * share)
