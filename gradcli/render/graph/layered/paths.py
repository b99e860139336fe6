"""Routes as paths of SVG."""

from __future__ import annotations

from gradcli.render.graph.layered.model import Point, Route


def path(route: Route) -> str:
    """Return a route as a path; one that runs straight past many layers has few points."""
    parts, last = [f"M{pair(route.start)}"], route.start
    for number, segment in enumerate(route.segments):
        end = segment[-1]
        straight = len(segment) == 1 or end.x == last.x or end.y == last.y
        after = route.segments[number + 1 : number + 2]
        goes_on = after and (after[0][-1].x == end.x == last.x or after[0][-1].y == end.y == last.y)
        if not (straight and goes_on):
            parts.append(f"L{pair(end)}" if straight else f"C{' '.join(map(pair, segment))}")
        last = end
    return "".join(parts)


def pair(point: Point) -> str:
    return f"{length(point.x)} {length(point.y)}"


def length(value: float) -> str:
    """Write a length with one digit after the point, or none."""
    return f"{value:.1f}".removesuffix(".0")
