"""The part of a graph that a slide shows: a window around what is active, which fades out where the graph goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.render.graph.layered.model import Drawing, Point, Rectangle

EDGE = 4.0  # pixels around the picture
FADE = 26.0  # pixels in which a window fades out


def window(drawing: Drawing, wanted: Sequence[Sequence[str]], wide: float, high: float) -> Rectangle:
    """Return a window of at most this size around the first boxes, and around the last that are wanted if they fit."""
    seen = bounds(drawing, wanted[-1])
    if seen.width > wide or seen.height > high:
        seen = bounds(drawing, wanted[0])
    everything = whole(drawing)
    wide, high = min(wide, everything.width), min(high, everything.height)
    left = seen.x + seen.width / 2 - wide / 2
    top = seen.y + seen.height / 2 - high / 2
    left = min(max(left, everything.x), everything.x + everything.width - wide)
    top = min(max(top, everything.y), everything.y + everything.height - high)
    return Rectangle(left, top, wide, high)


def whole(drawing: Drawing) -> Rectangle:
    return Rectangle(-EDGE, -EDGE, drawing.width + 2 * EDGE, drawing.height + 2 * EDGE)


def bounds(drawing: Drawing, names: Sequence[str]) -> Rectangle:
    """Return the rectangle around some boxes."""
    boxes = [drawing.boxes[name] for name in names if name in drawing.boxes]
    left, top = (min((box[place] for box in boxes), default=0.0) for place in (0, 1))
    right = max((box.x + box.width for box in boxes), default=0.0)
    return Rectangle(left, top, right - left, max((box.y + box.height for box in boxes), default=0.0) - top)


def veils(seen: Rectangle, drawing: Drawing) -> Iterator[str]:
    """Yield for each side of a window at which the graph goes on a veil, which hides most at the border."""
    x, y, wide, high = seen
    everything = whole(drawing)
    right, bottom = x + wide, y + high
    sides = [
        ("east", x > everything.x, Rectangle(x, y, FADE, high)),
        ("west", right < everything.x + everything.width, Rectangle(right - FADE, y, FADE, high)),
        ("south", y > everything.y, Rectangle(x, y, wide, FADE)),
        ("north", bottom < everything.y + everything.height, Rectangle(x, bottom - FADE, wide, FADE)),
    ]
    for side, goes_on, veil in sides:
        if goes_on:
            yield rf"\fill[white, path fading={side}] {corners(veil)};"


def holds(outer: Rectangle, inner: Rectangle) -> bool:
    """Return whether all of a rectangle is in another."""
    x, y = inner.x - outer.x, inner.y - outer.y
    return 0 <= x <= outer.width - inner.width and 0 <= y <= outer.height - inner.height


def corners(place: Rectangle) -> str:
    """Write a rectangle as TikZ has it."""
    return f"{point(Point(place.x, place.y))} rectangle {point(Point(place.x + place.width, place.y + place.height))}"


def point(place: Point) -> str:
    return f"({place.x:.1f},{place.y:.1f})"
