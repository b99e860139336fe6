"""The path of an optimizer of the snippets down a function: the numbers that torch's would take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import UsageError
from gradcli.facts import dataclass

Slope = Callable[[list[float]], tuple[float, list[float]]]  # the value and the gradient at a point

OPTIMIZERS = {"sgd": {}, "momentum": {"momentum": 0.9}, "adam": {}}  # by name, the options that make it


@dataclass(frozen=True, slots=True)
class Path:
    """The points that an optimizer came through, with the values there; `stopped` where one is no number."""

    optimizer: str
    points: tuple[tuple[float, ...], ...]
    values: tuple[float, ...]
    stopped: bool


def descend(function: Slope, start: Sequence[float], steps: int, name: str, options: Mapping[str, float]) -> Path:
    """Follow an optimizer for so many steps; UsageError for options that it does not take."""
    from gradcli.script.torch.optim.optimizer import SGD, Adam

    parameters = [Tensor(np.float64(value)) for value in start]
    for parameter in parameters:
        parameter.requires_grad = True
    try:
        optimizer = (
            Adam(parameters, **options) if name == "adam" else SGD(parameters, **{**OPTIMIZERS[name], **options})
        )
    except (TypeError, ValueError) as error:
        raise UsageError("E015", f"{name}: {error}", help="see the options of torch's optimizers") from None
    points: list[tuple[float, ...]] = []
    values: list[float] = []
    for step in range(steps + 1):
        point = [float(parameter.value) for parameter in parameters]
        value, slope = function(point)
        points.append(tuple(point))
        values.append(value)
        if not np.isfinite([value, *slope]).all():
            return Path(name, tuple(points), tuple(values), stopped=True)
        if step < steps:
            for parameter, gradient in zip(parameters, slope, strict=True):
                parameter.grad = Tensor(np.float64(gradient))
            optimizer.step()
    return Path(name, tuple(points), tuple(values), stopped=False)
