"""What torch refuses of a Function inside of `torch.func`, and in which order other refusals come."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

KINDS = """
import torch
from torch.func import grad, vmap
class Old(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
class Plain(torch.autograd.Function):
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): return g * 2
def tell(act):
    try: print(act())
    except (RuntimeError, IndexError) as error: print(type(error).__name__)
x = torch.ones(2, requires_grad=True)
"""
ACTS = {
    "indices": "tell(lambda: x[torch.tensor([0, 2]), torch.tensor([0, 1, 2])])\n"
    "y = torch.ones(2, 3)\ntell(lambda: y[torch.tensor([0, 2]), torch.tensor([0, 1, 2])])\n"
    "tell(lambda: y[torch.tensor([0, 2]), torch.tensor([0, 3])])",
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_like_torch(act: str) -> None:
    assert ours(KINDS + act) == torchs(KINDS + act)


@pytest.mark.parametrize("call", ["vmap(Plain.apply)", "grad(lambda x: Plain.apply(x).sum())"])
def test_a_function_of_ones_own_is_refused_by_name(call: str) -> None:
    words = "a Function of your own inside of a function that torch.func transforms is not supported here"
    assert words in ours(f"{KINDS}{call}(x.detach())")
