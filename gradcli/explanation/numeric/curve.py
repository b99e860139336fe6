"""A program along a straight line through the point: what difference quotients are taken of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.errors import GradcliError
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.lines import Evaluation
from gradcli.explanation.model import Node, Value
from gradcli.explanation.variables import Variables
from gradcli.language.tree import Program

EPSILON = float(np.finfo(np.float64).eps)
LEAST = float(np.finfo(np.float64).smallest_subnormal)
ULPS = 4  # units in the last place that a result may be off


@dataclass(frozen=True)
class Function:
    """A program at a point, its output weighted by the upstream gradient; double precision throughout."""

    program: Program
    of: str | None
    upstream: Value
    point: Mapping[str, Any]

    def entries(self, **moved: Any) -> Value | None:
        """Return the weighted entries with a variable elsewhere; None where they are not finite, or others."""
        try:
            output = self._evaluated((), moved).output
        except GradcliError:
            return None
        if output is None or output.shape != np.shape(self.upstream):  # a selection took another number of entries
            return None
        with np.errstate(all="ignore"):
            entries = np.asarray(self.upstream * output.value, np.float64)
        return entries if np.isfinite(entries).all() else None

    def gradients(self, wrt: tuple[str, ...], dtype: str = "float64", **moved: Any) -> dict[str, Value]:
        """Return the gradients that the engine's backward pass leaves in `.grad`."""
        evaluation = self._evaluated(wrt, moved, dtype)
        output = evaluation.output
        assert output is not None
        with np.errstate(all="ignore"):
            if output.requires_grad:
                output.backward(np.asarray(self.upstream, output.dtype)[()])
        found = {line.name: line.tensor.grad for line in evaluation.lines if line.is_variable}
        return {name: grad.value for name, grad in found.items() if grad is not None}

    def pieces(self, **moved: Any) -> list[tuple[str, Value]]:
        """Return the operations that jump, with the number of the piece that each entry is on."""
        found = []
        for line in self._evaluated((), moved).lines:
            if line.application is not None and (count := line.application.primitive.pieces) is not None:
                values = [x.tensor.value for x in line.inputs]
                with np.errstate(all="ignore"):
                    found.append((line.application.primitive.name, count(*values, **line.application.options)))
        return found

    def _evaluated(self, wrt: tuple[str, ...], moved: Mapping[str, Any], dtype: str = "float64") -> Evaluation:
        point = {**self.point, **moved}
        return evaluate(self.program, point, wrt=wrt, of=self.of, dtype=np.dtype(dtype), variables=self._variables)

    @cached_property
    def middle(self) -> Value | None:
        """The weighted entries at the point."""
        return self.entries()

    @cached_property
    def _variables(self) -> Variables:
        return Variables.of(self.program)


@dataclass(frozen=True, slots=True)
class Quotient:
    """The central difference quotient, that to the right less that to the left, and how far rounding moved them."""

    slope: float
    bend: float
    rounding: float


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of the numbers that are rounded on the way to the output: in units of the last place, so much is lost.

    `flow` adds all results, each times its gradient, `reach` those gradients alone. `inner` adds the largest inputs of
    operations on many entries, for inside of one large numbers may cancel.
    """

    flow: float
    reach: float
    inner: float


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
            found = self.function.gradients((self.name,), **{self.name: self.place(t)})
        except GradcliError:
            return np.nan
        with np.errstate(all="ignore"):
            return float(np.sum(found[self.name] * self.direction)) if self.name in found else np.nan

    def moved(self, t: float) -> Curve:
        """Return the curve from another place on."""
        point = {**self.function.point, self.name: self.place(t)}
        return Curve(replace(self.function, point=point), self.name, self.direction, self.sizes)

    def jumping(self, step: float) -> str:
        """Return an operation that is on two of its pieces at the ends of a step; empty if none is."""
        below, above = (self.function.pieces(**{self.name: self.place(t)}) for t in (-step, step))
        apart = (left[0] for left, right in zip(below, above, strict=False) if not np.array_equal(left[1], right[1]))
        return next(apart, "")

    def quotient(self, step: float) -> Quotient | None:
        """Return the quotients with one step; None where the function is not finite at one of its ends."""
        middle = self.function.middle
        right, left = (self.function.entries(**{self.name: self.place(t)}) for t in (step, -step))
        if middle is None or left is None or right is None:
            return None
        start, end = (self._moved(t) for t in (-step, step))
        with np.errstate(all="ignore"):
            slope = float(np.sum((right - left) / (end - start)))
            bend = float(np.sum((right - middle) / end + (middle - left) / start))
            size = self.sizes.flow + float(np.sum(np.abs(left)) + np.sum(np.abs(right)))
            rounding = ULPS * (EPSILON * size + LEAST * (1 + self.sizes.reach)) / step
        return Quotient(slope, bend, rounding) if np.isfinite([slope, bend]).all() else None

    def _moved(self, t: float) -> float:
        """Return how far along the direction a place is, as rounding leaves it."""
        with np.errstate(all="ignore"):
            return float(np.sum((self.place(t) - self.base) * self.direction) / np.sum(self.direction**2))


def sizes(nodes: tuple[Node, ...], name: str) -> Sizes:
    """Return the sizes over all results that depend on a variable."""
    flow = reach = inner = 0.0
    below = {name}
    largest: dict[str, float] = {}
    with np.errstate(all="ignore"):
        for node in nodes:
            values = np.abs(node.value)
            largest[node.id] = float(np.max(values, initial=0.0, where=np.isfinite(values)))
            if not below.isdisjoint(node.inputs):
                below.add(node.id)
                slopes = np.abs(0.0 if node.grad is None else node.grad)
                flow += _sum(slopes * values)
                reach += _sum(slopes)
                if REGISTRY[node.op or ""].structured:
                    inner += _sum(slopes) * max((largest[x] for x in node.inputs), default=0.0)
    return Sizes(flow, reach, inner)


def _sum(values: Value) -> float:
    """Return the sum of the finite entries."""
    return float(np.sum(values, where=np.isfinite(values)))
