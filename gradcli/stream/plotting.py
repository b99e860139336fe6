"""A plot: a program sampled over ranges of one or two variables, and the path of an optimizer down it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.curves.curve import Curve, curve
from gradcli.explanation.curves.surface import Surface, surface
from gradcli.explanation.model import unused
from gradcli.facts import dataclass
from gradcli.script.descent import Path, descend
from gradcli.stream.plan import Plan, Task

# A program as a function of some of its variables, for plots: values and gradients at many points.


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


Pair = tuple[float, float]

SIDE = {True: 101, False: 41}  # points along a side, by whether they are computed at once


@dataclass(frozen=True, slots=True)
class Way:
    """A descent by an optimizer: from a point, so many steps, with its options."""

    optimizer: str
    start: tuple[float, ...]
    steps: int
    options: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Plot:
    """The facts of a plot: a curve for one variable, a surface for two."""

    program: str
    facts: Curve | Surface
    path: Path | None


def sample_plot(
    task: Task, ranges: Mapping[str, Pair], at: tuple[float, ...] | None = None, way: Way | None = None
) -> Plot:
    """Sample a program; the other variables have their values in the task."""
    plan = Plan(replace(task, wrt=tuple(ranges)))
    plan.check({name: low for name, (low, _) in ranges.items()})
    sample = sampler(plan, list(ranges))
    names_in_use = [*plan.needed.places, *(statement.target for statement in plan.program.statements)]
    last = plan.program.statements[-1].target
    output = task.of or last or unused("f", [name for name in names_in_use if name])
    facts: Curve | Surface
    if len(ranges) == 1:
        ((x, range),) = ranges.items()
        facts = curve(sample, x, output, range, None if at is None else at[0])
    else:
        (x, first), (y, second) = ranges.items()
        facts = surface(
            sample, (x, y, output), (first, second), None if at is None else (at[0], at[1]), SIDE[plan.is_columnar]
        )
    path = None
    if way is not None:
        path = descend(lambda point: _at(sample, point), way.start, way.steps, way.optimizer, way.options)
    return Plot(task.program, facts, path)


def _at(sample: Any, point: list[float]) -> tuple[float, list[float]]:
    """Return the value and the gradient at a point."""
    value, *slopes = (float(column[0]) for column in sample(*(np.array([x]) for x in point)))
    return value, slopes
