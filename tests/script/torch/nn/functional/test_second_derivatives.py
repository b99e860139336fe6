"""Gradients under create_graph of layers that are linear in pieces: what requires grad, and its gradients."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree

CALLS = {  # a call, and the shapes of its arguments
    "F.max_pool1d(x, 2)": "(1, 1, 4)",
    "F.avg_pool1d(x, 2)": "(1, 1, 4)",
    "F.avg_pool3d(x, 2)": "(1, 1, 2, 2, 4)",
    "F.adaptive_avg_pool1d(x, 2)": "(1, 1, 4)",
    "F.conv1d(x, w, b)": "(1, 2, 5), (3, 2, 2), (3,)",
    "F.linear(x, w, b)": "(2, 5), (3, 5), (3,)",
    "F.batch_norm(x, torch.zeros(4), torch.ones(4), w, b)": "(3, 4), (4,), (4,)",
    "F.nll_loss(x, torch.tensor([0, 1]))": "(2, 3)",
    "F.nll_loss(x, torch.zeros(2, 2, 2, dtype=torch.int64))": "(2, 3, 2, 2)",
    "F.pad(x, (1, 1, 1, 1), 'replicate')": "(1, 2, 3, 3)",
    "F.threshold(x, 0.5, 0)": "(4,)",
    "F.hardtanh(x)": "(4,)",
    "F.elu(x)": "(4,)",
}


@pytest.mark.parametrize("call", CALLS)
def test_gradients_of_gradients(call: str) -> None:
    text = f"""
import torch
import torch.nn.functional as F
xs = [(torch.arange(float(torch.Size(shape).numel())) * 7 % 11 / 9).reshape(shape) for shape in ({CALLS[call]},)]
xs = [x.requires_grad_() for x in xs]
x, w, b = (xs * 3)[:3]
for power in 1, 2:
    found = torch.autograd.grad(({call} ** power).sum(), xs, create_graph=True)
    print([g.requires_grad for g in found])
    for g in found:
        if g.requires_grad:
            again = torch.autograd.grad(g.sum(), xs, allow_unused=True, retain_graph=True)
            print([None if h is None else [round(v, 2) + 0.0 for v in h.flatten().tolist()] for h in again])
"""
    agree(text)
