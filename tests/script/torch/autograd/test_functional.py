"""`torch.autograd.functional` and `gradcheck` print as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

FUNCTIONAL = """
import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vjp

def f(x): return x**2
def g(x): return (x**3).sum()
def h(x, y): return x * y.sum()

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])
w = torch.tensor(3.0, requires_grad=True)
try:
    print({})
except Exception as error:
    print(type(error).__name__)
"""
CALLS = """
jacobian(lambda t: (t.sum(), t * 2), x)
jacobian(lambda t: torch.ones(2), x)
jacobian(f, (x, 1.0))
hessian(g, x)
hessian(f, x)
vjp(g, x)
vjp(f, x)
vjp(f, x, (torch.ones(2), torch.ones(2)))
jvp(h, (x, y), (torch.ones(2), torch.ones(2)))
hvp(g, x, torch.ones(2))
hvp(f, x, torch.ones(2))
torch.autograd.gradcheck(f, x)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_functional(call: str) -> None:
    text = FUNCTIONAL.replace("{}", call)
    assert ours(text) == torchs(text)
