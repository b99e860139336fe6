"""A program as a function of some of its variables, for plots: values and gradients at many points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.stream.plan import Plan

Array = Any


def sampler(plan: Plan, names: Sequence[str]) -> Callable[..., tuple[Array, ...]]:
    """Return the function from one array a variable to the array of values and the arrays of derivatives."""

    def sample(*columns: Array) -> tuple[Array, ...]:
        points = dict(zip(names, (np.asarray(column, np.float64).ravel() for column in columns), strict=True))
        count = len(points[names[0]])
        if not plan.is_columnar:
            return _one_by_one(plan, names, points, count)
        with np.errstate(all="ignore"):
            result = plan.over(points, count)
        return (np.array(result.value, np.float64), *(_column(result.gradients.get(name), count) for name in names))

    return sample


def _one_by_one(plan: Plan, names: Sequence[str], points: dict[str, Array], count: int) -> tuple[Array, ...]:
    rows = np.empty((1 + len(names), count))
    for place in range(count):
        result = plan.at({name: float(column[place]) for name, column in points.items()})
        if np.ndim(result.value) != 0:
            raise EvaluationError(
                "E213",
                f"the output has the shape {np.shape(result.value)}, and a plot shows one number",
                help="end the program with a sum or a mean, or choose a scalar with --of",
            )
        gradients = (result.gradients.get(name) for name in names)
        rows[:, place] = [result.value, *(0.0 if gradient is None else gradient for gradient in gradients)]
    return tuple(rows)


def _column(gradient: Any, count: int) -> Array:
    """Return a gradient as one number a point; 0 where the output does not depend on the variable."""
    return np.array(np.broadcast_to(0.0 if gradient is None else gradient, (count,)), np.float64)
