"""Types from before dtypes, `x.new`, and modules that say what hardware there is: printed as in torch."""

from __future__ import annotations

import pytest

from tests.script.torch.expressions import compare

EXPRESSIONS = r"""
torch.FloatTensor.__name__
torch.FloatTensor(x)
torch.ByteTensor([1, 0, 1])
torch.Tensor(range(3))
torch.Tensor(3.5)
isinstance(x, (torch.LongTensor, torch.FloatTensor))
x.type(torch.DoubleTensor)
x.type(torch.FloatTensor).dtype
x.new(2, 3).shape
x.new()
torch.accelerator.current_accelerator()
torch.accelerator.device_count()
from torch.optim.optimizer import Optimizer; Optimizer
from torch.optim.sgd import SGD; SGD
from torch.optim import SGD; SGD
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
def test_prints_as_torch_does(expression: str) -> None:
    compare(expression)
