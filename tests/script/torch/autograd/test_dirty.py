"""Functions of the snippet that write over their inputs (`ctx.mark_dirty`), against torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

BEFORE = """
import torch
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.mul_(2).add_(b)
        ctx.mark_dirty(a)
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 2, g * 3
class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(a)
        ctx.mark_dirty(a)
        ctx.save_for_backward(a)
        return a
    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g * a
a = torch.arange(1.0, 7).reshape(2, 3).requires_grad_()
b = torch.ones(3, requires_grad=True)
weights = torch.arange(1.0, 7).reshape(2, 3)
"""
PROGRAMS = {
    "a view": "c = a * 1\nv = c[0]\nr = Scaled.apply(v, b)\nprint(r is v)\n(c * weights).sum().backward()",
    "a result": "c = a * 1\nr = Scaled.apply(c, b)\nprint(r is c)\n(c * weights).sum().backward()",
    "of a tensor without gradient": "c = weights.clone()\nr = Scaled.apply(c[1], b)\n(c.sum() + r.sum()).backward()",
    "twice": "c = a * 1\nScaled.apply(c[0], b)\nScaled.apply(c.t()[1:].t()[1], b[1:])\n(c * weights).sum().backward()",
    "that is saved": "c = a * 1\nv = c[1]\nSquared.apply(v)\n(c * weights).sum().backward()",
    "of a leaf": "c = a\nScaled.apply(a[0], b)",
    "a leaf": "c = a\nScaled.apply(a, b)",
    "no graph": "c = a\nwith torch.no_grad():\n    r = Scaled.apply(a[0], b)\n(r.sum() + a.sum() + b.sum()).backward()",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name: str) -> None:
    text = f"{BEFORE}\n{PROGRAMS[name]}\nprint(c.detach(), a.grad, b.grad)"
    assert ours(text) == torchs(text)
