"""A function of one variable over a range, with its derivative, and a point with its tangent."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.explanation.curves.breaks import LARGE, Pieces, pieces
from gradcli.facts import dataclass

Array = Any
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
