"""Breaks of a curve: poles, jumps, and stretches where it has no value.

Neighbours whose values differ much are looked at between: the interval is halved towards the larger change until
nothing lies between its ends. A steep stretch becomes flat that way; a jump stays, and at a pole the values grow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from gradcli.facts import dataclass

Array = Any
Sampled = Callable[[Array], Array]

SUSPICIOUS = 0.02  # of the range of values; a smaller change is drawn as it is
FLAT, SHARE = 1e-4, 1e-3  # of the range of values, and of the change at first
HALVINGS = 64
MOST = 64  # intervals that are looked at
LARGE = 1e5  # times the range of values: as near to a pole as numbers come
GROWTH = 100  # times the values at the ends of the interval that holds a pole


@dataclass(frozen=True, slots=True)
class Break:
    """A place without a line: a `pole`, a `jump`, or a stretch where the value is `undefined`, with its ends.

    Such a stretch has no number in its middle, or an infinite one.
    """

    kind: Literal["pole", "jump", "undefined"]
    start: float
    end: float
    is_infinite: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Pieces:
    """The unbroken pieces of a curve, each an array of x and y, and the breaks between them."""

    pieces: tuple[Array, ...]
    breaks: tuple[Break, ...]


def pieces(function: Sampled, xs: Array, ys: Array, slopes: Array | None = None) -> Pieces:
    """Return the curve through sampled points in unbroken pieces; where its slopes are known they save many looks."""
    finite = np.isfinite(ys)
    if not finite.any():
        return Pieces((), (Break("undefined", float(xs[0]), float(xs[-1]), bool(np.isinf(ys[len(ys) // 2]))),))
    scale = _scale(ys[finite])
    a, b = _suspicious(xs, ys, finite, scale, slopes)
    lefts, rights, low, high = _halve_intervals(function, xs[a], xs[b], ys[a], ys[b], FLAT * scale)
    lines: list[list[tuple[float, float]]] = [[]]
    breaks: list[Break] = []
    interval_at = {int(start): number for number, start in enumerate(a)}
    opened: float | None = None if finite[0] else float(xs[0])
    for place in range(len(xs)):
        if finite[place]:
            _add(lines, float(xs[place]), float(ys[place]))
        number = interval_at.get(place)
        if number is None:
            continue
        left, right = (lefts[number], low[number]), (rights[number], high[number])
        if np.isfinite(left[1]) and not np.isfinite(right[1]):
            _add(lines, *left)
            opened = right[0]
            lines.append([])
        elif np.isfinite(right[1]) and not np.isfinite(left[1]):
            breaks.append(_hole(function, left[0] if opened is None else opened, left[0], lines, right, scale))
            opened = None
            lines.append([])
            _add(lines, *right)
        elif (kind := _kind((left[1], right[1]), (ys[place], ys[place + 1]), scale)) is not None:
            breaks.append(Break(kind, float(left[0]) + 0.0, float(right[0]) + 0.0))
            _add(lines, *left)
            lines.append([])
            _add(lines, *right)
    if opened is not None:
        breaks.append(_hole(function, opened, float(xs[-1]), lines, None, scale))
    curves = tuple(np.array(line) for line in lines if len(line) > 1)
    return Pieces(curves, tuple(_without_sides_of_poles(breaks, 1e-9 * float(np.ptp(xs)))))


def _add(lines: list[list[tuple[float, float]]], x: float, y: float) -> None:
    """Add a point to the last line, unless it ends there."""
    if not lines[-1] or lines[-1][-1][0] < x:
        lines[-1].append((float(x), float(y)))


def _without_sides_of_poles(breaks: list[Break], near: float) -> list[Break]:
    """Return the breaks without the jumps at the two sides of a pole."""
    poles = [end for x in breaks if x.kind == "pole" for end in x.ends]
    return [x for x in breaks if x.kind != "jump" or all(abs(x.start - pole) > near for pole in poles)]


def _scale(ys: Array) -> float:
    """Return the range of the bulk of the values, which a few near a pole do not stretch."""
    low, high = np.quantile(ys, [0.1, 0.9])
    return float(high - low) or float(np.ptp(ys)) or max(1.0, float(abs(high)))


def _suspicious(xs: Array, ys: Array, finite: Array, scale: float, slopes: Array | None) -> tuple[Array, Array]:
    """Return the places before and after each interval to look at: the largest changes, and the ends of holes.

    A change that the slopes at both ends foretell is left out.
    """
    with np.errstate(all="ignore"):
        change = np.abs(np.diff(ys))
        if slopes is not None:
            foretold = np.diff(xs) * (slopes[:-1] / 2 + slopes[1:] / 2)
            change = np.where(np.abs(np.diff(ys) - foretold) < change / 10, 0, change)
    edges = finite[:-1] != finite[1:]
    inside = finite[:-1] & finite[1:]
    with np.errstate(all="ignore"):
        grows = np.abs(ys[:-1]) + np.abs(ys[1:]) > 4 * scale + 2 * abs(float(np.median(ys[finite])))
        grows &= change > 0
    places = np.flatnonzero(edges | (inside & ((change > SUSPICIOUS * scale) | grows)))
    if len(places) > MOST:
        weight = np.where(edges, np.inf, np.nan_to_num(change, nan=0, posinf=np.inf))[places]
        places = np.sort(places[np.argsort(-weight, kind="stable")[:MOST]])
    return places, places + 1


def _halve_intervals(
    function: Sampled, a: Array, b: Array, low: Array, high: Array, threshold: Any
) -> tuple[Array, Array, Array, Array]:
    """Return the ends of each interval, with their values, after halving it towards the larger change.

    An interval with a change below `threshold` is no jump, and is left as it is.
    """
    a, b, low, high = (np.array(x, np.float64) for x in (a, b, low, high))
    with np.errstate(all="ignore"):
        threshold = np.maximum(threshold, SHARE * np.where(np.isfinite(low) & np.isfinite(high), _change(low, high), 0))
    for _ in range(HALVINGS):
        middle = a + (b - a) / 2
        open = (middle > a) & (middle < b) & (_change(low, high) > threshold)
        if not open.any():
            break
        values = np.full(len(a), np.nan)
        values[open] = function(middle[open])
        with np.errstate(all="ignore"):
            first, second = _change(low, values), _change(values, high)
            to_left = first > second
            even = (first == second) & (np.abs(low) > np.abs(high))
        to_left = to_left | even
        b, high = np.where(open & to_left, middle, b), np.where(open & to_left, values, high)
        a, low = np.where(open & ~to_left, middle, a), np.where(open & ~to_left, values, low)
    return a, b, low, high


def _change(first: Array, second: Array) -> Array:
    """Return how much two values differ; infinitely where one value is no number, -1 where both are none."""
    ends = np.isfinite(first), np.isfinite(second)
    return np.where(ends[0] & ends[1], np.abs(first - second), np.where(ends[0] != ends[1], np.inf, -1.0))


def _kind(sides: tuple[float, float], before: tuple[float, float], scale: float) -> Literal["pole", "jump"] | None:
    """Return what lies between the two sides of a closed interval; None where the curve goes through.

    `before` are the values at the ends that the interval had.
    """
    largest, change = max(map(abs, sides)), abs(sides[1] - sides[0])
    if largest / LARGE > scale and largest / GROWTH > max(map(abs, before)):
        return "pole"
    limit = max(SUSPICIOUS / 2 * scale, 1e-6 * largest, 2 * SHARE * abs(before[1] - before[0]))
    return "jump" if change > limit else None


def _hole(
    function: Sampled, start: float, end: float, lines: list[list[tuple[float, float]]], after: Any, scale: float
) -> Break:
    """Return a stretch without values: a pole where it is one point between values that grow."""
    before = lines[-2][-1][1] if len(lines) > 1 and lines[-2] else 0.0
    largest = max(abs(before), abs(after[1]) if after is not None else 0.0)
    is_point = end - start <= 1e-9 * max(1.0, abs(start))
    kind: Literal["pole", "undefined"] = "pole" if is_point and largest / LARGE > scale else "undefined"
    (inside,) = function(np.array([start + (end - start) / 2]))
    return Break(kind, float(start) + 0.0, float(end) + 0.0, kind == "undefined" and bool(np.isinf(inside)))
