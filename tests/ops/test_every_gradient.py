"""Every example's gradients against central differences, first and second order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor
from gradcli.explanation.verify import verify
from gradcli.language.parser import parse_program
from gradcli.source import Source
from tests.programs import SMOOTH, family, of_every, run

NOTHING = 1e-15  # a gradient that is 0 but for rounding, which differences cannot tell
STEP = float(np.cbrt(np.finfo(np.float64).eps))


def weights(value: Any) -> Any:
    """Numbers that are all different, so that no mistake cancels."""
    return (1 / (np.arange(np.size(value)) + 1.5)).reshape(np.shape(value))[()]


@pytest.mark.slow
@of_every(SMOOTH, family)
def test_three_ways_to_the_gradient_agree(program: str) -> None:
    found = run(program)
    verification = verify(parse_program(Source(program)), {}, upstream=found.upstream)
    assert [row.name for row in verification.rows] == [name for name in found.leaves if flows_to(found, name)]
    for row in verification.rows:
        assert row.agrees or np.max(np.abs(row.engine)) < NOTHING, row


def flows_to(found: Any, name: str) -> bool:
    if not found.output.requires_grad:
        return False
    return (
        grad([found.output], [found.leaves[name]], [found.upstream], retain_graph=True, allow_unused=True)[0]
        is not None
    )


def weighted_gradient(program: str, point: dict[str, Any]) -> float:
    """All first gradients, weighted to one number."""
    found = run(program, point)
    given = grad([found.output], list(found.leaves.values()), [found.upstream], allow_unused=True)
    return float(sum(np.sum(weights(g.value) * g.value) for g in given if g is not None))


def differences(program: str, point: dict[str, Any], name: str) -> Any:
    """The slopes of the weighted gradient along the entries of one leaf."""
    base = np.array(point[name], dtype=np.float64)
    slopes = np.zeros(base.size)
    for entry in range(base.size):
        values = []
        for side in (1, -1):
            moved = base.copy()
            moved.flat[entry] += side * STEP
            values.append(weighted_gradient(program, {**point, name: moved}))
        slopes[entry] = (values[0] - values[1]) / (2 * STEP)
    return slopes.reshape(base.shape)


@pytest.mark.slow
@of_every(SMOOTH, family)
def test_the_gradient_of_the_gradient(program: str) -> None:
    found = run(program)
    if not found.output.requires_grad:
        return
    leaves = list(found.leaves.values())
    first = grad([found.output], leaves, [found.upstream], create_graph=True, allow_unused=True)
    assert any(g is not None for g in first)
    flows = [g for g in first if g is not None and g.requires_grad]
    seeds = [Tensor(weights(g.value)) for g in flows]
    second = grad(flows, leaves, seeds, allow_unused=True) if flows else [None] * len(leaves)
    for (name, leaf), g in zip(found.leaves.items(), second, strict=True):
        expected = differences(program, found.point, name)
        computed = np.zeros(leaf.shape) if g is None else g.value
        scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
        np.testing.assert_allclose(computed, expected, rtol=1e-6, atol=1e-7 * scale, err_msg=name)
