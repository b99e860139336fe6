"""Gradients are added up in place, and given to leaves without a copy, only in memory that nobody else can see."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import gradcli.ops
from gradcli.engine.backward import Accumulation, drain, trace, walk
from gradcli.engine.graph import nodes_below
from gradcli.engine.tensor import Tensor, tensor
from gradcli.ops.support.surface import OPERATIONS
from tests.engine.random_programs import programs
from tests.programs import SMOOTH, Run, family, of_every, run
from tests.script.running import ours

gradcli.ops.load()
MANY = 10


def leaf(data: Any = 0.5) -> Tensor:
    return tensor(np.array(data) if isinstance(data, np.ndarray) else np.full(MANY, data), requires_grad=True)


def arrays(values: Any) -> list[Any]:
    return [value for value in values if isinstance(value, np.ndarray) and value.size]


def held_elsewhere(found: Run) -> list[Any]:
    """The arrays of the leaves and of all nodes."""
    assert found.output.node is not None
    order = nodes_below([found.output.node])
    inputs = [x.value for node in order for x in node.inputs or () if isinstance(x, Tensor)]
    options = [value for node in order for value in node.options.values()]
    return arrays([*(x.value for x in found.leaves.values()), *inputs, *options, *(node.out for node in order)])


def assert_its_own(program: str) -> None:
    """What `.grad` holds is shared with nothing but the upstream gradient: nonsense there changes no second pass."""
    found = run(program)
    if not found.output.requires_grad:
        return
    upstream = found.upstream
    found.output.backward(None if upstream is None else np.array(upstream), retain_graph=True)
    gradients = [x.grad.value for x in found.leaves.values() if x.grad is not None]
    for gradient in arrays(gradients):
        assert gradient.flags.writeable
        assert gradient.flags.c_contiguous
        assert not any(np.shares_memory(gradient, other) for other in held_elsewhere(found))
    assert not any(np.shares_memory(a, b) for a, b in combinations(arrays(gradients), 2))
    kept = [np.array(gradient) for gradient in gradients]
    for gradient, x in zip(gradients, (x for x in found.leaves.values() if x.grad is not None), strict=True):
        if isinstance(gradient, np.ndarray):
            gradient[...] = np.nan
        x.grad = None
    found.output.backward(upstream, retain_graph=True)
    again = [x.grad.value for x in found.leaves.values() if x.grad is not None]
    for first, second in zip(kept, again, strict=True):
        np.testing.assert_array_equal(first, second)


def assert_same_as_copied(program: str) -> None:
    """To the last bit as a pass that is told, which copies."""
    told, untold = run(program), run(program)
    if not told.output.requires_grad:
        return
    drain(walk([told.output], [told.upstream], retain_graph=True), create_graph=False)
    untold.output.backward(untold.upstream)
    for name, x in told.leaves.items():
        gradient = untold.leaves[name].grad
        assert (x.grad is None) == (gradient is None)
        if x.grad is not None and gradient is not None:
            assert np.asarray(x.grad.value).tobytes() == np.asarray(gradient.value).tobytes(), name
            assert gradient.value.flags.c_contiguous


@pytest.mark.slow
@of_every(SMOOTH, family, 4)
def test_every_example(program: str) -> None:
    assert_its_own(program)
    assert_same_as_copied(program)


@pytest.mark.slow
@settings(max_examples=15, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs(program: str) -> None:
    assert_its_own(program)
    assert_same_as_copied(program)


@pytest.mark.parametrize("uses", [1, 2, 3, 5])
def test_the_upstream_gradient_of_a_user_stays(uses: int) -> None:
    x, upstream = leaf(), np.ones(MANY)
    y = x
    for _ in range(uses):
        y = y + x
    y.backward(Tensor(upstream))
    x.grad.value[...] = 7  # type: ignore[union-attr]
    assert (upstream == 1).all()


def test_events_that_were_kept_stay() -> None:
    x = leaf()
    z = (x * 2 + x * 3) * x
    events = [event for event in trace([z], [np.ones(MANY)]) if not isinstance(event, Accumulation)]
    before = [np.array(event.total) for event in events]
    z.backward(np.ones(MANY))
    z2 = x * x
    z2.backward(np.ones(MANY))
    x.grad.value[...] = np.nan  # type: ignore[union-attr]
    for event, total in zip(events, before, strict=True):
        np.testing.assert_array_equal(event.total, total)


SNIPPET = """
import torch
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        kept.append(ctx.saved_tensors[0] * 3)
        return kept[-1]
kept = []
x = torch.full((3,), 2.0, requires_grad=True)
y = Keep.apply(x) + Keep.apply(x)
y.backward(torch.ones(3))
x.grad.zero_()
print(kept[0], kept[1])
"""


def test_what_a_function_of_a_snippet_kept_stays() -> None:
    assert ours(SNIPPET) == "tensor([6., 6., 6.]) tensor([6., 6., 6.])\n"
    alone = SNIPPET.replace(" + Keep.apply(x)", "").replace("kept[0], kept[1]", "kept[0]")
    assert ours(alone) == "tensor([6., 6., 6.])\n"


HOOKED = """
import torch
kept = []
def keep(g):
    kept.append(g)
x = torch.full((3,), 2.0, requires_grad=True)
y = {made}
{hook}
(y * 3).backward(torch.ones(3))
gradients = [k.grad if k.requires_grad else k for k in kept]
before = [g.clone() for g in gradients]
x.grad.zero_()
print(all(torch.equal(a, b) for a, b in zip(before, gradients)), len(kept))
"""


@pytest.mark.parametrize(
    "hook",
    [
        "x.register_hook(keep)",
        "y.register_hook(keep)",
        "y.grad_fn.register_hook(lambda inputs, outputs: keep(inputs[0]))",
        "y.grad_fn.register_prehook(lambda outputs: keep(outputs[0]))",
        "y.retain_grad(); kept.append(y)",
    ],
)
@pytest.mark.parametrize("made", ["x * 2", "x + 0", "x.reshape(3)", "(x * 2).exp().view(3)"])
def test_what_a_hook_of_a_snippet_kept_stays(hook: str, made: str) -> None:
    assert ours(HOOKED.format(made=made, hook=hook)) == "True 1\n"


def test_a_gradient_that_cannot_be_written_to_is_copied() -> None:
    x = leaf(np.array([2.0]))
    for total in (1, 2):
        OPERATIONS["sum"].function(x).backward()
        assert x.grad is not None
        assert x.grad.value.tolist() == [total]
