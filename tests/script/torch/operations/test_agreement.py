"""Operations with their rarer arguments, forward and backward, against torch."""

from __future__ import annotations

import math

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

BEFORE = """
import torch
def show(*found):
    for x in found:
        print(x.detach(), x.requires_grad)
        if x.requires_grad:
            (x * torch.linspace(1, 2, x.numel()).reshape(x.shape)).sum().backward(retain_graph=True)
"""


def agree(text: str) -> None:
    """Compare what a program prints; its numbers may differ in the last digits."""
    a, b = ours(BEFORE + text), torchs(BEFORE + text)
    assert alike(a, b), difference(a, b)


@pytest.mark.parametrize("q", ["0.3", "torch.tensor([0.25, 0.6, 1.0])"])
@pytest.mark.parametrize("function", ["quantile"])
def test_quantiles_along_each_dimension(function: str, q: str) -> None:
    for shape, dims in ((3,), (0, None)), ((2, 3), (0, 1, None)), ((2, 3, 4), (0, 1, 2, None)), ((2, 2, 3, 2), (1, 2)):
        for dim in dims:
            text = f"x = (torch.arange(1, 1 + {math.prod(shape)}) * 7 % 29).float().reshape({shape}).requires_grad_()\n"
            text += f"for keepdim in (False, True):\n  show(torch.{function}(x, {q}, dim={dim}, keepdim=keepdim))\n"
            agree(text + "print(x.grad)")


PROGRAMS = {
    "materialized zeros require grad where the graph goes on": """
x, other = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
unused = x.exp()
for create in False, True:
    for found in torch.autograd.grad((x * x).sum(), [x, other, unused], materialize_grads=True, create_graph=create):
        print(found, found.is_leaf)""",
}
