"""Random numbers and misuse inside of the transforms of `torch.func`, and what its old names give: all as in torch."""

from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree

pytest.importorskip("torch")

HEAD = """
import torch
import torch.nn.functional as F
import torch.autograd.forward_ad as fw
from torch.autograd import functional as AF
from torch.func import functional_call, functionalize, grad, hessian, jacfwd, jvp, vjp, vmap
"""
HEAD += REFUSED + "tell = refused\n"
SNIPPETS = {
    "drawn": """
x, p = torch.zeros(4, 3), torch.tensor([[0.2, 0.8], [0.5, 0.5]])
draws = [lambda x: torch.randn(3), lambda x: torch.rand(20), torch.randn_like, lambda x: torch.randperm(5),
         lambda x: (torch.rand(2), torch.randn(9)), lambda x: F.dropout(x + 1, 0.5), lambda x: x.clone().uniform_(),
         lambda x: x.clone().exponential_(), lambda x: torch.randint(9, (3,)), lambda x: vmap(torch.rand_like)(x)]
by = [torch.bernoulli, lambda t: torch.normal(t, 1.0), lambda t: torch.multinomial(t, 1),
      lambda t: t.clone().bernoulli_(t)]
for f, of in [(f, x) for f in draws] + [(f, p) for f in by]:
    for randomness in ("error", "same", "different"):
        torch.manual_seed(1); tell(lambda: vmap(f, randomness=randomness)(of)); print(torch.rand(1))
y = torch.zeros(2)
tell(lambda: vmap(lambda x: y.normal_(), randomness="different")(x))
tell(lambda: vmap(lambda x: y.normal_(), randomness="same")(x))
def seeded(x): torch.manual_seed(3); return torch.rand(2)
for randomness in ("same", "different"): print(vmap(seeded, randomness=randomness)(x))
for randomness in ("error", "same", "different"):
    torch.manual_seed(1); tell(lambda: jacfwd(lambda x: x * torch.rand(3), randomness=randomness)(x[0] + 1))
""",
    "refused": """
x, k = torch.ones(3), torch.rand(2, 3)
def kept(y): z = y.sin(); z.retain_grad(); return z.sum()
tell(lambda: grad(kept)(x)); tell(lambda: vmap(kept)(k))
acts = [lambda y: AF.jacobian(torch.sin, y).sum(), lambda y: AF.vjp(lambda z: z.sum(), y)[1].sum(),
        lambda y: AF.jvp(torch.sin, y, y)[1].sum(), lambda y: AF.hessian(lambda z: (z * z).sum(), y).sum(),
        lambda y: AF.vhp(lambda z: (z * z).sum(), y, y)[1].sum(),
        lambda y: AF.jacobian(torch.sin, y, strategy="forward-mode", vectorize=True)]
for act in acts[:5]: tell(lambda: grad(act)(x))
for act in acts: tell(lambda: vmap(act)(k))
shapes = [(torch.dot, (2, 2), (2,)), (torch.mv, (2, 2, 2), (2,)), (torch.mm, (2, 2), (2,)),
          (torch.bmm, (2, 2, 2), (2,))]
for f, a, b in shapes: tell(lambda: vmap(f)(torch.ones(7, *a), torch.ones(7, *b)))
tell(lambda: vmap(torch.add)(torch.ones(2, 3), torch.ones(2, 4)))
tell(lambda: vmap(lambda a, b: a * b, (0, None))(torch.ones(2, 3), torch.ones(4)))
""",
    "forward": """
x, o = torch.tensor(0.3), torch.tensor(1.0)
v = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
for g in (lambda x: torch.logcumsumexp(x, 0), lambda x: torch.logsumexp(x, 1), lambda x: torch.tensor_split(x, 2)[0]):
    print(jvp(g, (v,), (v + 1,)), jacfwd(g)(v).sum().round())
def over(x, y): part = x[::2]; part.copy_(y); return part, x
a, b = torch.ones(2, 4), torch.zeros(2, 2)
print(jvp(over, (a[0], b[0]), (a[1], b[1] + 2)), a)
print(vmap(lambda x, y: jvp(over, (x, y), (x + 1, y + 2)))(a, b), a)
""",
    "old": """
import functorch
from torch.nn.utils import stateless
class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(2, 2); self.b = torch.nn.Buffer(torch.ones(2)); self.same = self.b; self.number = 3
    def forward(self, x): return self.l(x) + self.b + self.same
torch.manual_seed(0); m, x = Tied(), torch.ones(1, 2)
call, p, b = functorch.make_functional_with_buffers(m); print(len(p), len(b), torch.equal(call(p, b, x), m(x)))
call, p = functorch.make_functional(m.l, disable_autograd_tracking=True)
print(call(p, x), [q.requires_grad for q in p])
call, p, b = functorch.combine_state_for_ensemble([m, Tied()]); print(vmap(call, (0, 0, None))(p, b, x).shape)
new = {"l.weight": torch.eye(2), "l.bias": torch.zeros(2), "b": torch.zeros(2)}
print(stateless.functional_call(m, new, x), functional_call(m, new, x, strict=True)); m.l.up = m
new = {"l.up.l.weight": torch.eye(2), "l.up.b": torch.zeros(2), "l.bias": torch.zeros(2)}
print(functional_call(m, new, x, tie_weights=False))
del m.l.up
for name in ("number", "", "l.", "bad.weight", "l.weight.x", "l.bad"):
    tell(lambda: functional_call(m, {name: torch.zeros(2)}, x).shape)
tell(lambda: functional_call(3, new, x))
""",
    "functionalize": """
def f(x): y = x.clone(); y.add_(1); z = y.view(-1); z.mul_(2); return y
x, seen = torch.ones(2, 2), []
print(functionalize(f)(x), functionalize(f, remove="mutations_and_views")(x), vmap(functionalize(f))(x), x)
print(grad(lambda x: functionalize(f)(x).sum())(x), jvp(functionalize(f), (x,), (x,)))
def g(x): x.add_(1); return x * 2
y = torch.zeros(2); print(functionalize(g)(y), y); tell(lambda: functionalize(f, remove="bad"))
def h(y):
    seen.extend([torch.func.debug_unwrap(y), torch.func.debug_unwrap(y, recurse=False)])
    return y.sin()
vmap(vmap(h))(x); print(seen[0] is x, seen[0].shape); print(torch.func.debug_unwrap(x) is x)
""",
}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_like_torch(snippet: str) -> None:
    agree(HEAD + snippet)
