"""`torch.utils.checkpoint` in its one form here, against torch; the others are refused by name."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree
from tests.script.running import ours

HEAD = """
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
x = torch.ones(6, requires_grad=True)
"""
PROGRAMS = {
    "random numbers are drawn again": """
y = checkpoint(lambda x: nn.functional.dropout(x, 0.5) * 2, x, use_reentrant=False)
print(y, torch.rand(1))
y.sum().backward()
print(x.grad, torch.rand(1))""",
    "checkpoints within checkpoints": """
runs = []
def inner(x): runs.append("inner"); return x.exp().sin()
def outer(x): runs.append("outer"); return checkpoint(inner, x * 2, use_reentrant=False).cos()
y = checkpoint(outer, x, use_reentrant=False)
g, = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g, torch.autograd.grad(g.sum(), x), runs)""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_checkpoints_as_in_torch(name: str) -> None:
    agree(HEAD + PROGRAMS[name])


def test_a_second_run_that_saves_fewer_tensors_is_an_error() -> None:
    text = """
runs = []
def f(x):
    runs.append(x)
    return x.exp().sin() if len(runs) < 2 else x.exp()
checkpoint(f, x, use_reentrant=False).sum().backward()
"""
    assert "2 tensors were saved during the original forward, and 1 during recomputation" in ours(HEAD + text)


@pytest.mark.parametrize("option", ["use_reentrant=True", "early_stop=True", "context_fn=print"])
def test_other_forms_are_refused_by_name(option: str) -> None:
    assert "not supported here" in ours(f"{HEAD}checkpoint(torch.sin, x, {option})")
