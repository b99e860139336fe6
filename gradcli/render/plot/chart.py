"""Charts, for every renderer: strokes, marks, arrows, the limits of both axes, and remarks in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from gradcli.facts import dataclass

Array = Any
Role = Literal["function", "derivative", "tangent", "contour", "path", "loss"]
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stroke:
    """Lines of one kind, each an array of x and y; without a label it is not in the legend."""

    role: Role
    lines: tuple[Array, ...]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that stands out."""

    x: float
    y: float
    role: Role


@dataclass(frozen=True, slots=True)
class Arrow:
    """A direction at a point; its `length` is a part of the longest arrow's."""

    x: float
    y: float
    dx: float
    dy: float
    length: float


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes and what is drawn between them."""

    title: str
    x: str
    y: str
    limits: tuple[Pair, Pair]
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    notes: tuple[str, ...] = ()
    is_map: bool = False  # both axes are variables
    is_low: bool = False  # one of many things on a page

    def places(self, line: Array) -> Array:
        """Return points as parts of the width and the height, 0 at the lower left corner."""
        return np.column_stack([part(line[:, axis], self.limits[axis]) for axis in (0, 1)])


def part(values: Array, limits: Pair) -> Array:
    low, high = limits
    with np.errstate(all="ignore"):
        return (values / 2 - low / 2) / (high / 2 - low / 2)  # halves, since a range may be wider than any number


def limits(lines: Sequence[Array]) -> Pair:
    """Return the range of an axis that shows all values, or the bulk where a few tower over it."""
    values = np.concatenate([line[:, 1] for line in lines]) if lines else np.array([0.0, 1.0])
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    first, last = (float(q) for q in np.quantile(values, [0.06, 0.94]))
    if (high / 2 - low / 2) > 4 * (last - first) > 0:
        low, high = max(low, first - (last - first)), min(high, last + (last - first))
    return widened(low, high)


def widened(low: float, high: float) -> Pair:
    """Return a range with some room at both ends; one value has room around it."""
    room = 0.05 * (high / 2 - low / 2) * 2 or 0.5 * abs(high) or 1.0
    largest = float(np.finfo(np.float64).max)
    return max(low - room, -largest), min(high + room, largest)


def within(line: Array) -> Iterator[Array]:
    """Yield the parts of a line that lie inside the unit square, cut at its border."""
    inside: list[Pair] = []
    for first, last in pairwise(line):
        cut = _cut(first, last)
        if cut is None:
            if len(inside) > 1:
                yield np.array(inside)
            inside = []
            continue
        start, end = cut
        if inside and inside[-1] != start:
            yield np.array(inside)
            inside = []
        inside = inside or [start]
        inside.append(end)
    if len(inside) > 1:
        yield np.array(inside)


def _cut(first: Array, last: Array) -> tuple[Pair, Pair] | None:
    """Return the part of a straight piece inside the unit square (Liang and Barsky 1984)."""
    if not (np.isfinite(first).all() and np.isfinite(last).all()):
        return None
    begin, end = 0.0, 1.0
    change = last - first
    for axis in (0, 1):
        if change[axis] == 0:
            if not 0 <= first[axis] <= 1:
                return None
            continue
        enter, leave = sorted((-first[axis] / change[axis], (1 - first[axis]) / change[axis]))
        begin, end = max(begin, enter), min(end, leave)
    if begin > end:
        return None
    start, stop = first + begin * change, first + end * change
    return (float(start[0]), float(start[1])), (float(stop[0]), float(stop[1]))
