"""A wide drawing in rows, one below the other, as a text is: edges go on from the end of a row to the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from gradcli.render.graph.layered.model import Drawing, Point, Rectangle, Route

RATIO = 1.55  # of the width of a page or a slide to its height
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
    """Return a drawing, whole or in rows, that is about as large as any in a place of this shape: the first."""
    whole = [drawn for drawn in drawings if drawn is not None]
    found = [*whole, *(one for drawn in whole for one in in_rows(drawn, ratio))]

    def size(drawing: Drawing) -> float:
        return min(ratio / max(drawing.width, 1), 1 / max(drawing.height, 1))

    best = max(map(size, found), default=0.0)
    if whole and whole[0].direction == "LR" and whole[0].width <= NARROW:
        return whole[0]
    return next((one for one in found if size(one) >= NEARLY * best), None)


def in_rows(drawing: Drawing, ratio: float) -> Iterator[Drawing]:
    """Yield a drawing from left to right in two rows and in more."""
    if drawing.direction == "LR" and drawing.width > max(NARROW, ratio * drawing.height):
        for rows in range(2, min(MOST, len(drawing.ends) - 1) + 1):
            places = cuts(drawing, rows)
            if len(places) == rows - 1:
                yield folded(drawing, places)


def cuts(drawing: Drawing, rows: int) -> list[float]:
    """Return where to cut a drawing: at ends of layers, near equal parts, and through few edges."""
    found: list[float] = []
    for row in range(1, rows):
        wish = drawing.width * row / rows
        ends = [end for end in drawing.ends[:-1] if end > (found[-1] if found else 0)]
        if ends:
            found.append(min(ends, key=lambda end: abs(end - wish) / drawing.width + BUSY * len(levels(drawing, end))))
    return found


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


def folded(drawing: Drawing, places: Sequence[float]) -> Drawing:
    """Return a drawing in rows that end at these places."""
    edges = [-1.0, *places, drawing.width]
    lanes = [levels(drawing, place) for place in places]
    indent = max(map(len, lanes)) * LANE + GAP
    pieces: list[list[tuple[Route, Point, Segments]]] = [[] for _ in range(len(places) + 1)]
    for route in drawing.routes:
        rest, start = route, route.start
        for row, place in enumerate(places):
            before, point, after = split(rest, place)
            if before or point is not None:
                pieces[row].append((route, start, before))
            if not after:
                break
            start = point or start
            rest = replace(rest, start=start, segments=after)
        else:
            pieces[-1].append((route, start, rest.segments))
    top, moves, bottoms = 0.0, [], []
    for row, (first, last) in enumerate(pairwise(edges)):
        boxes = [box for box in drawing.boxes.values() if first < box.x + box.width / 2 <= last]
        labels = [one.label for one in drawing.routes if one.label and first < one.label.x <= last]
        points = [p for _, start, segments in pieces[row] for p in (start, *(q for one in segments for q in one))]
        high = min([box.y for box in (*boxes, *labels)] + [point.y for point in points])
        low = max([box.y + box.height for box in (*boxes, *labels)] + [point.y for point in points])
        moves.append(Point(indent - max(first, 0.0), top - high))
        bottoms.append(top + low - high)
        top = bottoms[-1] + 2 * GAP + LANE * (len(lanes[row]) if row < len(lanes) else 0)
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
    first = row_at(route.start.x - NONE, places)
    segments: list[tuple[Point, ...]] = []
    rest = route
    for row in range(first, len(places)):
        before, point, after = split(rest, places[row])
        if point is None:
            break
        segments += [tuple(moved(one, moves[row]) for one in segment) for segment in before]
        start, end = moved(point, moves[row]), moved(point, moves[row + 1])
        segments += around(start, end, lanes[row].index(round(point.y, 2)), len(lanes[row]), bottoms[row])
        rest = replace(rest, start=point, segments=after)
        first = row + 1
    segments += [tuple(moved(one, moves[first]) for one in segment) for segment in rest.segments]
    label = route.label and moved_box(route.label, moves[row_at(route.label.x, places)])
    return Route(route.edge, moved(route.start, moves[row_at(route.start.x - NONE, places)]), tuple(segments), label)


def around(start: Point, end: Point, lane: int, count: int, bottom: float) -> list[tuple[Point, ...]]:
    """Return the way from the end of a row to the beginning of the next; the uppermost edge goes around the others."""
    right = start.x + GAP / 2 + LANE * (count - lane)
    level = bottom + GAP + LANE * (count - 1 - lane)
    left = end.x - GAP / 2 - LANE * (lane + 1)
    corners = [start, Point(right, start.y), Point(right, level), Point(left, level), Point(left, end.y), end]
    found: list[tuple[Point, ...]] = []
    for before, corner, after in zip(corners, corners[1:], corners[2:], strict=False):
        enter, leave = towards(corner, before), towards(corner, after)
        found += [(enter,), (corner, corner, leave)]
    return [*found, (end,)]


def towards(corner: Point, other: Point) -> Point:
    """Return the point near a corner at which its curve ends."""
    far = max(abs(other.x - corner.x), abs(other.y - corner.y)) or 1.0
    share = min(ROUND, far / 2) / far
    return Point(corner.x + (other.x - corner.x) * share, corner.y + (other.y - corner.y) * share)
