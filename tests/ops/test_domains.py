"""Inside its domain an elementwise operation is finite and smooth: its rules are the slopes, at random points."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gradcli.ops
from gradcli.engine.primitive import REGISTRY, Primitive

gradcli.ops.load()
STEP = 1e-6
POINTS = 40


def scalar_inputs(primitive: Primitive) -> int | None:
    """How many real inputs there are, for primitives that take nothing else."""
    if primitive.structured or primitive.variadic or not primitive.rules or None in primitive.rules:
        return None
    parameters = inspect.signature(primitive.rules[0]).parameters.values()  # type: ignore[arg-type]
    inputs = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][2:]  # after g and out
    return len(inputs) if len(inputs) == len(primitive.rules) == len(parameters) - 2 else None


SMOOTH = [name for name, primitive in REGISTRY.items() if scalar_inputs(primitive)]


@pytest.mark.parametrize("name", SMOOTH)
def test_rules_are_the_slopes_inside_the_domain(name: str) -> None:
    primitive = REGISTRY[name]
    random = np.random.default_rng(7)
    low, high = np.clip(primitive.domain, -3, 3)
    margin = (high - low) / 20
    points = random.uniform(low + margin, high - margin, (len(primitive.rules), POINTS))
    kinks = primitive.kinks if isinstance(primitive.kinks, tuple) else ()
    near = np.any([np.abs(points - kink) < 1e-3 for kink in kinks], axis=(0, 1)) if kinks else np.zeros(POINTS, bool)
    out = primitive(*points)
    assert np.isfinite(out).all()
    for position, rule in enumerate(primitive.rules):
        assert rule is not None
        above, below = points.copy(), points.copy()
        above[position] += STEP
        below[position] -= STEP
        slope = (primitive(*above) - primitive(*below)) / (2 * STEP)
        jumps = np.abs(slope) > 1e4  # a step of floor or remainder lies between
        given = np.broadcast_to(rule(np.ones(POINTS), out, *points), POINTS)
        np.testing.assert_allclose(
            np.where(near | jumps, 0, given), np.where(near | jumps, 0, slope), rtol=1e-5, atol=1e-6
        )
