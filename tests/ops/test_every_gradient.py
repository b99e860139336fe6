"""Every example's gradients against central differences along one direction, first and second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor
from tests.programs import SMOOTH, Run, family, of_every, run

STEP = float(np.cbrt(np.finfo(np.float64).eps))


def weights(value: Any) -> Any:
    """Numbers that are all different, so that no mistake cancels."""
    return (1 / (np.arange(np.size(value)) + 1.5)).reshape(np.shape(value))[()]


def gradients(found: Run, create_graph: bool = False) -> list[Tensor | None]:
    if not found.output.requires_grad:
        return [None] * len(found.leaves)
    leaves = list(found.leaves.values())
    return grad([found.output], leaves, [found.upstream], create_graph=create_graph, allow_unused=True)


def weighted_output(found: Run) -> float:
    return float(np.sum(found.upstream * found.output.value))


def weighted_gradient(found: Run) -> float:
    """All first gradients, weighted to one number."""
    return float(sum(np.sum(weights(g.value) * g.value) for g in gradients(found) if g is not None))


def check(program: str, number: Any, found: Run, slopes: list[Tensor | None]) -> None:
    """Check the slopes of a number of a run along a direction in which each entry of each leaf moves differently."""
    directions = {name: weights(x) for name, x in found.point.items()}
    sides = [
        number(run(program, {name: x + side * STEP * directions[name] for name, x in found.point.items()}))
        for side in (1, -1)
    ]
    parts = [
        0.0 if slope is None else np.sum(directions[name] * slope.value)
        for name, slope in zip(found.leaves, slopes, strict=True)
    ]
    scale = max(1.0, *map(abs, sides))
    np.testing.assert_allclose(sum(parts), (sides[0] - sides[1]) / (2 * STEP), rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.slow
@of_every(SMOOTH, family)
def test_the_gradient(program: str) -> None:
    found = run(program)
    check(program, weighted_output, found, gradients(found))


@pytest.mark.slow
@of_every(SMOOTH, family)
def test_the_gradient_of_the_gradient(program: str) -> None:
    found = run(program)
    first = gradients(found, create_graph=True)
    flows = [g for g in first if g is not None and g.requires_grad]
    leaves = list(found.leaves.values())
    seeds = [Tensor(weights(g.value)) for g in flows]
    second = grad(flows, leaves, seeds, allow_unused=True) if flows else [None] * len(leaves)
    check(program, weighted_gradient, found, second)
