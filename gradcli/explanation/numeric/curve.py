"""A program along a straight line through the point: what difference quotients are taken of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.model import Node, Value
from gradcli.explanation.numeric.function import Function
from gradcli.facts import dataclass

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
