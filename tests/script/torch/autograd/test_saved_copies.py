"""`allow_mutation_on_saved_tensors` keeps the account of saved tensors that torch keeps."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

pytest.importorskip("torch")

START = """
import torch

def told(step):
    print(step, len(ctx.tid_to_weakhandle), len(ctx.cloned))

with torch.autograd.graph.allow_mutation_on_saved_tensors() as ctx:
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    a = leaf * 1
    view = a[:1]
    {}
    print(leaf.grad)
print(len(ctx.cloned), len(ctx.tid_to_weakhandle))
"""
CASES = {
    "deleted": "b = a**2; told(1); c = a**2; a.zero_(); told(2); del b; told(3); del c; told(4)",
    "versions": "b = a**2; a.add_(1); c = a**2; a.add_(1); told(1); del b; told(2); c.sum().backward(); told(3)",
    "freed": "b = (a**2).sum(); b.backward(); told(1); a.zero_(); told(2)",
    "retained": "b = (a**2).sum(); b.backward(retain_graph=True); told(1); a.zero_(); b.backward(); told(2)",
    "view changed": "b = (a**2).sum(); view.mul_(5); told(1); b.backward(); told(2)",
    "base changed": "b = (view**2).sum(); a.mul_(5); told(1); b.backward(); told(2)",
    "result": "b = a.exp(); b.add_(1); told(1); b.sum().backward(); told(2)",
    "in place twice": "a.sin_(); told(1); a.sin_(); told(2); a.sum().backward(); told(3)",
    "other operand": "b = torch.ones(2); c = a * b; told(1); torch.sin(b, out=b); told(2); c.sum().backward()",
    "detached": "b = (a**2).sum(); a.detach().zero_(); told(1); b.backward()",
}


@pytest.mark.parametrize("case", CASES)
def test_saved_tensors_that_change(case: str) -> None:
    text = START.format(CASES[case])
    assert ours(text) == torchs(text)
