"""`torch.autograd.Function`: functions of a snippet's own print and differentiate as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

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


@pytest.mark.parametrize("name", AFTER_SQUARE)
def test_square(name: str) -> None:
    text = SQUARE + AFTER_SQUARE[name]
    assert ours(text) == torchs(text)


@pytest.mark.parametrize("parts", USES)
def test_function(parts: tuple[str, str, str, str]) -> None:
    parameters, forward, backward, use = parts
    text = FUNCTION.format(parameters=parameters, forward=forward, backward=backward, use=use)
    assert ours(text) == torchs(text)
