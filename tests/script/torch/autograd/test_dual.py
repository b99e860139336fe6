"""Forward mode: the memory of tangents, as in torch."""

from __future__ import annotations

from tests.script.running import ours, torchs

UNPACKED = """
import torch
import torch.autograd.forward_ad as fwAD

with fwAD.dual_level():
    x, t = torch.ones(2), torch.ones(2)
    dual = fwAD.make_dual(x, t)
    dual *= 2
    value, tangent = fwAD.unpack_dual(dual)
    value *= 2
    print(fwAD.unpack_dual(dual), fwAD.unpack_dual(value), x)
    tangent *= 2
    print(fwAD.unpack_dual(dual), t)
    value.add_(dual)
    print(fwAD.unpack_dual(value), fwAD.unpack_dual(dual))
"""


def test_dual_tensors() -> None:
    assert ours(UNPACKED) == torchs(UNPACKED)


RECORDED = """
import torch
import torch.autograd.forward_ad as fwAD

F = torch.nn.functional
functions = [
    lambda x, c: x*c,
    lambda x, c: c*x,
    lambda x, c: x+c,
    lambda x, c: x-c,
    lambda x, c: x/c,
    lambda x, c: c/x,
    lambda x, c: x**c,
    lambda x, c: c**x,
    lambda x, c: x@c,
    lambda x, c: c@x,
    lambda x, c: torch.maximum(x, c),
    lambda x, c: torch.atan2(x, c),
    lambda x, c: torch.where(x>0,x,c),
    lambda x, c: torch.cat([x,c]),
    lambda x, c: torch.addmm(x,c,c),
    lambda x, c: torch.addmm(c,x,c),
    lambda x, c: torch.lerp(x,c,0.5),
    lambda x, c: F.mse_loss(x,c),
    lambda x, c: F.linear(x,c),
    lambda x, c: torch.addcmul(x,c,c),
    lambda x, c: x[0].dot(c[0]),
    lambda x, c: x.mv(c[0]),
    lambda x, c: x*2,
    lambda x, c: x+2,
    lambda x, c: 2-x,
    lambda x, c: x/2,
    lambda x, c: 2/x,
    lambda x, c: x**2,
    lambda x, c: 2**x,
    lambda x, c: F.conv1d(x[None],c[None][:,:,:1]),
    lambda x, c: F.binary_cross_entropy(x*0.5,c*0.5),
    lambda x, c: torch.xlogy(x, c),
    lambda x, c: x[None].bmm(c[None]),
    lambda x, c: torch.outer(x[0],c[0]),
    lambda x, c: F.layer_norm(x,(2,),c[0],c[0]),
    lambda x, c: torch.stack([x,c]),
    lambda x, c: x*torch.tensor([1,2]),
    lambda x, c: F.smooth_l1_loss(x,c),
    lambda x, c: torch.clamp(x,c-1,c+1),
    lambda x, c: F.prelu(x,c[0]),
    lambda x, c: x.index_add(0,torch.tensor([0,1]),c),
    lambda x, c: x.gather(0,torch.tensor([[0,1]])),
    lambda x, c: torch.baddbmm(x[None],c[None],c[None]),
    lambda x, c: torch.einsum("ij,jk->ik",x,c),
    lambda x, c: torch.kron(x,c),
]
for n, function in enumerate(functions):
    found = []
    for recorded in (False, True):
        for other in (False, True):
            with fwAD.dual_level():
                dual = fwAD.make_dual(torch.ones(2, 2, requires_grad=recorded), torch.full((2, 2), 3.))
                c = torch.full((2, 2), 2., requires_grad=other)
                found.append(fwAD.unpack_dual(function(dual, c)).tangent.requires_grad)
    print(n, found)
"""


def test_tangents_are_in_the_graph_of_all_operands() -> None:
    """A formula that mentions an operand in the graph is in it, also where the other operand has no tangent."""
    assert ours(RECORDED) == torchs(RECORDED)
