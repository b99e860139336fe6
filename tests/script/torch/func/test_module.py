"""`torch.func`: functions of derivatives print as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

SNIPPET = """
import torch
from torch.func import grad, grad_and_value, jacfwd, jacrev

def f(x): return x**2
def g(x): return (x**3).sum()

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])
w = torch.tensor(3.0, requires_grad=True)
try:
    print({})
except Exception as error:
    print(type(error).__name__, error)
"""
CALLS = """
grad(g)(x)
grad(grad(torch.sin))(torch.tensor(1.0))
grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, torch.ones(2))
grad(lambda t: w * t * t)(torch.tensor(2.0))
grad(lambda t: (t**2, t), has_aux=True)(torch.tensor(3.0))
grad(f)(x)
grad_and_value(g)(x)
jacrev(f)(x)
jacfwd(f)(x)
torch.func.hessian(g)(x)
torch.func.vjp(f, x)[1](torch.ones(2))
torch.func.jvp(f, (x,), (torch.ones(2),))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_func(call: str) -> None:
    text = SNIPPET.replace("{}", call)
    assert ours(text) == torchs(text)
