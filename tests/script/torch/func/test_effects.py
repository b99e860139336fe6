"""A function under a transform runs once in torch: what it changes outside of itself, it changes once here too."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

HEAD = """
import torch
from functools import partial
from torch.func import grad, hessian, jacfwd, jacrev, linearize, vmap
x, log, seen, w, kinds = torch.arange(6.0).reshape(2, 3), [], {}, torch.ones(3), set()
count = 0
class Counter:
    def __init__(self): self.n, self.log = 0, [[]]
    def step(self, t): self.n += 1; self.log[0].append(self.n); return t * self.n
"""
SNIPPETS = {
    "globals": """
def f(t):
    global count
    count += 1; log.append(t.shape); seen[count] = len(log); kinds.add(count); w.add_(1)
    return (t * count * w).sum()
for act in (vmap, grad, lambda f: vmap(grad(f)), jacrev, jacfwd, hessian):
    print(act(f)(x[0] if act is not vmap else x) if act in (vmap, grad) else "", count, log, seen, kinds)
w = w.clone(); print(vmap(f)(x), w, count)
""",
    "closures": """
def outer():
    n, own, c = 0, [], Counter()
    def f(t):
        nonlocal n
        n += 1; own.append(n); c.step(t)
        return t * n
    print(vmap(f)(x), n, own, c.n, c.log); print(jacfwd(f)(x[0]), n, own); print(vmap(vmap(f))(x), n, own, c.n)
outer()
c = Counter(); print(vmap(c.step)(x), c.n, c.log); print(vmap(partial(Counter.step, c))(x), c.n, c.log)
def fails(t): log.append(1); raise ValueError("no")
try: vmap(fails)(x)
except ValueError as error: print(error, log)
""",
    "backward": """
class Logged(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(t): log.append("forward"); return t * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, g): print("backward"); log.append("backward"); return g * 2
print(jacrev(Logged.apply)(x[0]), log); print(vmap(grad(lambda t: Logged.apply(t).sum()))(x)); print(log[:3])
""",
    "linearized": """
def f(t): log.append(1); return t.sin(), torch.ones(2) * 3
out, push = linearize(f, x); print(out, log); print(push(x + 1), log)
print(vmap(push)(torch.stack([x, x]))[0].shape, log)
""",
    "arguments": """
print(vmap(lambda t, k=2: t * k)(x, k=3), vmap(lambda t, k=None: (t * k).shape and k)(x, k=x).shape)
for act in (lambda t: f"{t}" and t, lambda t: torch.zeros(t.long())):
    try: print(vmap(act)(torch.ones(2)))
    except RuntimeError as error: print(error)
""",
}


@pytest.mark.parametrize("snippet", SNIPPETS.values(), ids=SNIPPETS)
def test_like_torch(snippet: str) -> None:
    assert ours(HEAD + snippet) == torchs(HEAD + snippet)
