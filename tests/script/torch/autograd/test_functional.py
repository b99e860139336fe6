"""`torch.autograd.functional` and `gradcheck` print as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

FUNCTIONAL = """
import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

def f(x): return x**2
def g(x): return (x**3).sum()
def h(x, y): return x * y.sum()

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0, 5.0])
w = torch.tensor(3.0, requires_grad=True)
try:
    print({})
except Exception as error:
    print(type(error).__name__, error)
"""
CALLS = """
jacobian(f, x)
jacobian(g, x)
jacobian(h, (x, y))
jacobian(lambda t: (t.sum(), t * 2), x)
jacobian(f, x.requires_grad_(), create_graph=True)
jacobian(lambda t: torch.ones(2), x)
jacobian(f, [1.0])
jacobian(f, (x, 1.0))
jacobian(lambda t: 3, x)
hessian(g, x)
hessian(lambda a, b: (a * b[:2]).sum() ** 2, (x, y))
hessian(f, x)
vjp(f, x, torch.ones(2))
vjp(g, x)
vjp(f, x)
vjp(f, x, torch.ones(3))
vjp(f, x, (torch.ones(2), torch.ones(2)))
jvp(f, x, torch.tensor([1.0, 0.0]))
jvp(h, (x, y), (torch.ones(2), torch.ones(3)))
jvp(h, (x, y), (torch.ones(2), torch.ones(2)))
jvp(f, x)
hvp(g, x, torch.ones(2))
vhp(g, x, torch.ones(2))
hvp(f, x, torch.ones(2))
torch.autograd.gradcheck(f, x)
torch.autograd.gradcheck(lambda t: t.detach() * t, x.double().requires_grad_())
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_functional(call: str) -> None:
    text = FUNCTIONAL.replace("{}", call)
    assert ours(text) == torchs(text)


STRICT = """
import torch
import torch.autograd.functional as F

def cut(t): return t.detach().sum()
def other(t): return t.long().float().requires_grad_().clone().sum()
def linear(t): return (3 * t).sum()
def square(t): return (t * t).sum()
def cube(t): return (t**3).sum()
def tupled(t): return t.sum(), 1
def two(t): return t.sum(), t.sum()

x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
for f in (cut, other, linear, square, cube, tupled, two):
    for create_graph in (False, True):
        for strict in (False, True):
            for wanted in (False, True):
                t = x.clone().requires_grad_(wanted)
                options = dict(create_graph=create_graph, strict=strict)
                try:
                    print(F.{}(f, t{}, **options))
                except (RuntimeError, TypeError) as error:
                    print(type(error).__name__, error)
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["jacobian", "vjp", "jvp", "hessian", "vhp", "hvp"])
def test_strict(name: str) -> None:
    """What the function returns is checked in torch's order, and what is independent is refused in torch's words."""
    vector = {"jvp": ", v", "vhp": ", v", "hvp": ", v"}.get(name, "")
    vectorized = f"try: F.{name}(cut, x, strict=True, vectorize=True)\nexcept RuntimeError as e: print(e)\n"
    text = STRICT.replace("{}", name, 1).replace("{}", vector)
    text += vectorized if name in ("jacobian", "hessian") else ""
    found, expected = (run(text).replace("<SumBackward1>", "<SumBackward0>") for run in (ours, torchs))
    assert found == expected
