"""Operations as functions and as methods, with every way of giving their arguments."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
torch.sub(x, x, alpha=3)
m.sum(axis=1, keepdims=True)
m.sum((0, 1))
x.sum(dtype=torch.float64)
i.float().mean()
i.mean(dtype=torch.float32)
torch.softmax(i, 0, dtype=torch.float32)
m.reshape(m.shape)
m.permute(1, 0)
m.permute(dims=(1, 0))
m.expand((4, -1, -1)).shape
x.repeat(2)
torch.flip(x, dims=(0,))
m[None].squeeze(0).shape
torch.cat((x, x))
torch.stack((x, x), 1)
x.split([1, 2])
torch.where(x > 1, x, torch.zeros(3))
x.where(x > 1, torch.zeros(3))
torch.maximum(x, torch.tensor(2.0))
torch.max(x, torch.tensor([2.0, 2.0, 2.0]))
x.argmax()
x.argsort(descending=True)
m.std(dim=1, keepdim=True)
m.norm(dim=1)
torch.linalg.inv(2 * torch.eye(2))
x[i - 1]
m[0, 1:]
x.masked_fill(x > 1, 0)
x.dot(x)
torch.trace(torch.ones(2, 2))
(x > 0).all()
x.zero_()
x.pow_(2)
y = x[:2]; y.add_(1); x._version
x.data_ptr() == x.detach().data_ptr()
torch.relu(-x)
torch.baddbmm(torch.zeros(1, 2, 2), m[None], m.t()[None])
torch.nn.functional.softmax(x, dim=0)
torch.e
torch.__version__[:4]
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
