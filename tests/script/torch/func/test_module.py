"""`torch.func`: functions of derivatives print as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

SNIPPET = """
from collections import namedtuple
import torch
from torch.func import grad, grad_and_value, jacfwd, jacrev

def f(x): return x**2
def g(x): return (x**3).sum()

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])
w = torch.tensor(3.0, requires_grad=True)
m, tied = torch.nn.Linear(2, 1), torch.nn.Module()
tied.a = tied.b = torch.nn.Parameter(x)
try:
    print({})
except Exception as error:
    print(type(error).__name__)
"""
CALLS = """
grad(lambda t: w * t * t)(torch.tensor(2.0))
jacrev(f)(x)
torch.func.jvp(f, (x,), (torch.ones(2),))
torch.func.jvp(f, (x,), [x])
torch.func.jvp(f, (x,), (1,))
torch.func.jvp(f, (x,), (x,), has_aux=True)
torch.func.jvp(f, (torch.arange(3),), (y,))
torch.func.vjp(lambda t: {'out': t}, x)[1]([x])
torch.func.vjp(f, x, has_aux=True)
jacrev(lambda t: (t, 5), has_aux=True)(x)
jacfwd(f, has_aux=True)(x)
jacfwd(f)(5)
torch.vmap(f, in_dims=0.5)(x)
torch.vmap(f, in_dims=('a',))(x)
torch.vmap(f, in_dims=(None,))(x)
torch.vmap(f, out_dims=None)(x)
torch.vmap(f, out_dims=(0, 0))(x)
torch.vmap(f, out_dims=(0,))(x)
torch.vmap(lambda t: 5)(x)
torch.vmap(lambda t: {'a': t}, out_dims={'a': 0})(x)
torch.vmap(lambda t: t[t > 1])(torch.ones(2, 2))
torch.vmap(lambda t: t.item())(x)
torch.vmap(lambda t: 1 if t > 0 else 2)(x)
torch.vmap(lambda t: t + torch.rand(1))(x)
torch.vmap(lambda t: print(t.shape) or t * 2)(x)
torch.func.functional_call(m, {'weight': 5}, (x,))
torch.func.functional_call(m, 5, (x,))
torch.func.functional_call(m, ({'weight': x}, {'weight': x}), (x,))
torch.func.functional_call(m, {'foo': x}, (x,)).shape
torch.func.stack_module_state([m, torch.nn.ReLU()])
torch.func.stack_module_state([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1).eval()])
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_func(call: str) -> None:
    text = SNIPPET.replace("{}", call)
    assert ours(text) == torchs(text)
