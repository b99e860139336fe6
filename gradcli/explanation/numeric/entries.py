"""What the slopes by the entries of a variable say of its gradient."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.explanation.model import Node, Value
from gradcli.explanation.numeric.curve import Curve, Function, Sizes, sizes
from gradcli.explanation.numeric.judge import Claim, Opinion, Outcome

SEED = 0
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
        return sizes(self.nodes, self.name)

    @property
    def lengths(self) -> Any:
        """The absolute values of the entries."""
        return np.abs(np.asarray(self.function.point[self.name], np.float64))

    @cached_property
    def scale(self) -> float:
        """What errors are relative to: the largest entry or, if all are 0, the slope that such a function may have."""
        largest = float(np.max(np.abs(self.gradient), initial=0.0))
        width = float(np.max(self.lengths, initial=0.0)) or 1.0
        return largest or max(max(self.sizes.flow, self.sizes.inner) / width, float(np.finfo(np.float64).tiny))

    def opinions(self, most: int) -> Iterator[tuple[int | None, Opinion]]:
        """Yield what the slopes by at most so many entries say; then by all at once, if there are more."""
        size, doubts = np.size(self.gradient), 0
        chosen = range(size) if size <= most else np.random.default_rng(SEED).choice(size, most, replace=False)
        for entry in sorted(int(entry) for entry in chosen):
            direction = np.zeros(size)
            direction[entry] = 1.0
            claim = self.claim(direction.reshape(np.shape(self.gradient)), self.scale)
            opinion = claim.opinion() if doubts < MOST_DOUBTS else claim.first()
            doubts += opinion.outcome is not Outcome.AGREES
            yield entry, opinion
        if size > most:
            yield None, self.along_all()

    def along_all(self) -> Opinion:
        """Return what the slope says along one direction that changes every entry, each by its own size."""
        width = float(np.max(self.lengths)) or 1.0
        signs = np.random.default_rng(SEED).choice([-1.0, 1.0], np.shape(self.gradient))
        direction = signs * np.where(self.lengths == 0, 1.0, self.lengths / width)
        rounding = float(np.sum(np.abs(self.gradient) * self.lengths))  # of the point itself, when it is moved
        return self.claim(direction, float(np.sum(np.abs(self.gradient * direction))), rounding).opinion()

    def claim(self, direction: Any, scale: float, rounding: float = 0.0) -> Claim:
        rounded = replace(self.sizes, flow=self.sizes.flow + rounding)
        curve = Curve(self.function, self.name, direction, rounded)
        return Claim(curve, float(np.sum(self.gradient * direction)), scale or self.scale, self.tolerance)
