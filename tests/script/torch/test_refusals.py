"""Calls that torch refuses, in its words: arguments, dtypes, shapes."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree
from tests.script.running import ours, torchs

BEFORE = """
import math
import numpy as np
import torch
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.ones(2, 2)
"""
EXPRESSIONS = r"""
torch.sum()
torch.sum(x,dims=0)
torch.sum(x,dim='a')
torch.max(x,(0,1))
x.max((0,1))
torch.add(x)
torch.where([True],1,2)
x.view()
x.view('a')
torch.rand()
x.mean(axis='x')
torch.sum([1,2])
torch.clamp(x,'a')
torch.max(x,0,1)
torch.mean(x,'a')
x.std('a')
x.squeeze('a')
x.all('a')
x.transpose('a','b')
x.sum(dim=0,keepdim='a')
x.scatter_(0)
torch.gather(x,0)
x.masked_fill(1,2)
torch.div(x)
torch.eq(x)
torch.quantile(x)
torch.std(x,0,0)
torch.median(x,'a')
torch.arange()
torch.arange('a')
torch.arange(1,2,3,4)
torch.round(x,2)
torch.sort(x,'a')
torch.prod(x,(0,1))
torch.any(x,'a')
torch.argsort(x,'a')
torch.linspace(0,1)
torch.linspace(0,1,2.5)
torch.randn('a')
torch.randn(2.5)
torch.randn(2,3.5)
torch.randint(3)
torch.randint(0,10)
torch.randint(0,10,5)
torch.randint(0,10,size=5)
torch.eye()
torch.rand(3,foo=1)
torch.cat(x,1)
torch.cat([x,x],'a')
torch.stack(x,x)
torch.matmul(x)
torch.mm(x,2)
torch.reshape(x)
x.reshape('a')
x.permute('a')
x.unsqueeze('a')
x.expand('a')
x.repeat(2.5)
torch.topk(x)
torch.argmax(x,'a')
torch.softmax(x,'a')
torch.cumsum(x,'a')
torch.var(x,'a')
torch.logical_and(x)
torch.isclose(x,1)
torch.equal(x,[1])
torch.maximum(x,1)
torch.full((2,2))
torch.full(2,2)
torch.multinomial(x)
torch.abs()
torch.abs(x,x)
torch.exp('a')
torch.full_like(x)
torch.zeros_like()
torch.where(x>0,'a',1)
torch.norm(x,'a')
x.norm('a')
x.to('a')
x.add('a')
x.mul([1])
x.sub(None)
x.div()
x.size('a')
x.item(1)
x.copy_(1)
x.clamp_('a')
x.masked_fill_(1,2)
x.index_select(0,[0])
x.gather(0,[0])
x.scatter_(0,[0],1)
x.index_add_(0,[0],x)
x.flatten(0,'a')
x.t(1)
x.view(-1,'a')
x.sum(None)
x.chunk('a')
x.tolist(1)
x.backward(1)
x.requires_grad_(1)
x.detach(1)
torch.stack(torch.ones(2,2))
torch.ones(2).masked_fill(torch.ones(2),1)
sorted([torch.tensor(3),torch.tensor(1)])
F.relu(torch.tensor([-1,2]))
torch.ones(2).long().round()
torch.add(torch.ones(2),'a')
torch.tensor([1,[2]])
torch.cat([torch.ones(2),1])
torch.softmax(torch.ones(2),dim='a')
torch.ones(2).long().floor()
torch.mv(torch.ones(2),torch.ones(2))
torch.tril(torch.ones(2))
torch.ones(2).bool()/2
torch.topk(torch.ones(2),-1)
torch.ones(2).long().reciprocal()
torch.ones(2,dtype=torch.foo)
torch.exp(2)
torch.inverse(torch.ones(2,3))
torch.sum(torch.ones(2),dim='a')
torch.sort(torch.ones(2),1)
torch.einsum('i1',torch.ones(2,2))
torch.allclose(torch.ones(2),1)
torch.ones(2)+np.ones(2)
torch.sum()
torch.ones(2).long().sqrt()
torch.mm(torch.ones(2),torch.ones(2))
torch.tensor([torch.ones(1),2.])
torch.ones(2).long().exp_()
torch.tensor([1,2],foo=1)
torch.isnan(1.)
torch.exp()
torch.where(torch.tensor([1.,0.]),1,2)
torch.ones(2) in [1,2]
torch.sum(torch.ones(2),5)
torch.sum(torch.ones(2),dims=0)
range(torch.tensor(3.))
torch.chunk(torch.ones(5),0)
torch.sum([1,2])
range(torch.tensor(3))
torch.ones(2).long().std()
torch.ones(2,device='cuda')
torch.einsum('ij,jk',torch.ones(2,2))
torch.ones(2).long().div_(2)
torch.ones(2).long().erf()
torch.ones(2).repeat(-1)
torch.ones(2,requires_grad=1)
torch.einsum('ij,jk->ik',torch.ones(2,3),torch.ones(4,2))
math.floor(torch.tensor(4.5))
torch.gather(torch.ones(2,2),0,torch.tensor([[5,0]]))
x=torch.arange(5); x[::0]
x=torch.arange(3); x[0]=2.7; print(x)
r=torch.sort(torch.tensor([2,1])); print(r.values, r.indices, r[0], len(r))
r=torch.sort(torch.tensor([2,1])); r._fields
F.softmax(x,dim='a')
torch.bernoulli(x,torch.Generator())
x.bernoulli_(torch.Generator())
torch.gather(x,0,torch.tensor([]))
torch.gather(x,5,torch.zeros(0).long())
torch.arange(2,out=3)
torch.arange(2,dtype=torch.int64,out=torch.zeros(2))
torch.zeros(2,out=torch.zeros(2,requires_grad=True))
torch.randperm(2,out=3)
torch.arange(3.5,out=torch.zeros(0).long())
torch.arange(0,1,0.25,dtype=torch.int64)
torch.arange(0.5,4,1.5,dtype=torch.int32)
F.adaptive_avg_pool2d(torch.ones(1,2,2),-1)
F.conv2d(x[None,None],x[None,None],dilation=0)
F.conv2d(x[None,None],x[None,None],dilation=-1)
F.conv_transpose1d(torch.ones(1,1,2),torch.ones(1,1,2),output_padding=2)
F.conv_transpose2d(x[None,None],x[None,None],output_padding=-1)
torch.linalg.inv(torch.zeros(1,2,2))
torch.linalg.cholesky(-x[None])
torch.linalg.norm(x,'nuc',dim=0)
torch.linalg.vector_norm(torch.ones(0),float('inf'))
torch.linalg.solve(torch.ones(2,2),torch.ones(2,3),left=False)
torch.linalg.solve(torch.eye(2)*2,x,left=False)
torch.mv(x,x)
x[[0.5]]
x[:,[0.5,1.9]]
torch.repeat_interleave(torch.tensor([1,2]))
torch.repeat_interleave(torch.tensor(1))
torch.tensor([True])//True
torch.tensor([True])%torch.tensor([True])
torch.tensor([True])**True
torch.div(torch.tensor([True]),True,rounding_mode='trunc')
torch.tensor([1])&1.5
x|x.double()
x.add(1,alpha='a')
x.random_(0)
F.gumbel_softmax(torch.tensor([1]))
F.nll_loss(x[0],torch.tensor([0,1]))
F.cross_entropy(torch.tensor(1.),torch.tensor(0))
torch.nn.RNNCell(2,1,nonlinearity='foo')(x)
torch.nn.GRU(2,1)(torch.ones(0,2,2))
torch.linalg.norm(x,dim=(0,1,2))
F.nll_loss(torch.ones(1,1,2,3),torch.zeros(1,2,2).long())
torch.nn.Hardtanh(1,-1)
torch.FloatTensor(x.long())
x.unflatten(0,())
x.unflatten(0,(3,-1,2))
x[torch.tensor([0],dtype=torch.int16)]
"""


@pytest.mark.filterwarnings("ignore")
def test_what_torch_refuses_is_refused_with_the_same_kind_of_error() -> None:
    """The words are torch's where lessons print them: see the snippets."""
    agree(f"{BEFORE}attempts = []\n{''.join(map(defined, EXPRESSIONS.strip().splitlines()))}{KINDS}")


def defined(expression: str) -> str:
    return f"def attempt():\n    {expression}\nattempts.append(attempt)\n"


KINDS = """
for number, attempt in enumerate(attempts):
    try:
        attempt()
        print(number, "fine")
    except Exception as error:
        print(number, type(error).__name__)
"""
CHANGES = [
    "y = torch.arange(3); y[0] = math.nan",
    "y = torch.ones(2); del y[0]",
    "y = torch.arange(3); y[0] = 2.7; print(y)",
]


@pytest.mark.parametrize("statements", CHANGES)
def test_changes_as_in_torch(statements: str) -> None:
    lines = statements.replace("; ", "\n    ")
    text = f"{BEFORE}try:\n    {lines}\nexcept Exception as error:\n    print(type(error).__name__)\n"
    assert ours(text) == torchs(text)
