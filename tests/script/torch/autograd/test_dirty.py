"""Functions of the snippet that write over their inputs (`ctx.mark_dirty`): not over a view."""

from __future__ import annotations

from tests.script.running import ours

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
a = torch.arange(1.0, 7).reshape(2, 3).requires_grad_()
b = torch.ones(3, requires_grad=True)
"""


def test_a_view_is_refused() -> None:
    assert "a function that changes a view is not supported here" in ours(f"{BEFORE}\nScaled.apply((a * 1)[0], b)")
