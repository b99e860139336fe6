"""Arguments that fit, and those that do not: values and words as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
torch.exp(2.0)
torch.exp([1])
torch.exp()
torch.exp(x, 3)
torch.exp(x, foo=1)
x.exp(3)
torch.add(2, x)
x.add("a")
x.add([1])
x + "a"
x + [1.]
x + None
torch.sum([1,2])
x.sum(dim=3)
torch.matmul(x, 3)
torch.matmul(3, x)
x @ 3
torch.mm(m, x)
torch.relu(3.0)
torch.softmax(x, "a")
torch.softmax(i, 0)
torch.cat(x)
torch.cat([x, 3])
torch.cat([])
torch.cat([x, m])
torch.cat([m, torch.ones(3,2)])
torch.cat([m, torch.ones(3,2)], dim=5)
torch.stack([])
torch.stack([x, m])
torch.stack(x)
torch.where(x > 0)
torch.where(x > 0, 1.0, 0.0)
torch.where(x, x, x)
torch.reshape(x, (4,))
x.reshape("a")
x.reshape()
x.view(4)
x.t().t()
m.t(3)
torch.zeros("a")
torch.zeros(2.0)
torch.zeros(-1)
torch.ones((2, -3))
torch.zeros([2, "a"])
torch.arange(0, 5, 0)
torch.arange(5, 0)
torch.linspace(0, 1, -1)
torch.tensor()
torch.tensor([1, [2]])
torch.tensor([[1, 2], [3]])
torch.tensor([[1, 2], 3])
torch.tensor("a")
torch.tensor(["a"])
torch.tensor(None)
torch.tensor([None])
torch.tensor({1: 2})
torch.tensor([1, 2], requires_grad=True)
torch.tensor([1.5], dtype="a")
torch.tensor([1.5], dtype=float)
torch.tensor([1.5], foo=3)
torch.full((2,), "a")
torch.full(2, 1.0)
torch.randn("a")
torch.randint(5, 5, (2,))
torch.eye(-1)
torch.manual_seed("a")
x.item()
float(x)
int(x)
bool(x)
bool(torch.tensor([]))
torch.tensor([]).item()
x[5]
x[-4]
x[0, 0]
m[2]
m[0, 5]
m[:, 7]
x[1.5]
x[[0, 5]]
x[torch.tensor([0.5])]
x[torch.tensor([True, False])]
torch.tensor(3.)[0]
len(torch.tensor(3.))
list(torch.tensor(3.))
range(x)
i.mean()
i.std()
i.float().mean()
i / 2
i // 2
i ** -1
i + 1.5
x.max(dim=1)
x.max(0)
x.argmax(5)
x.squeeze(4)
x.unsqueeze(4)
x.transpose(0, 2)
x.permute(0, 1)
m.permute(0, 0)
m.expand(3, 3)
m.expand(2)
m.view(-1, -1)
m.reshape(-1, 4)
m.repeat(2)
m.split(0)
m.split([1, 2])
m.chunk(0)
m.unbind(3)
m.flatten(1, 0)
torch.dot(m, x)
torch.dot(x, torch.ones(2))
torch.mv(m, torch.ones(2))
torch.bmm(m, m)
m @ m
m @ torch.ones(2)
torch.ones(2) @ m
torch.ones(2,2,3) @ torch.ones(3,2,2)
m + torch.ones(2)
m * torch.ones(3, 3)
m == torch.ones(4)
m.clamp()
x ** "a"
x.gather(0, torch.tensor([5]))
x.gather(0, x)
m.diag(5)
torch.einsum("ij,jk", m, m)
torch.outer(m, x)
x.backward()
x.requires_grad_().sum().backward(torch.ones(2))
x.grad_fn.name()
x.cuda()
x.to("cuda")
x.to("foo")
torch.zeros(2, device="cuda")
torch.device("foo")
torch.device("cpu:0")
torch.from_numpy([1])
x.topk(5)
torch.nn.functional.relu(3)
x.sort(3)
x.cumsum()
x.cumsum(2)
x.prod(2)
x.flip(3)
x.roll(1, 4)
x.type("a")
torch.bernoulli(x)
torch.multinomial(x, 5)
x.masked_fill(x, 1)
torch.logical_and(x, 1)
x & x
~x
~i
abs(x)
divmod(x, 2)
x // 2
x % 2
2 % x
2 // x
2 ** x
x.T
m.T
torch.ones(2,3,4).T
x in [x]
2.0 in x
"a" in x
x.size(3)
x.size("a")
x.stride()
x.numel(2)
torch.numel(3)
torch.is_tensor(3)
x.dim()
x is x
x.requires_grad_("a")
x.detach(1)
x.tolist(1)
x.zero_()
m.add_(torch.ones(3, 3))
i.add_(1.5)
i.mul_(x)
i.div_(2)
x.fill_(torch.ones(2))
x.copy_(torch.ones(2))
x.copy_(3)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
