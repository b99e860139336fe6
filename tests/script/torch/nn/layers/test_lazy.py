"""Layers that learn from their first input how many inputs they have: printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

pytest.importorskip("torch")

START = "from torch import nn; torch.manual_seed(0); l = nn.LazyLinear(3); w = l.weight; z = torch.ones(2, 4)"
EXPRESSIONS = r"""
l
w
type(w)
w.shape
w.data
w.numel()
w.requires_grad
isinstance(w, nn.Parameter)
isinstance(l, nn.Linear)
list(l.named_parameters())
l.has_uninitialized_params()
(l(z), l, type(l), l.weight is w, w, w.shape, l.in_features)
(l(z), l(torch.ones(2, 5)))
nn.LazyLinear(3, bias=False)(z)
nn.LazyLinear()
nn.LazyConv2d(2, kernel_size=3, padding=1)
nn.LazyConvTranspose2d(2, 3)
c = nn.LazyConv2d(2, 3); (c(torch.ones(1, 3, 4, 4)), c, c.weight.shape)
c = nn.LazyConv1d(2, 3); (c(torch.ones(1, 3, 4)), c)
b = nn.LazyBatchNorm2d(); (b, b.running_mean, b.weight)
b = nn.LazyBatchNorm2d(); (b(torch.ones(2, 3, 2, 2)), b, b.running_mean, b.weight)
n = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1)); (n, n(z), n)
o = torch.optim.SGD(l.parameters(), 0.1); l(z).sum().backward(); o.step(); l.bias
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare(f"{START}; {expression}")
