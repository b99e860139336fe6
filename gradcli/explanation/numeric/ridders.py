"""The slope of a curve by difference quotients, with a bound of its error.

Ridders' method: quotients with smaller and smaller steps are extrapolated to the step 0, and the error is judged by
how far the extrapolations of neighbouring orders lie apart. C. J. F. Ridders, Accurate computation of F'(x) and
F'(x)F''(x), Advances in Engineering Software 4 (1982) 75.

Two things are added. Central quotients alone take a kink for smooth: of |x| they are 0 at 0. So the quotients to the
right and to the left must come together too; how far apart they stay, extrapolated in the same way, counts as error.
And rounding counts by the sizes of the numbers that were subtracted: where it hides everything, all quotients agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from gradcli.explanation.numeric.curve import Curve
from gradcli.facts import dataclass

ROWS = 10  # of a table: halvings of the step
SHRINKS = 60  # halvings before the function is finite at both ends
DIVERGES = 4  # a row is the last when it lies that many times the smallest error away from the one before


@dataclass(frozen=True, slots=True)
class Slope:
    """A slope with a bound of its error; `bend` is the part of it that a kink leaves, `step` the last step."""

    value: float = math.nan
    error: float = math.inf
    bend: float = 0.0
    step: float = math.nan


def slope_of(curve: Curve, start: float, is_enough: Callable[[Slope], bool]) -> Slope:
    """Return the best of the extrapolations from the step `start` downwards, or the first that is good enough."""
    closest = Slope()
    slopes: list[float] = []
    bends: list[float] = []
    step, shrinks = start, 0
    while len(slopes) < ROWS and shrinks < SHRINKS and step > curve.finest:
        quotient = curve.quotient(step)
        if quotient is None:
            slopes, bends, shrinks = [], [], shrinks + 1
        else:
            row, sides = _extrapolated(quotient.slope, slopes, 4), _extrapolated(quotient.bend, bends, 2)
            for order in range(1, len(row)):
                distance = max(abs(row[order] - row[order - 1]), abs(row[order] - slopes[order - 1]))
                error = distance + abs(sides[order]) / 2 + 2 * quotient.rounding
                if error < closest.error:
                    closest = Slope(row[order], error, abs(sides[order]) / 2, step)
            if is_enough(closest) or (slopes and abs(row[-1] - slopes[-1]) > DIVERGES * closest.error):
                break
            slopes, bends = row, sides
        step /= 2
    return closest


def _extrapolated(first: float, previous: list[float], factor: float) -> list[float]:
    """Return a row of the table below the previous one: each entry removes one more power of the step."""
    row = [first]
    for coarse in previous:
        row.append(row[-1] + (row[-1] - coarse) / (factor - 1))
        factor *= 4
    return row
