"""Operations with their rarer arguments, forward and backward, against torch."""

from __future__ import annotations

import math

import pytest

from tests.script.agreement import agree

BEFORE = """
import torch
def show(*found):
    for x in found:
        print(x.detach(), x.requires_grad)
        if x.requires_grad:
            (x * torch.linspace(1, 2, x.numel()).reshape(x.shape)).sum().backward(retain_graph=True)
"""


@pytest.mark.parametrize("q", ["0.3", "torch.tensor([0.25, 0.6, 1.0])"])
@pytest.mark.parametrize("function", ["quantile"])
def test_quantiles_along_each_dimension(function: str, q: str) -> None:
    for shape, dims in ((3,), (0, None)), ((2, 3), (0, 1, None)), ((2, 3, 4), (0, 1, 2, None)), ((2, 2, 3, 2), (1, 2)):
        for dim in dims:
            text = f"x = (torch.arange(1, 1 + {math.prod(shape)}) * 7 % 29).float().reshape({shape}).requires_grad_()\n"
            text += f"for keepdim in (False, True):\n  show(torch.{function}(x, {q}, dim={dim}, keepdim=keepdim))\n"
            agree(BEFORE + text + "print(x.grad)")
