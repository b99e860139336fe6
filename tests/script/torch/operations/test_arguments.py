"""Arguments that fit, and those that do not: values and words as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
torch.exp(x, 3)
x.add("a")
x + None
torch.matmul(3, x)
torch.mm(m, x)
torch.softmax(x, "a")
torch.cat(x)
torch.cat([])
torch.cat([m, torch.ones(3,2)])
torch.cat([m, torch.ones(3,2)], dim=5)
torch.stack([])
torch.stack(x)
torch.where(x > 0)
torch.where(x > 0, 1.0, 0.0)
torch.where(x, x, x)
torch.reshape(x, (4,))
x.reshape()
torch.zeros(-1)
torch.arange(5, 0)
torch.linspace(0, 1, -1)
torch.tensor(["a"])
torch.tensor(None)
torch.tensor([1.5], dtype=float)
torch.randint(5, 5, (2,))
float(x)
x[5]
m[0, 5]
x[torch.tensor([0.5])]
i / 2
x.max(dim=1)
x.argmax(5)
x.squeeze(4)
torch.ones(2) @ m
x.to("cuda")
x.sort(3)
x.prod(2)
x.type("a")
x // 2
2 ** x
x in [x]
x.dim()
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
