"""A function of two variables over a rectangle: contour lines, and the gradient on a coarse grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.explanation.curves.contours import contour
from gradcli.explanation.curves.ticks import ticks
from gradcli.facts import dataclass

Array = Any
Sampler = Callable[[Array, Array], tuple[Array, Array, Array]]  # values and both derivatives at many points
Pair = tuple[float, float]

SIDE = 61  # points of the grid along a side
ARROWS = 9
LEVELS = 12


@dataclass(frozen=True, slots=True)
class Level:
    """The contour lines of one value, each an array of x and y."""

    value: float
    lines: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class Slope:
    """The gradient at a point."""

    x: float
    y: float
    dx: float
    dy: float


@dataclass(frozen=True, slots=True)
class Surface:
    """The output `z` of a program over ranges of the variables `x` and `y`; `undefined` counts points without value."""

    x: str
    y: str
    z: str
    ranges: tuple[Pair, Pair]
    levels: tuple[Level, ...]
    slopes: tuple[Slope, ...]
    low: float
    high: float
    undefined: int
    points: int
    at: tuple[float, Slope] | None = None


def surface(
    sample: Sampler, names: tuple[str, str, str], ranges: tuple[Pair, Pair], at: Pair | None = None, side: int = SIDE
) -> Surface:
    """Sample a function on a grid; `names` are of both variables and of the output."""
    xs, ys = (np.linspace(*range, side) for range in ranges)
    grid = np.meshgrid(xs, ys)
    heights = sample(*(axis.ravel() for axis in grid))[0].reshape(side, side)
    finite = heights[np.isfinite(heights)]
    levels = tuple(Level(value, contour(xs, ys, heights, value)) for value in round_levels(finite))
    point = None
    if at is not None:
        height, dx, dy = (float(x[0]) for x in sample(np.array([at[0]]), np.array([at[1]])))
        point = height, Slope(*at, dx, dy)
    return Surface(
        *names,
        ranges,
        tuple(level for level in levels if level.lines),
        tuple(slopes(sample, ranges)),
        float(finite.min()) if finite.size else np.nan,
        float(finite.max()) if finite.size else np.nan,
        heights.size - finite.size,
        heights.size,
        point,
    )


def round_levels(heights: Array) -> list[float]:
    """Return round levels; where a few heights tower over the others, levels with as many points between them."""
    if heights.size == 0 or np.ptp(heights) == 0 or not np.isfinite(np.ptp(heights)):
        return []
    low, half = (float(q) for q in np.quantile(heights, [0, 0.5]))
    if half - low < float(np.ptp(heights)) / 8:
        quantiles = np.quantile(heights, np.linspace(0, 1, LEVELS + 1)[1:-1])
        return sorted({float(f"{value:.2g}") for value in quantiles})
    return ticks(low, float(heights.max()), LEVELS)


def slopes(sample: Sampler, ranges: tuple[Pair, Pair]) -> list[Slope]:
    """Return the gradients on a coarse grid, where they and the values are finite."""
    centres = [np.linspace(low, high, 2 * ARROWS + 1)[1::2] for low, high in ranges]
    xs, ys = (axis.ravel() for axis in np.meshgrid(*centres))
    columns = np.stack([xs, ys, *sample(xs, ys)], axis=1)
    return [Slope(x, y, dx, dy) for x, y, _, dx, dy in columns[np.isfinite(columns).all(axis=1)].tolist()]
