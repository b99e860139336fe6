"""The verdict on a gradient by the slopes of a curve: it agrees, it disagrees, or neither can be said, and why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.model import Node, Value
from gradcli.explanation.numeric.function import Function
from gradcli.facts import dataclass

# A program along a straight line through the point: what difference quotients are taken of.


EPSILON = float(np.finfo(np.float64).eps)
LEAST = float(np.finfo(np.float64).smallest_subnormal)
POWERS = range(0, 90, 15)  # of 2: steps that show which entries move
ULPS = 4  # units in the last place that a result may be off


@dataclass(frozen=True, slots=True)
class Quotient:
    """The central difference quotient, that to the right less that to the left, and how far rounding moved them."""

    slope: float
    bend: float
    rounding: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes by which rounding to the last place can be wrong on the way to the output.

    `flow` adds all results, each times its gradient, `reach` those gradients alone. `inner` adds the largest inputs of
    operations inside of which large numbers may cancel. `moving` is 0 for the entries of the output
    that stay as they are.
    """

    flow: float
    reach: float
    inner: float
    moving: Value = 1.0


@dataclass(frozen=True)
class Curve:
    """A function along a direction in one variable: t to f(x + t*direction)."""

    function: Function
    name: str
    direction: Any
    sizes: Sizes

    @cached_property
    def base(self) -> Any:
        return np.asarray(self.function.point[self.name], np.float64)

    @property
    def size(self) -> float:
        """The largest of the numbers that change."""
        return float(np.max(np.abs(self.base), initial=0.0, where=self.direction != 0))

    @property
    def width(self) -> float:
        """The largest number of the variable."""
        return float(np.max(np.abs(self.base), initial=0.0))

    @property
    def finest(self) -> float:
        """The smallest step: the next number after the point."""
        return float(np.spacing(self.size))

    def place(self, t: float) -> Value:
        with np.errstate(all="ignore"):
            return (self.base + t * self.direction)[()]

    def slope(self, t: float) -> float:
        """Return the engine's gradient at a place, along the curve; nan where there is none."""
        try:
            gradients = self.function.gradients((self.name,), **{self.name: self.place(t)})
        except GradcliError:
            return np.nan
        with np.errstate(all="ignore"):
            return float(np.sum(gradients[self.name] * self.direction)) if self.name in gradients else np.nan

    def from_place(self, t: float) -> Curve:
        """Return the curve from another place on."""
        point = {**self.function.point, self.name: self.place(t)}
        return Curve(replace(self.function, point=point), self.name, self.direction, self.sizes)

    def jumping_operation(self, step: float) -> str:
        """Return an operation that is on two of its pieces at the ends of a step; empty if none is."""
        below, above = (self.function.pieces(**{self.name: self.place(t)}) for t in (-step, step))
        jumps = (left[0] for left, right in zip(below, above, strict=False) if not np.array_equal(left[1], right[1]))
        return next(jumps, "")

    def why_no_quotient(self) -> str:
        """Return why there is no quotient with any step: what the output is next to the point."""
        neighbours = [self.function.output(**{self.name: self.place(t)}) for t in (-self.finest, self.finest)]
        if any(value is None or np.isnan(value).any() for value in neighbours):
            return "the function is not finite on both sides of the point: its domain ends there"
        return "the function or its differences overflow: the numbers are too large to be subtracted"

    def quotient(self, step: float) -> Quotient | None:
        """Return the quotients with one step; None where that is 0, or the function not finite at one of its ends."""
        if not step:
            return None
        middle = self.function.middle
        right, left = (self.function.entries(**{self.name: self.place(t)}) for t in (step, -step))
        if middle is None or left is None or right is None:
            return None
        start, end = (self._distance(t) for t in (-step, step))
        with np.errstate(all="ignore"):
            if not np.shape(left) == np.shape(middle) == np.shape(right):  # of terms of a sum: it takes others there
                left, middle, right = np.sum(left), np.sum(middle), np.sum(right)
            slope = float(np.sum((right - left) / (end - start)))
            bend = float(np.sum((right - middle) / end + (middle - left) / start))
            ends = _sum(self.sizes.moving * (EPSILON * np.abs(left) + EPSILON * np.abs(right)))
            rounding = ULPS * (self.sizes.flow + ends + LEAST * (1 + self.sizes.reach)) / step
        return Quotient(slope, bend, rounding) if np.isfinite([slope, bend]).all() else None

    def _distance(self, t: float) -> float:
        """Return how far along the direction a place is, as rounding leaves it."""
        with np.errstate(all="ignore"):
            return float(np.sum((self.place(t) - self.base) * self.direction) / np.sum(self.direction**2))


