"""Hooks on saved tensors are called for the tensors that torch saves, in its order, and get what torch gives them."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

BEFORE = """
import torch
import torch.nn.functional as F
torch.manual_seed(0)
draw = lambda *shape: torch.rand(*shape).add(0.5).requires_grad_()
x, y, z, m, n, b = draw(3), draw(3), draw(3), draw(2, 3), draw(3, 2), draw(2)
GIVEN = dict(x=x, y=y, z=z, m=m, n=n, b=b)
log = []

def name(t):
    return next((key for key, given in GIVEN.items() if given.shape == t.shape and torch.equal(given, t)), "?")

def noting(kind):
    def hook(t):
        log.append((kind, name(t), t.requires_grad, t.is_leaf))
        return t
    return hook

"""
CALLS = """
torch.bmm(m[None], n[None])|torch.baddbmm(b, m[None], n[None])|torch.where(x > 1, x, y)|F.mse_loss(x, y)
F.smooth_l1_loss(x, y)|F.huber_loss(x, y)|torch.atan2(x, y)|torch.maximum(x, y)|x.clamp(min=y)|torch.lerp(x, y, z)
torch.addcmul(x, y, z)|torch.addcdiv(x, y, z)|torch.hypot(x, y)|torch.outer(x, y)
F.binary_cross_entropy_with_logits(x, torch.zeros(3))|x.softmax(0)|x.relu()|x.exp()|x.norm()|x.var()|x.prod()|x.std()
x.sort()[0]|x.cumprod(0)|torch.einsum("ij,jk->ik", m, n)|F.gelu(x)|torch.linalg.inv(m @ n)|F.prelu(m, b[:1])
m[:, [0, 2]]|x[torch.tensor([0, 2])]|x.gather(0, torch.tensor([0, 1]))|torch.logaddexp(x, y)|torch.xlogy(x, y)
m.mean(0) * m.std(0)|F.embedding(torch.tensor([0, 1]), m)|x.index_select(0, torch.tensor([1]))|x.masked_fill(y > 1, 0)
"""


@pytest.mark.parametrize("line", CALLS.strip().split("\n"))
def test_order(line: str) -> None:
    program = BEFORE + "".join(
        f"log.clear()\nwith torch.autograd.graph.saved_tensors_hooks(noting('pack'), noting('unpack')):\n"
        f"    made = {call}\nmade.sum().backward()\nprint({call!r}, log)\n"
        for call in line.split("|")
    )
    assert ours(program) == torchs(program)


IDENTITIES = """
plain = torch.ones(3)
same = lambda t: t
for pack, unpack in ((same, same), (lambda t: t.clone(), same), (lambda t: t * 2, lambda t: t / 2)):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        made = (x * plain) * (x * y)
    first, second = (edge for edge, _ in made.grad_fn.next_functions)
    for node, given in ((first, plain), (second, y)):
        found = node._saved_other
        print(found is given, found.requires_grad, found.is_leaf, found._version, torch.allclose(found, given))
    x.grad = None
    made.sum().backward()
    print(x.grad)
"""


def test_identity() -> None:
    assert ours(BEFORE + IDENTITIES) == torchs(BEFORE + IDENTITIES)
