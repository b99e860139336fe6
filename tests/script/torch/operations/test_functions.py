"""Functions of torch and torch.special, and what they print."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree, attempted

BEFORE = """
import math
import numpy as np
import torch
import torch.nn.functional as F
torch.manual_seed(0)
"""
EXPRESSIONS = r"""
torch.special.exp2(torch.tensor([1,.5]))
torch.special.foo
torch.outer(torch.ones(2,2),torch.ones(2))
torch.relu(torch.tensor([-1,1]))
x=torch.ones(5); x.chunk(0)
torch.div(torch.tensor([7,-7]),2,rounding_mode='x')
torch.all(torch.tensor([True,False]))
x=torch.ones(2,3); x.transpose(0)
x=torch.arange(4.); y=x.view(2,2); z=x[1:3]; x[1]=100; print(y,z); print(y._base is x, z._base is x, x._base)
x=torch.ones(2,3); x.expand_as(torch.ones(4,2,3)).shape
x=torch.arange(6).view(2,3); x.unflatten(1,(2,2))
torch.ones(2,3).size()
torch.ones(2,3).shape[2]
torch.repeat_interleave(torch.tensor([1,2]),torch.tensor([1,2]))
torch.full([2],float('nan'))
torch.ones(2).to('cpu')
torch.einsum('ij,jk->ik',torch.ones(2,3),torch.ones(2,2))
torch.ones(2).int().tolist()
torch.sigmoid(torch.tensor([0]))
torch.zeros(3,5).scatter_(0,torch.tensor([[0,1,2,0]]),torch.ones(1,4))
torch.ones(2,3).dim()
repr(torch.tensor(2.5,requires_grad=True))
torch.arange(5.).clamp_(min=1.5)
torch.log(torch.tensor([0.,-1.]))
torch.rand(3,dtype=torch.int64)
torch.bernoulli(torch.tensor([1]))
torch.reshape(torch.ones(4),2,2)
torch.permute(torch.ones(2,3),1,0)
torch.broadcast_shapes((2,),(3,))
g=torch.Generator().manual_seed(3); print(torch.rand(2,generator=g), g.device, g.initial_seed())
torch.zeros(3).index_add_(0,torch.tensor([0,0]),torch.ones(2),alpha=2)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
@pytest.mark.filterwarnings("ignore")
def test_functions_as_in_torch(expression: str) -> None:
    agree(attempted(BEFORE, expression))
