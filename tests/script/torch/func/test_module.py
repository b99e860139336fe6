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


UNRECORDED = """
import torch
from torch.func import functional_call, grad, grad_and_value, jacrev, vjp

def cube(t): return t**3
def inner(t):
    with torch.no_grad():
        shift = grad(cube)(t)
    return cube(t) - shift
def value(t):
    with torch.no_grad():
        slope, got = grad_and_value(cube)(t)
    return cube(t) - got

for required in (False, True):
    x = torch.tensor(1.5, requires_grad=required)
    for f in (torch.sin, cube, inner, value):
        for api in (grad(f), grad(grad(f)), grad_and_value(f), jacrev(f), lambda t: vjp(f, t)[0]):
            y = api(x)
            if required:
                print(y, [torch.autograd.grad(p, x) for p in (y if isinstance(y, tuple) else (y,))])
            with torch.no_grad():
                print(api(x))
    out, back = vjp(cube, x)
    with torch.no_grad():
        print(out, back(torch.tensor(1.0)))
        late, later = vjp(cube, x)
    print(late, later(torch.tensor(1.0)))
for argnums in ((0, -2), (True, 0), True, (1, 1)):
    try:
        print(grad(torch.mul, argnums=argnums)(x, torch.tensor(2.0)))
    except RuntimeError as error:
        print(error)
net = torch.nn.Sequential(torch.nn.Linear(1, 1, bias=False))
net[0].weight.data.fill_(2.0)
for name in ("0.foo", "1.weight", "foo", "0.weight"):
    try:
        print(functional_call(net, {name: torch.ones(1, 1)}, torch.ones(1)))
    except Exception as error:
        print(type(error).__name__)
"""


def test_unrecorded() -> None:
    """What is not recorded outside of a transform is a constant there, and recorded inside."""
    assert ours(UNRECORDED) == torchs(UNRECORDED)
