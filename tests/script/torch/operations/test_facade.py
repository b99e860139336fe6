"""Operations as functions and as methods, with every way of giving their arguments."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
x.add(1)
x.add(x, alpha=2)
torch.add(x, 1)
torch.sub(x, x, alpha=3)
x.mul(2).div(4)
x.sum(axis=0)
m.sum(dim=1, keepdim=True)
m.sum(axis=1, keepdims=True)
m.sum((0, 1))
m.sum([0])
m.mean(-1)
x.sum(dtype=torch.float64)
i.sum(dtype=torch.float32)
i.float().mean()
i.mean(dtype=torch.float32)
x.prod(dtype=torch.float64)
x.cumsum(0, dtype=torch.float64)
torch.softmax(x, dim=0, dtype=torch.float64)
torch.softmax(i, 0, dtype=torch.float32)
m.reshape(3, 2)
m.reshape((3, 2))
m.reshape([3, 2])
m.reshape(m.shape)
m.reshape(shape=(6,))
m.view(-1)
m.view(3, -1)
m.permute(1, 0)
m.permute((1, 0))
m.permute(dims=(1, 0))
m.expand(2, 2, 3).shape
m.expand((4, -1, -1)).shape
m.repeat(2, 1).shape
x.repeat(2)
torch.tile(x, (2,))
m.flip(0)
m.flip([0, 1])
torch.flip(x, dims=(0,))
torch.flip(x, [0])
x.roll(1)
m.squeeze().shape
m[None].squeeze(0).shape
m.unsqueeze(-1).shape
torch.transpose(m, 0, 1).shape
m.transpose(dim0=0, dim1=1).shape
torch.cat((x, x))
torch.cat([x, x], dim=0)
torch.cat(tensors=[x, x])
torch.concat([x, x])
torch.stack((x, x), 1)
torch.hstack([x, x])
torch.vstack([x, x])
x.split(2)
x.split([1, 2])
x.chunk(2)
m.unbind()
torch.where(x > 1, x, 0.0)
torch.where(x > 1, x, torch.zeros(3))
x.where(x > 1, torch.zeros(3))
torch.clamp(x, 1.5, 2.5)
x.clamp(max=2)
x.clip(min=2)
torch.maximum(x, torch.tensor(2.0))
torch.max(x, torch.tensor([2.0, 2.0, 2.0]))
torch.max(m, 1, True)
m.max(1)
m.min(dim=0)
x.argmax()
m.argmax(dim=1)
m.argmax(1, keepdim=True)
torch.sort(x, descending=True)
x.argsort(descending=True)
x.topk(2, largest=False)
x.std(unbiased=False)
m.var(0)
m.std(dim=1, keepdim=True)
x.norm()
x.norm(p=1)
x.norm(1)
m.norm(dim=1)
torch.linalg.norm(x)
torch.linalg.norm(m, dim=0)
torch.linalg.det(torch.eye(2))
torch.linalg.inv(2 * torch.eye(2))
torch.linalg.solve(2 * torch.eye(2), torch.ones(2))
x.gather(0, i - 1)
x.index_select(0, i - 1)
x[i - 1]
x[x > 1]
x[[0, 2]]
m[:, [0, 2]]
m[0, 1:]
m[..., 0]
x[None].shape
x[-1]
x.masked_fill(x > 1, 0)
x.masked_select(x > 1)
torch.outer(x, x)
torch.dot(x, x)
x.dot(x)
torch.einsum("i,i->", x, x)
torch.tril(torch.ones(3, 3))
torch.diag(x)
torch.trace(torch.ones(2, 2))
torch.unique(torch.tensor([1, 2, 1]))
torch.nonzero(x > 1)
torch.isnan(x).any()
(x > 0).all()
x.abs_()
x.add_(1)
x.mul_(2).sub_(1)
x.zero_()
x.fill_(7)
x.copy_(i)
x.clamp_(max=2)
x.pow_(2)
x.neg_()
x.add_(1); x._version
y = x[:2]; y.add_(1); x
y = x[:2]; y.add_(1); x._version
y = x.view(3, 1); y._base is x
x.new_zeros(2).dtype
x.dim() == x.ndim
x.data_ptr() == x.detach().data_ptr()
x[1:].storage_offset()
torch.square(x)
torch.sigmoid(torch.tensor(0.0))
torch.relu(-x)
torch.logical_and(x > 1, x < 3)
torch.lerp(x, x + 1, 0.5)
torch.addmm(torch.zeros(2, 2), m, m.t())
torch.baddbmm(torch.zeros(1, 2, 2), m[None], m.t()[None])
torch.logsumexp(x, 0)
torch.log_softmax(x, -1)
torch.cross_entropy
torch.nn.functional.softmax(x, dim=0)
torch.pi
torch.inf
torch.e
torch.__version__[:4]
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
