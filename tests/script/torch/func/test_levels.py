"""What runs inside of `torch.vmap`, `grad`, `vjp` and `jvp`: what torch knows, shows and refuses there.

Each snippet prints in gradcli what it prints in torch.
"""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree

pytest.importorskip("torch")

HEAD = """
import torch
import torch.nn.functional as F
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
"""
HEAD += REFUSED + "tell = refused\n"
# Functions of a tensor of the batch, whose results torch knows to be of the batch, or not.
FUNCTIONS = [
    "\nx.detach()",
    "x.data",
    "x.long()",
    "x.bool()",
    "x.to(torch.float64)",
    "x.type(torch.int64)",
    "x > 0.5",
    "~(x > 0)",
    "x.argmax(0)\nx.argsort()",
    "x.max(0)[1]",
    "torch.zeros_like(x)",
    "torch.full_like(x, 2.0)",
    "torch.rand_like(x)",
    "x.new_zeros(3)\nx.new_empty(3)",
    "x.new_tensor([1.0])",
    "torch.count_nonzero(x)",
    "x.long() + 1",
    "x.long()[0]",
    "x.long().reshape(-1)\ntorch.stack([x.long(), x.long()])",
    "torch.cat([x.long(), x.long()])",
    "x.long().sum()",
    "x.long() // 2",
    "x.long().clone()\ntorch.arange(3.0)[x[0].argsort()]",
    "F.one_hot((x > 0.5).long(), 3)",
    "torch.eye(3) * x.long()",
    "x.frexp()[1]\ntorch.linalg.matrix_rank(x)",
    "torch.zeros(()).expand_as(x)",
    "torch.zeros(3).type_as(x)",
    "torch.allclose(x, x)",
    "x.tolist()\ngrad(lambda y: (y**2).sum())(x)",
    "grad(lambda y: (y.detach() * y).sum())(x)",
    "jacrev(torch.sin)(x)\njvp(torch.sin, (x,), (x,))[1]",
    "jvp(lambda y: y.detach(), (x,), (x,))[1]",
    "vjp(torch.sin, x)[0]\ngrad(lambda y: y.sum() if y.sum() > 0 else -y.sum())(x)",
    "x.sum().backward()\n",
]
WHOLE = [part for line in FUNCTIONS for part in line.strip().split("\n")]
BATCH = """
def numbers(f):
    def g(x):
        y = f(x)
        if isinstance(y, torch.Tensor): y.reshape(-1)[0].item()
        return torch.zeros(())
    return g
x = torch.rand(2, 3, 3) + 0.1
"""
WRITES = [
    "add_",
    "sub_",
    "mul_",
    "div_",
    "copy_",
    "fill_",
    "pow_",
    "clamp_",
    "clamp_min_",
    "atan2_",
    "lerp_",
    "remainder_",
    "eq_",
    "logical_and_",
    "fmod_",
    "copysign_",
]
WRITTEN = """
for name in {}:
    target, other = torch.ones(3), torch.ones(2, 3)
    with_sum = name == "fill_"
    rest = (0.5,) if name == "lerp_" else ()
    for given in (1, target.sum()): tell(lambda: vjp(lambda y: getattr(target, name)(given), other))
    tell(lambda: vmap(lambda y: getattr(target, name)(y.sum() if with_sum else y, *rest))(other))
    tell(lambda: vmap(lambda y: getattr(y, name)(y.sum() if with_sum else y, *rest))(other))
    tell(lambda: grad(lambda y: getattr(target, name)(y.sum() if with_sum else y, *rest).sum())(other[0]))
    print(target)
def first(y):
    z = torch.zeros(3); z[0] = y; return z
def some(y):
    z = torch.zeros(3); z[torch.tensor([0, 1])] = y; return z
tell(lambda: vmap(first)(torch.ones(2))); tell(lambda: vmap(some)(torch.ones(2)))
def captured():
    inner = torch.ones(3)
    tell(lambda: grad(lambda y: (inner.mul_(2) * y).sum())(torch.ones(3)))
    tell(lambda: grad(lambda y: (torch.ones(3).mul_(y) * y).sum())(torch.ones(3)))
captured()
"""
TEXTS = """
x, c, kept = torch.arange(6.0).reshape(2, 3), torch.ones(2), []
def f(y):
    print(y); print(y.sin()); print(c)
    kept.append(y.sin())
    return (y * y).sum()
for act in (grad, vmap, lambda f: vmap(grad(f)), lambda f: vmap(vmap(f)), jacrev, jacfwd):
    act(f)(x)
vmap(lambda y: print(y) or y.sum(), in_dims=1)(x)
vjp(f, x); jvp(f, (x,), (x,)); grad(grad(lambda y: f(y)))(torch.tensor(2.0)); hessian(f)(x[0])
grad(f)(x); print(kept[-1], kept[-1].sum())
"""
SEEN = """
x, w = torch.ones(2, 3), torch.ones(2, 3, requires_grad=True)
def f(y):
    z = y * 2
    print(y.requires_grad, y.is_leaf, y.grad_fn); print(z.requires_grad, z.is_leaf, str(z.grad_fn)[:13])
    return z.sum()
for t in (x, w): grad(f)(t); vmap(f)(t); jvp(f, (t,), (x,)); vmap(grad(f))(t); vjp(vmap(f), t)
for act in (grad, vmap, lambda f: vmap(grad(f))):
    tell(lambda: act(lambda y: y.requires_grad_().sum())(x)); tell(lambda: act(lambda y: y.data.sum())(x))
    tell(lambda: act(lambda y: y.sum() * y.sum().item())(x)); tell(lambda: act(lambda y: y.backward())(x))
tell(lambda: jvp(lambda y: y.requires_grad_(), (x,), (x,)))
"""
VIEWS = """
x = torch.arange(24.0).reshape(2, 3, 4); w = x.clone().requires_grad_()
for f, dims in ((lambda y: y, {}), (lambda y: y, {"out_dims": 1}), (lambda y: y.t(), {}), (lambda y: y, {"in_dims": 2}),
                (lambda y: y[0], {"in_dims": -1, "out_dims": -1}), (lambda y: y.detach(), {}), (lambda y: c, {}),
                (lambda y: y * 1, {}), (lambda y: (y.add_(0), y)[1], {}), (lambda y: y.contiguous(), {})):
    c = torch.ones(2)
    r, s = vmap(f, **dims)(x), vmap(f, **dims)(w * 1)
    print(r.shape, r is x, r._base is x, r._base is c, r.data_ptr() == x.data_ptr(), s.requires_grad)
    if s.requires_grad: print(torch.autograd.grad((s * torch.arange(s.numel()).reshape(s.shape)).sum(), w)[0])
tell(lambda: vmap(lambda y: y, out_dims=3)(x[0]))
tell(lambda: vmap(lambda y: y * 2, out_dims=1)(torch.ones(0, 3)).shape)
tell(lambda: vmap(lambda y: y.sum())(torch.ones(0, 3)))
"""
SAVED = """
for keep, dirty, back in [(k, d, r) for k in (0, 1, 2) for d in (False, True) for r in (False, True)]:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(x): return x
        @staticmethod
        def setup_context(ctx, inputs, output):
            save = ctx.save_for_backward if back else ctx.save_for_forward
            if dirty: ctx.mark_dirty(inputs[0])
            if keep: save(inputs[0] if keep == 1 else output)
        @staticmethod
        def backward(ctx, g): return g
        @staticmethod
        def jvp(ctx, t): return t.add_(0) if dirty else t.view_as(t)
    tell(lambda: grad(lambda x: Same.apply(x.clone()))(torch.tensor(2.0)))
    tell(lambda: jvp(lambda x: Same.apply(x.clone()), (torch.tensor(2.0),), (torch.tensor(1.0),)))
"""
SNIPPETS = {
    "batch": BATCH + "".join(f"print({f!r}); tell(lambda: vmap(numbers(lambda x: {f}))(x))\n" for f in WHOLE if f),
    "writes": WRITTEN.format(WRITES),
    "texts": TEXTS,
    "seen": SEEN,
    "views": VIEWS,
    "saved": SAVED,
}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_like_torch(snippet: str) -> None:
    agree(HEAD + snippet)
