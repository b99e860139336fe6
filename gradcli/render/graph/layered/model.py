"""The parts of a drawing: boxes, edges with ports, places of labels. Lengths are in pixels."""

from __future__ import annotations

from typing import Literal, NamedTuple

from gradcli.facts import dataclass

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
