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
torch.special.expit(torch.tensor([1,.5]))
torch.special.softmax(torch.ones(2),0)
torch.special.log_softmax(torch.ones(2),dim=0)
torch.special.exp2(torch.tensor([1,.5]))
torch.special.round(torch.tensor([1,.5]))
torch.special.xlogy(2,torch.tensor([1,.5]))
torch.special.erf(torch.tensor([1,.5]))
torch.special.foo
torch.ndtr
torch.outer(torch.ones(2,2),torch.ones(2))
torch.eye(-1)
torch.outer(torch.arange(2),torch.arange(3))
torch.relu(torch.tensor([-1,1]))
torch.meshgrid(torch.arange(2),torch.arange(3),indexing='ij')
x=torch.ones(5); x.chunk(0)
torch.zeros_like(torch.ones(2,dtype=torch.int64))
torch.div(torch.tensor([7,-7]),2,rounding_mode='x')
len(torch.ones(3,2))
torch.all(torch.tensor([True,False]))
torch.baddbmm(torch.zeros(1,2,2),torch.ones(1,2,3),torch.ones(1,3,2))
torch.arange(2).repeat(2,2)
torch.logsumexp(torch.ones(2))
x=torch.ones(2,3); x.transpose(0)
torch.zeros('a')
torch.tensor([3.,1.,2.]).sort()[0]
x=torch.arange(4.); y=x.view(2,2); z=x[1:3]; x[1]=100; print(y,z); print(y._base is x, z._base is x, x._base)
x=torch.ones(2,3); x.expand_as(torch.ones(4,2,3)).shape
x=torch.arange(6).view(2,3); x.unflatten(1,(2,2))
torch.ones(2,3).size()
[x for x in torch.arange(4).view(2,2)]
torch.ones(2,3).shape[2]
torch.pow(torch.tensor([1.,2.]),0.5)
torch.repeat_interleave(torch.tensor([1,2]),torch.tensor([1,2]))
torch.zeros(size=(2,2))
torch.full([2],float('nan'))
torch.ones(2,3).norm(2,1,True)
torch.ones(2,3).shape[0]*2
torch.ones(2,3).size(2)
torch.ones(2).to('cpu')
torch.ones(2,3).norm(dim=0,keepdim=True)
f'{torch.tensor(5):d}'
torch.einsum('ij,jk->ik',torch.ones(2,3),torch.ones(2,2))
torch.ones(2).to('float32')
torch.ones(2).int().tolist()
torch.floor(torch.tensor([1,2]))
torch.diff(torch.tensor([1,3,2]))
torch.isclose(torch.ones(2),torch.tensor([1.,1.1]))
torch.sigmoid(torch.tensor([0]))
torch.Tensor()
torch.zeros(3,5).scatter_(0,torch.tensor([[0,1,2,0]]),torch.ones(1,4))
hash(torch.tensor(1)) is not None
torch.round(torch.tensor([1.2345]),decimals=2)
torch.ones(2,3).dim()
torch.index_select(torch.arange(6).view(2,3),dim=0,index=torch.tensor([1]))
torch.cumsum(torch.arange(4),0)
torch.Tensor(2,3).shape
repr(torch.tensor(2.5,requires_grad=True))
x=torch.ones(4); x.unsqueeze()
torch.tensor([5,3]).floor_divide(2)
'%d' % torch.tensor(3)
torch.arange(5.).clamp_(min=1.5)
torch.ones(2,requires_grad=True,dtype=torch.int64)
torch.std(torch.ones(1))
torch.norm(torch.tensor([[3.,4.]]),p=1)
torch.log(torch.tensor([0.,-1.]))
torch.cumprod(torch.arange(1,5),0)
torch.ones(2,3).size(-1)
torch.empty(4).random_()
torch.rand(3,dtype=torch.int64)
torch.bernoulli(torch.tensor([1]))
torch.reshape(torch.ones(4),2,2)
torch.permute(torch.ones(2,3),1,0)
torch.flip(torch.ones(2),0)
torch.autograd.grad(torch.atan2(y := torch.zeros((), requires_grad=True), x := y.clone()), (y, x))
type(torch.ones(1, requires_grad=True).register_hook(print))
torch.broadcast_shapes((2,),(3,))
g=torch.Generator().manual_seed(3); print(torch.rand(2,generator=g), g.device, g.initial_seed())
torch.zeros(3).index_add_(0,torch.tensor([0,0]),torch.ones(2),alpha=2)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
@pytest.mark.filterwarnings("ignore")
def test_functions_as_in_torch(expression: str) -> None:
    agree(attempted(BEFORE, expression))
