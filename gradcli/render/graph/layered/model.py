"""The parts of a drawing: boxes, edges with ports, places of labels, and the widths of texts. Lengths are in pixels."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
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
