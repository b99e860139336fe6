"""`torch.autograd`: functions with a backward of their own, Jacobians, anomalies, modes; printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

SQUARE = """
import torch

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        print("backward", g, torch.is_grad_enabled())
        x, = ctx.saved_tensors
        return 2 * x * g

x = torch.tensor([1.0, 2.0], requires_grad=True)
"""
AFTER_SQUARE = {
    "names": "y = Square.apply(x)\nprint(y, y.grad_fn.name(), type(y.grad_fn).__name__, y.is_leaf)",
    "edges": "print(Square.apply(x * 2).grad_fn.next_functions[0][0].name())",
    "saved": "print(Square.apply(x).grad_fn.saved_tensors)",
    "gradient": "Square.apply(x).sum().backward()\nprint(x.grad)",
    "chain": "Square.apply(Square.apply(x)).sum().backward()\nprint(x.grad)",
    "again": "y = Square.apply(x).sum()\ny.backward(retain_graph=True)\ny.backward()\nprint(x.grad)\ny.backward()",
    "double": (
        "g, = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)\n"
        "print(g)\nprint(torch.autograd.grad(g.sum(), x))"
    ),
    "outside": "print(Square.apply(torch.ones(2)), Square.apply(x.detach()).requires_grad)",
    "no_grad": "with torch.no_grad():\n    print(Square.apply(x))",
    "changed": "y = Square.apply(x)\nwith torch.no_grad():\n    x += 1\ny.sum().backward()",
    "hook": "y = Square.apply(x)\ny.register_hook(lambda g: g * 10)\ny.sum().backward()\nprint(x.grad)",
    "instance": "Square()(x)",
    "check": "print(torch.autograd.gradcheck(lambda t: t**3, (x.detach().double().requires_grad_(),)))",
}
FUNCTION = """
import torch

class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x{parameters}):
        {forward}

    @staticmethod
    def backward(ctx, *g):
        print("got", g, ctx.needs_input_grad)
        {backward}

x = torch.tensor([1.0, 2.0], requires_grad=True)
k = torch.tensor(3.0, requires_grad=True)
{use}
"""
USES = [
    ("", "return x * 2", "return g[0], g[0]", "Fn.apply(x).sum().backward()"),
    (", k", "return x * k", "return g[0]", "Fn.apply(x, k).sum().backward()"),
    ("", "return x * 2", "return torch.ones(3)", "Fn.apply(x).sum().backward()"),
    ("", "return x * 2", "return 5", "Fn.apply(x).sum().backward()"),
    (", n", "return x * n", "return g[0] * 2, g[0]", "Fn.apply(x, 3).sum().backward()"),
    (
        ", n",
        "ctx.n = n\n        return x * n",
        "return g[0] * ctx.n, None",
        "Fn.apply(x, 3).sum().backward()\nprint(x.grad)",
    ),
    (", k", "return x * k", "return g[0], None", "Fn.apply(x, k).sum().backward()\nprint(x.grad, k.grad)"),
    (", k", "return x * k", "return g[0] * 3, g[0]", "Fn.apply(x, k).sum().backward()\nprint(x.grad, k.grad)"),
    (
        "",
        "return x, x + 1",
        "return g[0] + g[1]",
        "a, b = Fn.apply(x)\nprint(a, b)\n(a * b).sum().backward()\nprint(x.grad)",
    ),
    ("", "return x * 1, x + 1", "return g[0] + g[1]", "a, b = Fn.apply(x)\nb.sum().backward()\nprint(x.grad, a is b)"),
    (
        "",
        "ctx.set_materialize_grads(False)\n        return x * 1, x + 1",
        "return g[1]",
        "a, b = Fn.apply(x)\nb.sum().backward()\nprint(x.grad)",
    ),
    ("", "return x * 1, 'text', 7", "return g[0]", "print(Fn.apply(x))\nFn.apply(x)[0].sum().backward()"),
    (
        "",
        "m = x > 1\n        ctx.mark_non_differentiable(m)\n        return x * 2, m",
        "return g[0]",
        "a, m = Fn.apply(x)\nprint(a, m, m.requires_grad)\na.sum().backward()",
    ),
    (
        "",
        "x.mul_(2)\n        ctx.mark_dirty(x)\n        return x",
        "return g[0] * 2",
        "y = x.clone()\nz = Fn.apply(y)\nprint(z is y, y, y._version)\nz.sum().backward()\nprint(x.grad)",
    ),
    ("", "x.mul_(2)\n        ctx.mark_dirty(x)\n        return x", "return g[0]", "Fn.apply(x)"),
    ("", "ctx.save_for_backward(3)\n        return x", "return g[0]", "Fn.apply(x)"),
    (
        "",
        "y = x.exp()\n        ctx.save_for_backward(y)\n        return y",
        "return g[0] * ctx.saved_tensors[0]",
        "y = Fn.apply(x)\n(g,) = torch.autograd.grad(y.sum(), [x], create_graph=True)"
        "\nprint(*torch.autograd.grad(g.sum(), x))",
    ),
]
FUNCTIONAL = """
import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from torch.func import grad, grad_and_value, jacfwd, jacrev

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
torch.autograd.Variable(x, requires_grad=True)
torch.autograd.grad(g(w), w, create_graph=True)
torch.autograd.grad([g(w), w * 2], [w], grad_outputs=[torch.tensor(1.0), torch.tensor(10.0)])
torch.autograd.grad(x.sum(), w)
torch.autograd.grad(w * 2, x)
torch.autograd.grad(w * 2, torch.ones(1, requires_grad=True))
torch.autograd.grad(w * 2, [w, torch.ones(1, requires_grad=True)], allow_unused=True)
torch.autograd.gradcheck(f, x)
torch.autograd.gradcheck(lambda t: t.detach() * t, x.double().requires_grad_())
"""
MODES = """
import torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    try:
        (x.sqrt() * 0).sum().backward()
    except RuntimeError as error:
        print(error)
    print(torch.is_anomaly_enabled())
print(torch.is_anomaly_enabled(), x.grad)
with torch.autograd.no_grad():
    print((x * 2).requires_grad)
torch.autograd.backward([x.sum(), (x * 2).sum()])
print(x.grad)
torch.autograd.backward((x * 2), torch.ones(2), inputs=[x])
print(x.grad)

@torch.no_grad()
def double(t):
    return t * 2

print(double(x), double.__name__)
with torch.set_grad_enabled(False) as mode:
    print(x.exp())
"""


@pytest.mark.parametrize("answer", ["y", "5", "'a'", "torch.ones(3)", "torch.ones(2)", "torch.ones(2).double()"])
def test_hook_after_accumulation_returns_nothing(answer: str) -> None:
    text = (
        "import torch\ny = torch.ones(2, requires_grad=True)\n"
        f"y.register_post_accumulate_grad_hook(lambda leaf: {answer})\n(y * y).sum().backward()\nprint(y.grad)\n"
    )
    assert ours(text) == torchs(text)


@pytest.mark.parametrize("name", AFTER_SQUARE)
def test_square(name: str) -> None:
    text = SQUARE + AFTER_SQUARE[name]
    assert ours(text) == torchs(text)


@pytest.mark.parametrize("parts", USES)
def test_function(parts: tuple[str, str, str, str]) -> None:
    parameters, forward, backward, use = parts
    text = FUNCTION.format(parameters=parameters, forward=forward, backward=backward, use=use)
    assert ours(text) == torchs(text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_functional(call: str) -> None:
    text = FUNCTIONAL.replace("{}", call)
    assert ours(text) == torchs(text)


def test_modes() -> None:
    assert ours(MODES) == torchs(MODES)
