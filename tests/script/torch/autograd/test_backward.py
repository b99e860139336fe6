"""Backward passes print as in torch: `torch.autograd.grad`, and hooks after accumulation."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

SNIPPET = """
import torch

def g(x): return (x**3).sum()

x = torch.tensor([1.0, 2.0])
w = torch.tensor(3.0, requires_grad=True)
try:
    print({})
except Exception as error:
    print(type(error).__name__)
"""
CALLS = """
torch.autograd.Variable(x, requires_grad=True)
torch.autograd.grad(g(w), w, create_graph=True)
torch.autograd.grad(w * 2, x)
"""


@pytest.mark.parametrize("answer", ["y", "5", "'a'", "torch.ones(3)", "torch.ones(2)", "torch.ones(2).double()"])
def test_hook_after_accumulation_returns_nothing(answer: str) -> None:
    text = (
        "import torch\ny = torch.ones(2, requires_grad=True)\n"
        f"y.register_post_accumulate_grad_hook(lambda leaf: {answer})\n(y * y).sum().backward()\nprint(y.grad)\n"
    )
    assert ours(text) == torchs(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_gradients(call: str) -> None:
    text = SNIPPET.replace("{}", call)
    assert ours(text) == torchs(text)


def test_a_gradient_of_another_shape_than_the_data_by_now_is_refused() -> None:
    text = (
        "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\nx.data = torch.ones(3)\ny.sum().backward()\n"
    )
    assert "a gradient of shape (2,) arrives at a leaf whose data has the shape (3,) by now" in ours(text)
