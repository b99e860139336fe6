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
torch.zeros(-1)
torch.ones((2, -3))
torch.arange(0, 5, 0)
torch.arange(5, 0)
torch.linspace(0, 1, -1)
torch.tensor([[1, 2], [3]])
torch.tensor(["a"])
torch.tensor(None)
torch.tensor([None])
torch.tensor({1: 2})
torch.tensor([1, 2], requires_grad=True)
torch.tensor([1.5], dtype=float)
torch.randint(5, 5, (2,))
torch.eye(-1)
torch.manual_seed("a")
x.item()
float(x)
int(x)
bool(x)
bool(torch.tensor([]))
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
i.float().mean()
i / 2
i // 2
i + 1.5
x.max(dim=1)
x.max(0)
x.argmax(5)
x.squeeze(4)
x.unsqueeze(4)
x.transpose(0, 2)
m.unbind(3)
torch.ones(2) @ m
m.diag(5)
x.grad_fn.name()
x.cuda()
x.to("cuda")
torch.zeros(2, device="cuda")
torch.device("cpu:0")
x.sort(3)
x.cumsum(2)
x.prod(2)
x.type("a")
x & x
~i
abs(x)
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
x.stride()
torch.is_tensor(3)
x.dim()
x is x
x.zero_()
x.copy_(3)
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
