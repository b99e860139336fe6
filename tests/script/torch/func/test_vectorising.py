"""What `vmap` does with whole layers, with functions of a snippet's own, and with errors: as torch, or refused."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree
from tests.script.running import ours

pytest.importorskip("torch")

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
from torch.autograd import functional as AF
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
"""
HEAD += REFUSED + "tell = refused\n"
SNIPPETS = {
    "layers": """
x, m, v = torch.arange(24.0).reshape(3, 4, 2), torch.zeros(3, 2), torch.ones(3, 2)
tell(lambda: vmap(lambda m, v, x: F.batch_norm(x, m, v, training=True, momentum=0.5))(m, v, x)); print(m, v)
tell(lambda: vmap(lambda m, v, x: F.batch_norm(x, m, v))(m, v, x)[1])
norm = nn.BatchNorm1d(2); tell(lambda: vmap(norm)(x)); norm.eval(); print(vmap(norm)(x).shape)
for kind in (nn.LSTM, nn.GRU, nn.RNN, nn.LSTMCell, nn.GRUCell, nn.RNNCell):
    tell(lambda: vmap(lambda x: kind(2, 2)(x)[0].shape and x)(x))
print(vmap(grad(lambda x: nn.LSTM(2, 2)(x)[0].sum()))(x).shape)
""",
    "functions": """
class Plain(torch.autograd.Function):
    @staticmethod
    def forward(x): return x**3
    @staticmethod
    def setup_context(ctx, inputs, output): ctx.save_for_backward(inputs[0]); ctx.save_for_forward(inputs[0])
    @staticmethod
    def backward(ctx, g): return g * 3 * ctx.saved_tensors[0]**2
    @staticmethod
    def jvp(ctx, t): return t * 3 * ctx.saved_tensors[0]**2
class Made(Plain): generate_vmap_rule = True
y = torch.tensor([1.0, 2.0]); w = y.clone().requires_grad_()
for kind in (Plain, Made):
    for act in (jacrev, jacfwd, hessian, lambda f: vmap(grad(lambda y: f(y).sum())), lambda f: vmap(hessian(f))):
        tell(lambda: act(kind.apply)(y))
    tell(lambda: vmap(vjp(kind.apply, y)[1])(torch.eye(2)))
    tell(lambda: vmap(lambda v: jvp(kind.apply, (y,), (v,))[1])(torch.eye(2)))
    z = kind.apply(w); tell(lambda: vmap(lambda v: torch.autograd.grad(z, w, v, retain_graph=True)[0])(torch.eye(2)))
""",
    "strict": """
x = torch.ones(2)
fs = [lambda a, b: a.sum(), lambda a, b: (a**2).sum(), lambda a, b: (b**2).sum(), lambda a, b: (a * b).sum()]
for f in fs:
    for act in (AF.hvp, AF.vhp): tell(lambda: act(f, (x, x), (x, x), strict=True))
    tell(lambda: AF.hessian(f, (x, x), strict=True)); tell(lambda: AF.jacobian(f, (x, x), strict=True))
""",
    "plain": """
class Scaled(nn.Module):
    def __init__(self): super().__init__(); self.plain = torch.ones(1); self.p = nn.Parameter(torch.ones(1))
    def forward(self, x): return x * self.plain * self.p
m, x = Scaled(), torch.tensor([2.0])
print(functional_call(m, {"plain": torch.tensor([7.0])}, x), m.plain)
print(grad(lambda t: functional_call(m, {"plain": t}, x).sum())(x))
from torch.utils.checkpoint import checkpoint_sequential
tell(lambda: checkpoint_sequential(nn.Sequential(m, m), 2, x, use_reentrant=False, bad=1))
""",
}
SIZES = ("x.view(5)", "x.reshape(7)", "x.split([1, 2])", "torch.mm(x, x)", "x[0] @ torch.ones(9)")


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_like_torch(snippet: str) -> None:
    agree(HEAD + snippet)


@pytest.mark.parametrize("call", SIZES)
def test_errors_of_sizes_are_refused(call: str) -> None:
    assert "inside of vmap is not supported here" in ours(HEAD + f"vmap(lambda x: {call})(torch.ones(2, 4, 6))")
