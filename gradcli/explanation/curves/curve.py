"""A function of one variable over a range, with its derivative, and a point with its tangent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from gradcli.facts import dataclass

# Breaks of a curve: poles, jumps, and stretches where it has no value.
#
# Neighbours whose values differ much are looked at between: the interval is halved towards the larger change until
# nothing lies between its ends. A steep stretch becomes flat that way; a jump stays, and at a pole the values grow.


Array = Any
Sampled = Callable[[Array], Array]

SUSPICIOUS = 0.02  # of the range of values; a smaller change is drawn as it is
FLAT, SHARE = 1e-4, 1e-3  # of the range of values, and of the change at first
HALVINGS = 64
INTERVALS = 64  # intervals that are looked at
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
    if len(places) > INTERVALS:
        weight = np.where(edges, np.inf, np.nan_to_num(change, nan=0, posinf=np.inf))[places]
        places = np.sort(places[np.argsort(-weight, kind="stable")[:INTERVALS]])
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


Sampler = Callable[[Array], tuple[Array, Array]]  # values and derivatives at many points

POINTS = 401


@dataclass(frozen=True, slots=True)
class Point:
    """A place on a curve, and the slope there."""

    x: float
    y: float
    slope: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The output of a program over a range of the variable `x`; `y` is the name of the output."""

    x: str
    y: str
    range: tuple[float, float]
    values: Pieces
    derivative: Pieces
    at: Point | None = None


def curve(sample: Sampler, x: str, y: str, range: tuple[float, float], at: float | None = None) -> Curve:
    """Sample a function and its derivative, and find where they break."""
    xs = np.linspace(*range, POINTS)
    xs[np.abs(xs) < 1e-12 * (range[1] - range[0])] = 0.0
    point = None
    if at is not None:
        value, slope = sample(np.array([at]))
        point = Point(at, float(value[0]), float(slope[0]))
    values, derivative = function_and_derivative(sample, xs)
    if poles := all_poles(sample, values, derivative, 2 * (range[1] - range[0]) / POINTS):
        values, derivative = function_and_derivative(sample, np.union1d(xs, poles), poles)
    return Curve(x, y, range, values, derivative, point)


def all_poles(sample: Sampler, values: Pieces, derivative: Pieces, near: float) -> list[float]:
    """Return the poles of the function: where one does not change its sign only the derivative shows it, or it alone.

    Where the derivative alone grows without bound the function has a value like those around it.

    Of those that are near each other, which are one, the place with the largest value.
    """
    poles = sorted({end for x in (*values.breaks, *derivative.breaks) if x.kind == "pole" for end in x.ends})
    groups: list[list[float]] = []
    for place in poles:
        if groups and place - groups[-1][-1] <= near:
            groups[-1].append(place)
        else:
            groups.append([place])
    ordinary = LARGE * max((float(np.median(np.abs(piece[:, 1]))) for piece in values.pieces), default=0.0)
    with np.errstate(all="ignore"):
        heights = [np.nan_to_num(np.abs(sample(np.array(group))[0]), nan=np.inf) for group in groups]
    highest = [(group[int(np.argmax(height))], height.max()) for group, height in zip(groups, heights, strict=True)]
    return [place for place, height in highest if height > ordinary]


def function_and_derivative(sample: Sampler, xs: Array, poles: Sequence[float] = ()) -> tuple[Pieces, Pieces]:
    """Return the pieces of the function and of its derivative, which has a value only where the function has one."""

    def value(at: Array) -> Array:
        return sample_finite(at)[0]

    def slope(at: Array) -> Array:
        return sample_finite(at)[1]

    def sample_finite(at: Array) -> tuple[Array, Array]:
        ys, slopes = sample(at)
        ys = np.where(np.isin(at, poles), np.inf, ys)
        return ys, np.where(np.isfinite(ys), slopes, np.nan)

    ys, slopes = sample_finite(xs)
    return pieces(value, xs, ys, slopes), pieces(slope, xs, slopes)


# Round numbers along an axis: multiples of 1, 2 or 5 times a power of ten.


MOST = 8


def ticks(low: float, high: float, limit: int = MOST) -> list[float]:
    """Return the round numbers of a range, at most so many; one where the range is a point."""
    if not (math.isfinite(low) and math.isfinite(high)) or high - low <= 0 or math.isinf(high - low):
        return [low]
    step = spacing(high - low, limit)
    if step == 0:  # a range of the smallest numbers there are
        return [low]
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = dict.fromkeys(number * step for number in range(first, last + 1))  # of a narrow range some are the same
    return list(values)[: limit + 1] or [low]


def spacing(width: float, limit: int = MOST) -> float:
    """Return the distance of ticks: the smallest round one that gives no more than so many."""
    power = 10.0 ** math.floor(math.log10(width / limit))
    return next((factor * power for factor in (1, 2, 5) if width <= factor * power * limit), 10 * power)


def rounded(low: float, high: float, limit: int) -> tuple[float, float]:
    """Return the range widened to ticks at both ends, of which there are at most so many and one; else as it is."""
    for _ in range(MOST):
        if not 0 < high - low < math.inf or not (step := spacing(high - low, limit)):
            break
        ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if ends == (low, high):
            break
        low, high = ends
    return low, high


def labels(values: list[float]) -> list[str]:
    """Return the ticks as text, all with as many digits as tell them apart."""
    if len(values) < 2:
        return [f"{value:.4g}" for value in values]
    step, largest = values[1] - values[0], max(map(abs, values))
    if largest >= 1e6 or step < 1e-5:
        digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(step) + 1e-9))
        return ["0" if value == 0 else _exponent(f"{value:.{digits}e}") for value in values]
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return [f"{value + 0.0:.{decimals}f}" if abs(value) > step / 2 else "0" for value in values]


def _exponent(text: str) -> str:
    digits, _, power = text.partition("e")
    return f"{digits}e{int(power)}"
