"""What `vmap` does with whole layers, with functions of a snippet's own, and with errors: as torch, or refused."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED_BY_KIND, agree
from tests.script.running import ours

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
"""
HEAD += REFUSED_BY_KIND + "tell = refused\n"
SNIPPETS = {
    "layers": """
x = torch.arange(24.0).reshape(3, 4, 2)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)); print(vmap(net)(x).shape)
loss = lambda p, x: functional_call(net, p, x).sum()
print(vmap(grad(loss), (None, 0))(dict(net.named_parameters()), x)["0.bias"].shape)
""",
    "plain": """
class Scaled(nn.Module):
    def __init__(self): super().__init__(); self.plain = torch.ones(1); self.p = nn.Parameter(torch.ones(1))
    def forward(self, x): return x * self.plain * self.p
m, x = Scaled(), torch.tensor([2.0])
print(functional_call(m, {"plain": torch.tensor([7.0])}, x), m.plain)
print(grad(lambda t: functional_call(m, {"plain": t}, x).sum())(x))
""",
}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_like_torch(snippet: str) -> None:
    agree(HEAD + snippet)


REFUSED_USES = {
    "vmap(lambda x: print(x) or x)(torch.ones(2))": "printing a tensor inside of a function",
    "vmap(torch.rand_like, randomness='different')(torch.ones(2))": "vmap(randomness=...) is not supported here",
    "vmap(torch.nonzero)(torch.ones(2, 2))": "nonzero inside of vmap is not supported here",
}


@pytest.mark.parametrize("call", REFUSED_USES)
def test_uses_that_are_refused(call: str) -> None:
    assert REFUSED_USES[call] in ours(HEAD + call)
