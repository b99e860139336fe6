"""Tensors made of everything that torch makes them of, and its words for what it refuses."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
torch.tensor([torch.tensor(1.), torch.tensor(2)])
torch.tensor([torch.tensor([1.]), torch.tensor([3.])])
torch.tensor(())
torch.tensor([[1,2],[3,[4]]])
torch.tensor([[1,2],3])
torch.tensor([x])
torch.tensor(x)
torch.tensor(2**70)
torch.tensor(-1, dtype=torch.uint8)
torch.tensor(float("nan"), dtype=torch.int64)
torch.tensor([[1.,2.]], requires_grad=1)
torch.as_tensor([1,2])
torch.as_tensor(x) is x
torch.from_numpy(x)
torch.typename(torch.nn.Parameter)
torch.typename(torch.nn.Linear(1, 1))
torch.zeros(2, 3)
torch.zeros(())
torch.zeros()
torch.zeros(2, dtype=int)
torch.zeros(x)
torch.zeros(torch.tensor(2))
torch.zeros(True)
torch.zeros(2, 3.0)
torch.full((2, 2), 7)
torch.full([2], 7, dtype=torch.float32)
torch.full((2,), torch.tensor(3.))
torch.full_like(i, 7.5)
torch.full_like(x, 2, dtype=torch.int64)
torch.ones_like(x, requires_grad=True)
torch.zeros_like(3)
torch.arange(5)
torch.arange(0, 1, 0.25)
torch.arange(5, requires_grad=True)
torch.arange("a")
torch.arange(torch.tensor(4))
torch.arange(-1.5, 2, 0.1, dtype=torch.float64).tolist()
torch.linspace(-3.14159, 3.14159, 37, dtype=torch.float64).tolist()
torch.linspace(0, 1, 1)
torch.logspace(0, 3, 4, base=2)
torch.eye(2, dtype=torch.int64)
torch.eye(2.5)
torch.manual_seed(0); torch.randn(3, requires_grad=True)
torch.manual_seed(0); torch.randint(3, 5, size=(2,))
torch.manual_seed(0); torch.randint_like(x, 0, 10)
torch.manual_seed(0); torch.randperm(6)
torch.manual_seed(0); torch.normal(torch.zeros(3), 0.1)
torch.manual_seed(0); torch.normal(x)
torch.manual_seed(0); torch.multinomial(torch.tensor([0.2, 0.3, 0.5]), 6, replacement=True)
torch.manual_seed(0); torch.empty(3).normal_(mean=1, std=2)
torch.manual_seed(0); torch.randn([2, 2])
torch.manual_seed(0); torch.randn(size=(2, 2))
torch.seed() > 0
x.new_full((2,), 3)
torch.DoubleTensor([1, 2])
torch.Tensor([[1, 2], [3, 4]])
torch.IntTensor([1.5])
torch.zeros(2, 2, names=("a", "b"))
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_expression(expression: str) -> None:
    compare(expression)
