"""The search for a step along a direction that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Value = Any
Evaluate = Callable[[Any], tuple[float, Value]]
ENOUGH, FLAT, SMALLEST = 1e-4, 0.9, 1e-9  # how much to descend, how much flatter to become, when to give up


@dataclass(frozen=True, slots=True)
class Point:
    """A step `t`, with value `f` and gradient `g` of the function there, and the slope along the direction."""

    t: Any
    f: float
    g: Value
    slope: Any


def minimum(a: Point, b: Point, low: Any, high: Any) -> Any:
    """Return the minimum of the cubic through two points with their slopes, between bounds."""
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = np.sqrt(square)
    if a.t <= b.t:
        found = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        found = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(found, low), high)


class Search:
    """The search from a point along a direction `d`, in at most `most` rounds."""

    def __init__(self, evaluate: Evaluate, d: Value, start: Point, most: int) -> None:
        self.evaluate, self.d, self.start, self.most = evaluate, d, start, most
        self.calls, self.rounds = 0, 0

    def at(self, t: Any) -> Point:
        f, g = self.evaluate(t)
        self.calls += 1
        return Point(t, f, g, np.dot(g, self.d))

    def too_high(self, point: Point) -> bool:
        return bool(point.f > self.start.f + ENOUGH * point.t * self.start.slope)

    def is_flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -FLAT * self.start.slope)

    def bracket(self, t: Any) -> list[Point]:
        """Return one point that satisfies the conditions, or two with such a point between them."""
        before, here = self.start, self.at(t)
        while self.rounds < self.most:
            if self.too_high(here) or (self.rounds > 1 and here.f >= before.f):
                return [before, here]
            if self.is_flat(here):
                return [here]
            if here.slope >= 0:
                return [before, here]
            further = minimum(before, here, here.t + 0.01 * (here.t - before.t), here.t * 10)
            before, here = here, self.at(further)
            self.rounds += 1
        return [self.start, here]

    def narrowed(self, ends: list[Point]) -> Point:
        """Close in between two points, and return the lowest point found."""
        span, stalled = np.abs(self.d).max(), False
        low, high = (0, 1) if ends[0].f <= ends[1].f else (1, 0)
        while self.rounds < self.most:
            first, last = sorted((ends[0].t, ends[1].t))
            if abs(last - first) * span < SMALLEST:
                break
            t = minimum(ends[0], ends[1], first, last)
            margin = 0.1 * (last - first)
            if min(last - t, t - first) < margin:
                if stalled or t >= last or t <= first:
                    t = last - margin if abs(t - last) < abs(t - first) else first + margin
                    stalled = False
                else:
                    stalled = True
            else:
                stalled = False
            here = self.at(t)
            self.rounds += 1
            if self.too_high(here) or here.f >= ends[low].f:
                ends[high] = here
                low, high = (0, 1) if ends[0].f <= ends[1].f else (1, 0)
                continue
            done = self.is_flat(here)
            if not done and here.slope * (ends[high].t - ends[low].t) >= 0:
                ends[high] = ends[low]
            ends[low] = here
            if done:
                break
        return ends[low]


def strong_wolfe(
    evaluate: Evaluate, t: Any, d: Value, f: float, g: Value, slope: Value, most: int
) -> tuple[float, Value, Any, int]:
    """Return value and gradient after the step that was found, the step, and the number of evaluations."""
    search = Search(evaluate, d, Point(0, f, g.copy(), slope), most)
    ends = search.bracket(t)
    found = ends[0] if len(ends) == 1 else search.narrowed(ends)
    return found.f, found.g, found.t, search.calls
