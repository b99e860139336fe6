"""Types from before dtypes, `x.new`, and modules that say what hardware there is: printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

pytest.importorskip("torch")

EXPRESSIONS = r"""
torch.FloatTensor
torch.FloatTensor([1, 2]).type()
torch.FloatTensor(2, 3).shape
torch.FloatTensor.__name__
torch.FloatTensor(x)
import numpy as np; torch.FloatTensor(np.ones(3))
torch.LongTensor([1.5])
torch.LongTensor([[1, 2], [3, 4]])
torch.ByteTensor([1, 0, 1])
torch.HalfTensor([1])
torch.BoolTensor([True])
torch.Tensor([True, False])
torch.Tensor(range(3))
torch.Tensor(3.5)
torch.Tensor("a")
type(torch.LongTensor([1]))
isinstance(x, torch.FloatTensor)
isinstance(x, torch.LongTensor)
isinstance(x, (torch.LongTensor, torch.FloatTensor))
x.type(torch.DoubleTensor)
x.type(torch.FloatTensor).dtype
x.new([1, 2])
x.new(3).shape
x.new(torch.Size([2, 2])).shape
x.new(2, 3).shape
x.new()
x.new(torch.ones(3))
x.long().new([1.5])
torch.accelerator.is_available()
torch.accelerator.current_accelerator()
torch.accelerator.device_count()
from torch.optim.optimizer import Optimizer; Optimizer
from torch.optim.sgd import SGD; SGD
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare(expression)