def sizes(nodes: tuple[Node, ...], name: str, moving: Callable[[Node], Value] = lambda node: 1.0) -> Sizes:
    """Return the sizes over all results that depend on a variable; `moving` is 0 for entries that do not count."""
    flow = reach = inner = 0.0
    below = {name}
    largest: dict[str, float] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            values = np.abs(node.value)
            largest[node.id] = float(np.max(values, initial=0.0, where=np.isfinite(values)))
            if not below.isdisjoint(node.inputs):
                below.add(node.id)
                slopes = np.abs(0.0 if node.grad is None else node.grad) * moving(node)
                flow += _sum(EPSILON * slopes * values)
                reach += _sum(slopes)
                declared = REGISTRY.get(node.op or "")  # none of a node that stands for several
                if declared is None or declared.structured or "cancelling" in declared.traits:
                    inner += _sum(EPSILON * slopes) * max((largest[x] for x in node.inputs), default=0.0)
    return Sizes(flow, reach, inner)


def local_sizes(curve: Curve, nodes: tuple[Node, ...], step: float) -> Sizes:
    """Return the sizes over the entries that depend on where the curve is.

    Steps of all sizes show which do: a small one may be lost beside large numbers. Where all are, that says nothing.
    """
    places = [{curve.name: curve.place(sign * step * 2.0**power)} for power in POWERS for sign in (-1, 1)]
    values = [curve.function.values(**place) for place in places]
    ends = [curve.function.entries(**place) for place in places]
    middle = curve.function.middle
    local = sizes(nodes, curve.name, lambda node: _moving(node.value, [x.get(node.id) for x in values]))
    moving = 1.0 if middle is None else _moving(middle, ends)
    return replace(local, moving=moving) if np.any(moving) else curve.sizes


def _moving(value: Value, others_values: Sequence[Value | None]) -> Value:
    """Return 1 for the entries of a value that differ somewhere: for all entries where values cannot be compared."""
    arrays = [np.asarray(x) for x in others_values if x is not None]
    if len(arrays) < len(others_values) or any(x.shape != np.shape(value) for x in arrays):
        return 1.0
    return np.any([value != x for x in arrays], axis=0) * 1.0


def _sum(values: Value) -> float:
    """Return the sum of the finite entries."""
    return float(np.sum(values, where=np.isfinite(values)))


# The slope of a curve by difference quotients, with a bound of its error.
#
# Ridders' method: quotients with smaller and smaller steps are extrapolated to the step 0, and the error is judged by
# how far the extrapolations of neighbouring orders lie apart. C. J. F. Ridders, Accurate computation of F'(x) and
# F'(x)F''(x), Advances in Engineering Software 4 (1982) 75.
#
# Two things are added. Central quotients alone take a kink for smooth: of |x| they are 0 at 0. So the quotients to the
# right and to the left must come together too; how far apart they stay, extrapolated in the same way, counts as error.
# And rounding counts by the sizes of the numbers that were subtracted: where it hides everything, all quotients agree.


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


SAFETY = 8  # bounds of errors are taken so many times as large before a gradient is called wrong
WRONG = 1e-4  # relative: a rule may round more than a slope, and none is called wrong for that
PLACES = 8  # within the smallest step at which the gradient is looked at for how fast it changes
BESIDE = (-7.0, -3.0, 3.0, 7.0)  # steps from the point to places where the gradient must be as wrong as there
LIKE = 4  # times as wrong, and not more
FINER = 2.0 ** (
    -ROWS // 2
)  # from one table's first step to the next one's, which a table that breaks off may not reach


class Outcome(StrEnum):
    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNJUDGED = "cannot be judged"


