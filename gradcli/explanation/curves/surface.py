"""A function of two variables over a rectangle: contour lines, and the gradient on a coarse grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.explanation.curves.curve import ticks
from gradcli.facts import dataclass

# Contour lines by marching squares: each cell of a grid is crossed by none, one or two straight pieces.


Point = tuple[float, float]

# The sides of a cell that a piece joins (0 below, 1 right, 2 above, 3 left), by which corners are higher.
SIDES = {
    1: [(3, 0)], 2: [(0, 1)], 3: [(3, 1)], 4: [(1, 2)], 5: [(3, 2), (0, 1)], 6: [(0, 2)], 7: [(3, 2)],
    8: [(2, 3)], 9: [(2, 0)], 10: [(3, 0), (1, 2)], 11: [(2, 1)], 12: [(1, 3)], 13: [(1, 0)], 14: [(0, 3)],
}  # fmt: skip


def contour(xs: Any, ys: Any, heights: Any, level: float) -> tuple[Any, ...]:
    """Return the lines on which the height is the level; `heights` has a row for each y."""
    return tuple(np.array(line) for line in _join_pieces(list(_pieces(xs, ys, heights, level))))


def _pieces(xs: Any, ys: Any, heights: Any, level: float) -> Iterator[tuple[Point, Point]]:
    corners = (heights[:-1, :-1], heights[:-1, 1:], heights[1:, 1:], heights[1:, :-1])
    with np.errstate(invalid="ignore"):
        case = sum((corner > level).astype(int) << bit for bit, corner in enumerate(corners))
    is_finite = np.isfinite(np.stack(corners)).all(axis=0)
    for row, column in zip(*np.nonzero(is_finite & (case > 0) & (case < 15)), strict=True):
        x, y = (xs[column], xs[column + 1]), (ys[row], ys[row + 1])
        ends = [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]
        values = [corner[row, column] for corner in corners]
        for sides in SIDES[int(case[row, column])]:
            first, second = (_crossing(ends, values, side, level) for side in sides)
            if first != second:
                yield first, second


def _crossing(ends: list[Point], values: list[float], side: int, level: float) -> Point:
    """Return where a side of a cell has the level, computed alike in the cells on both sides of it."""
    start, end = sorted((side, (side + 1) % 4), key=lambda corner: ends[corner])
    share = (level - values[start]) / (values[end] - values[start])
    (x0, y0), (x1, y1) = ends[start], ends[end]
    return float(x0 + share * (x1 - x0)), float(y0 + share * (y1 - y0))


def _join_pieces(pieces: list[tuple[Point, Point]]) -> Iterator[list[Point]]:
    """Yield the lines that pieces make: each goes on where another begins or ends."""
    at: dict[Point, list[int]] = {}
    for number, piece in enumerate(pieces):
        for end in piece:
            at.setdefault(end, []).append(number)
    unused = dict.fromkeys(range(len(pieces)))
    while unused:
        number = next(iter(unused))
        del unused[number]
        line = list(pieces[number])
        for _ in range(2):
            while (following := next((n for n in at[line[-1]] if n in unused), None)) is not None:
                del unused[following]
                first, second = pieces[following]
                line.append(second if first == line[-1] else first)
            line.reverse()
        yield line


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
