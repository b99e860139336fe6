"""The verdict on a gradient by the slopes along the entries of its variable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.explanation.model import Node, Value
from gradcli.explanation.numeric.curve import EPSILON, Curve, Sizes, local_sizes, sizes
from gradcli.explanation.numeric.function import Function
from gradcli.explanation.numeric.judge import SHRINKS, Claim, Opinion, Outcome
from gradcli.facts import dataclass

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