@dataclass(frozen=True, slots=True)
class Opinion:
    """The outcome for one curve, its slope, and why it cannot be judged."""

    outcome: Outcome
    slope: Slope
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim that the slope of a curve is `expected`; errors are relative to `scale`."""

    curve: Curve
    expected: float
    scale: float
    tolerance: float

    def opinion(self) -> Opinion:
        """Return the outcome: of the first table that confirms the claim, or else of all of them."""
        slopes = []
        for start in self.starts():
            slope = slope_of(self.curve, start, self.is_confirmed)
            if self.is_confirmed(slope):
                return Opinion(Outcome.AGREES, slope)
            slopes.append(slope)
        slopes.sort(key=lambda slope: slope.step)
        against = self.refuting_slope(slopes)
        excuse = "" if against is None else self.excuse(against)
        kept = [slope for place, slope in enumerate(slopes) if all(_agree(slope, finer) for finer in slopes[:place])]
        finest = min(kept, key=lambda slope: slope.error, default=Slope())
        if against is not None and not excuse:
            return Opinion(Outcome.DISAGREES, finest if self.is_excluded(finest) else against)
        if self.distance(finest) + finest.error <= self.tolerance * self.scale:  # though not by its own small size
            return Opinion(Outcome.AGREES, finest)
        reason = excuse or self.why_unjudged(finest, turns=len(kept) < len(slopes))
        return Opinion(Outcome.UNJUDGED, finest, reason)

    def first(self) -> Opinion:
        """Return the outcome of the first table alone."""
        s = slope_of(self.curve, next(self.starts()), self.is_confirmed)
        return Opinion(Outcome.AGREES if self.is_confirmed(s) else Outcome.UNJUDGED, s, self.why_unjudged(s))

    def starts(self) -> Iterator[float]:
        """Yield the first steps of tables: by the size of the point, by that of its surroundings, ever finer."""
        size, width = self.curve.size, self.curve.width
        coarse = [size / 8, width / 8, max(width, 1.0) / 8]
        steps = list(dict.fromkeys(2.0 ** math.floor(math.log2(step)) for step in coarse if step > 0))
        yield from steps
        step = steps[0] * FINER
        while step > max(self.curve.finest, steps[0] * EPSILON):
            yield step
            step *= FINER

    def distance(self, slope: Slope) -> float:
        return abs(slope.value - self.expected)

    def is_confirmed(self, slope: Slope) -> bool:
        return self.distance(slope) + slope.error <= self.tolerance * self.scale and not self.is_excluded(slope)

    def is_excluded(self, slope: Slope) -> bool:
        return self.distance(slope) > WRONG * abs(self.expected) + SAFETY * (slope.error + self.inside(slope))

    def refuting_slope(self, slopes: Sequence[Slope]) -> Slope | None:
        """Return the slope of the finest table that excludes the claim.

        Finer tables, which say less, must not contradict it, and another with other steps must say the same.
        """
        for position, slope in enumerate(slopes):
            if self.is_excluded(slope):
                second = slope_of(self.curve, slope.step * 0.7 * 2**4, lambda slope: False)
                references = [*slopes[:position], second]
                is_sure = self.is_excluded(second) and all(_agree(slope, x) for x in references)
                return slope if is_sure else None
        return None

    def excuse(self, slope: Slope) -> str:
        """Return why the claim may be right although a slope excludes it; empty if nothing speaks for it."""
        places = Draws().uniform(-slope.step, slope.step, (PLACES,))
        far = self.distance(slope) / 2
        if not all(abs(self.curve.slope(float(t)) - self.expected) < far for t in places):
            return "the gradient changes too fast for the smallest step, or rounding decides what it is"
        if jumping := self.curve.jumping_operation(slope.step):
            return f"{jumping} jumps within the smallest step"
        if not all(self.is_wrong_at(t * slope.step, slope) for t in BESIDE):
            return "rounding decides what the gradient is: it is right next to the point"
        return ""

    def why_unjudged(self, slope: Slope, *, turns: bool = False) -> str:
        """Return why the error of a slope is too large to tell anything; `turns`: larger steps give other slopes."""
        if math.isinf(slope.error):
            return self.curve.why_no_quotient()
        if slope.bend > max(slope.error / 2, SAFETY * self.inside(slope)):
            return "there is a kink or a jump within the smallest step"
        if turns:
            return "the function turns within larger steps, and with smaller ones rounding hides the slope"
        return "rounding hides the slope: the differences are too small beside the numbers that are subtracted"

    def inside(self, slope: Slope) -> float:
        """Return how far rounding inside of operations on many entries may have moved a slope."""
        return ULPS * self.curve.sizes.inner / slope.step

    def is_wrong_at(self, t: float, slope: Slope) -> bool:
        """Return whether the gradient is as wrong at another place as here; also True where neither can be said."""
        curve = self.curve.from_place(t)
        other = slope_of(curve, slope.step * 0.7 * 2**4, lambda slope: False)
        ratio = (other.value - curve.slope(0.0)) / (slope.value - self.expected)
        return math.isinf(other.error) or 1 / LIKE < ratio < LIKE


def _agree(slope: Slope, reference: Slope) -> bool:
    """Return whether two slopes are the same within their errors."""
    return math.isinf(reference.error) or abs(slope.value - reference.value) <= SAFETY * (slope.error + reference.error)


# The verdict on a gradient by the slopes along the entries of its variable.


TINY, HUGE = float(np.finfo(np.float64).tiny), float(np.finfo(np.float64).max)
MOST_DOUBTS = 4  # entries of which all tables are tried in vain; the others then get one table each


@dataclass(frozen=True)
class Entries:
    """A variable of a function, and its gradient as the engine has it; `nodes` are the results behind the output."""

    function: Function
    name: str
    gradient: Value
    nodes: tuple[Node, ...]
    tolerance: float

    @cached_property
    def sizes(self) -> Sizes:
        return sizes(self.terms, self.name)

    @cached_property
    def terms(self) -> tuple[Node, ...]:
        """The results whose rounding is in the differences."""
        return tuple(node for node in self.nodes if node.id not in self.function.sums)

    @property
    def lengths(self) -> Any:
        """The absolute values of the entries."""
        return np.abs(np.asarray(self.function.point[self.name], np.float64))

    @cached_property
    def scale(self) -> float:
        """What errors are relative to: the largest entry or, if all are 0, the slope that such a function may have."""
        if largest := float(np.max(np.abs(self.gradient), initial=0.0)):
            return largest
        width = float(np.max(self.lengths, initial=0.0)) or 1.0
        size = max(self.sizes.flow, self.sizes.inner) / EPSILON
        return min(max(size / width, self.rise(width), TINY), HUGE)

    def rise(self, width: float) -> float:
        """Return how steep the function is a little away: at a point where it is flat that says its size."""
        curve, step = Curve(self.function, self.name, self.signs(width), self.sizes), width / 8
        for _ in range(SHRINKS):
            quotient = curve.quotient(step)
            if quotient is not None:
                return max(abs(quotient.slope), abs(quotient.bend) / 2)
            step /= 2
        return 0.0

    def opinions(self, limit: int, *, is_brief: bool = False) -> Iterator[tuple[int | None, Opinion]]:
        """Yield what the slopes by at most so many entries say; then by all at once, if there are more.

        It `is_brief` to try one table for each, as where others were tried in vain.
        """
        size, doubts = np.size(self.gradient), MOST_DOUBTS if is_brief else 0
        chosen = range(size) if size <= limit else np.argsort(Draws().uniform(0, 1, (size,)))[:limit]
        for entry in sorted(int(entry) for entry in chosen):
            direction = np.zeros(size)
            direction[entry] = 1.0
            claim = self.claim(direction.reshape(np.shape(self.gradient)), self.scale)
            opinion = claim.opinion() if doubts < MOST_DOUBTS else claim.first()
            if opinion.outcome is Outcome.UNJUDGED and doubts < MOST_DOUBTS and size > 1:
                local = local_sizes(claim.curve, self.terms, 0.7 * next(claim.starts()))
                opinion = replace(claim, curve=replace(claim.curve, sizes=local)).opinion()
            doubts += opinion.outcome is not Outcome.AGREES
            yield entry, opinion
        if size > limit:
            yield None, self.along_all()

    def along_all(self) -> Opinion:
        """Return what the slope says along one direction that changes every entry, each by its own size."""
        direction = self.signs(float(np.max(self.lengths)) or 1.0)
        rounding = EPSILON * float(np.sum(np.abs(self.gradient) * self.lengths))  # of the point itself, when it moves
        return self.claim(direction, float(np.sum(np.abs(self.gradient * direction))), rounding).opinion()

    def signs(self, width: float) -> Any:
        """Return a direction that changes every entry, each by its own size."""
        signs = Draws().signs(np.shape(self.gradient))
        return signs * np.where(self.lengths == 0, 1.0, self.lengths / width)

    def claim(self, direction: Any, scale: float, rounding: float = 0.0) -> Claim:
        rounded = replace(self.sizes, flow=self.sizes.flow + rounding)
        curve = Curve(self.function, self.name, direction, rounded)
        return Claim(curve, float(np.sum(self.gradient * direction)), scale or self.scale, self.tolerance)
