"""`torch.autograd.Function`: functions of a snippet's own print and differentiate as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

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
    ("", "return x * 2", "return torch.ones(3)", "Fn.apply(x).sum().backward()"),
    ("", "return x * 2", "return 5", "Fn.apply(x).sum().backward()"),
    (
        ", n",
        "ctx.n = n\n        return x * n",
        "return g[0] * ctx.n, None",
        "Fn.apply(x, 3).sum().backward()\nprint(x.grad)",
    ),
    ("", "return x * 1, x + 1", "return g[0] + g[1]", "a, b = Fn.apply(x)\nb.sum().backward()\nprint(x.grad, a is b)"),
    (
        "",
        "x.mul_(2)\n        ctx.mark_dirty(x)\n        return x",
        "return g[0] * 2",
        "y = x.clone()\nz = Fn.apply(y)\nprint(z is y, y, y._version)\nz.sum().backward()\nprint(x.grad)",
    ),
    ("", "ctx.save_for_backward(3)\n        return x", "return g[0]", "Fn.apply(x)"),
]


@pytest.mark.parametrize("parts", USES)
def test_function(parts: tuple[str, str, str, str]) -> None:
    parameters, forward, backward, use = parts
    text = FUNCTION.format(parameters=parameters, forward=forward, backward=backward, use=use)
    assert ours(text) == torchs(text)
