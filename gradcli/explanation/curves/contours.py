"""Contour lines by marching squares: each cell of a grid is crossed by none, one or two straight pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = Any
Point = tuple[float, float]

# The sides of a cell that a piece joins (0 below, 1 right, 2 above, 3 left), by which corners are higher.
SIDES = {
    1: [(3, 0)], 2: [(0, 1)], 3: [(3, 1)], 4: [(1, 2)], 5: [(3, 2), (0, 1)], 6: [(0, 2)], 7: [(3, 2)],
    8: [(2, 3)], 9: [(2, 0)], 10: [(3, 0), (1, 2)], 11: [(2, 1)], 12: [(1, 3)], 13: [(1, 0)], 14: [(0, 3)],
}  # fmt: skip


def contour(xs: Array, ys: Array, heights: Array, level: float) -> tuple[Array, ...]:
    """Return the lines on which the height is the level; `heights` has a row for each y."""
    return tuple(np.array(line) for line in _join_pieces(list(_pieces(xs, ys, heights, level))))


def _pieces(xs: Array, ys: Array, heights: Array, level: float) -> Iterator[tuple[Point, Point]]:
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
