"""What a picture must not do: a box on a box, a label on a box or a label, an edge through one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from gradcli.render.graph.layered.model import Drawing, Point, Rectangle, Route

NEAR = 0.01  # pixels
STEPS = 16  # points of a curve that are looked at


def overlap(one: Rectangle, two: Rectangle) -> bool:
    return (
        one.x + one.width > two.x + NEAR
        and two.x + two.width > one.x + NEAR
        and one.y + one.height > two.y + NEAR
        and two.y + two.height > one.y + NEAR
    )


def overlapping(places: Sequence[Rectangle]) -> list[tuple[Rectangle, Rectangle]]:
    return [(one, two) for one, two in combinations(places, 2) if overlap(one, two)]


def within(point: Point, place: Rectangle) -> bool:
    return (
        place.x + NEAR < point.x < place.x + place.width - NEAR
        and place.y + NEAR < point.y < place.y + place.height - NEAR
    )


def points(start: Point, segments: Sequence[tuple[Point, ...]]) -> Iterator[Point]:
    """Points on a route, close enough to each other that none jumps over a box."""
    for segment in segments:
        for step in range(1, STEPS + 1):
            t = step / STEPS
            if len(segment) == 1:
                yield Point(*(a + (b - a) * t for a, b in zip(start, segment[0], strict=True)))
            else:
                one, two, three, four = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                yield Point(
                    *(one * a + two * b + three * c + four * d for a, b, c, d in zip(start, *segment, strict=True))
                )
        start = segment[-1]


def faults(drawing: Drawing) -> list[str]:
    """All that is wrong with a drawing."""
    boxes = dict(drawing.boxes)
    labels = [route.label for route in drawing.routes if route.label]
    found = [f"{one} on {two}" for one, two in overlapping([*boxes.values(), *labels])]
    for route in drawing.routes:
        found += list(faults_of(route, boxes, drawing))
    whole = Rectangle(-1, -1, drawing.width + 2, drawing.height + 2)
    for place in [*boxes.values(), *labels]:
        corners = Point(place.x, place.y), Point(place.x + place.width, place.y + place.height)
        found += [f"{place} outside" for corner in corners if not within(corner, whole)]
    return found


def faults_of(route: Route, boxes: dict[str, Rectangle], drawing: Drawing) -> Iterator[str]:
    others = [one.label for one in drawing.routes if one.label and one is not route]
    source, target = boxes[route.edge.source], boxes[route.edge.target]
    if drawing.direction == "LR":
        ends = (source.x + source.width, source.y + source.height / 2), target.x
        assert abs(route.end.x - ends[1]) < NEAR
    else:
        ends = (source.x + source.width / 2, source.y + source.height), target.y
        assert abs(route.end.y - ends[1]) < NEAR
    if max(abs(a - b) for a, b in zip(route.start, ends[0], strict=True)) > NEAR:
        yield f"{route.edge} begins beside its box"
    for point in points(route.start, route.segments):
        for place in [*boxes.values(), *others]:
            if within(point, place):
                yield f"{route.edge} runs through {place}"
                return
