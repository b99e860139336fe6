"""Routes as paths of SVG."""

from __future__ import annotations

from gradcli.render.graph.layered.model import Point, Route


def path(route: Route) -> str:
    """Return a route as a path."""
    parts = (f"{'L' if len(segment) == 1 else 'C'}{' '.join(map(pair, segment))}" for segment in route.segments)
    return f"M{pair(route.start)}{''.join(parts)}"


def pair(point: Point) -> str:
    return f"{length(point.x)} {length(point.y)}"


def length(value: float) -> str:
    """Write a length with one digit after the point, or none."""
    return f"{value:.1f}".removesuffix(".0")
