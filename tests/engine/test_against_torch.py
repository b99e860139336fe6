"""Random programs on the engine and on torch: values, gradients of both orders, graphs. Skipped without torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gradcli.engine.backward import grad
from gradcli.engine.tensor import Tensor
from tests.engine.random_programs import programs
from tests.programs import SMOOTH, family, of_every, run

ONCE = ("cdist(", "hardsigmoid(")  # torch has no second derivative of these

torch = pytest.importorskip("torch")

always_the_same = settings(
    max_examples=100, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


def close(found: Any, expected: Any, what: str) -> None:
    expected = expected.detach().numpy(force=True)
    assert found.shape == expected.shape, what
    scale = float(np.max(np.abs(expected), initial=1e-3))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11 * scale, err_msg=what)


@pytest.mark.slow
@always_the_same
@given(programs())
def test_values_gradients_and_graphs(program: str) -> None:
    from tests.torch_language import run as run_torch

    ours, theirs = run(program), run_torch(program)
    close(ours.output.value, theirs.output, "value")
    assert ours.graph == theirs.graph
    ours.output.backward(ours.upstream)
    for name, expected in theirs.gradients().items():
        found = ours.leaves[name].grad
        assert (found is None) == (expected is None), name
        if found is not None:
            close(found.value, expected, name)


def weights(count: int) -> Any:
    return 1 / (np.arange(count) + 1.5)


def ours_twice(program: str) -> list[Any]:
    found = run(program)
    leaves = list(found.leaves.values())
    first = grad([found.output], leaves, [found.upstream], create_graph=True, allow_unused=True)
    flows = [g for g in first if g is not None and g.requires_grad]
    seeds = [Tensor(weights(g.value.size).reshape(g.shape)[()]) for g in flows]
    second = grad(flows, leaves, seeds, allow_unused=True) if flows else [None] * len(leaves)
    return [np.zeros(x.shape) if g is None else g.value for x, g in zip(leaves, second, strict=True)]


def theirs_twice(program: str) -> list[Any]:
    from tests.torch_language import run as run_torch

    found = run_torch(program)
    leaves = list(found.leaves.values())
    upstream = torch.arange(1, found.output.numel() + 1, dtype=torch.float64).reshape(found.output.shape)
    first = torch.autograd.grad([found.output], leaves, [upstream], create_graph=True, allow_unused=True)
    flows = [g for g in first if g is not None and g.requires_grad]
    seeds = [torch.from_numpy(weights(g.numel())).reshape(g.shape) for g in flows]
    second = torch.autograd.grad(flows, leaves, seeds, allow_unused=True) if flows else [None] * len(leaves)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, second, strict=True)]


@pytest.mark.slow
@settings(always_the_same, max_examples=40)
@given(programs())
def test_second_derivatives(program: str) -> None:
    for found, expected in zip(ours_twice(program), theirs_twice(program), strict=True):
        close(found, expected, program)


@pytest.mark.slow
@of_every([program for program in SMOOTH if not any(name in program for name in ONCE)], family, 3)
def test_second_derivatives_of_examples(program: str) -> None:
    if not run(program).output.requires_grad:
        return
    for found, expected in zip(ours_twice(program), theirs_twice(program), strict=True):
        close(found, expected, program)
