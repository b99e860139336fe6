"""What torch asks of numbers and tensors, and says of them, as it does itself."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

LINES = [
    "print(x.sum(dim=None), x.mean(None), x.sum(), x.nansum(dim=None), x.sum(dim=None, keepdim=True))",
    "torch.cumsum(x, 0, dtype=torch.int64)",
    "torch.sum(x, dtype=torch.int64)",
    "torch.block_diag([x, x])",
    "torch.cartesian_prod([x, x])",
    "print(torch.lerp(x, x, torch.tensor(0.5)))",
    "torch.nn.functional.cosine_similarity(x, x, dim=0, eps=-1.5)",
    "print(torch.tensor([-float('inf'), -0.0]) ** torch.tensor(0.5))",
    "print(torch.linalg.cond(torch.zeros(2, 2), 1), torch.linalg.cond(torch.eye(2), 1))",
    "print(torch.linalg.cond(torch.tensor([[[1.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]), 'fro'))",
    "torch.cumulative_trapezoid(torch.tensor(2.0))",
    "torch.trapezoid(torch.tensor(2.0), x=torch.tensor(1.0))",
]


@pytest.mark.parametrize("line", LINES)
def test_answers_are_torchs(line: str) -> None:
    pytest.importorskip("torch")
    text = f"import torch\nx = torch.tensor([1.5, 2.5], dtype=torch.float64, requires_grad=True)\n{line}\n"
    assert ours(text) == torchs(text)


def test_a_loss_has_no_second_derivative_by_its_target() -> None:
    pytest.importorskip("torch")
    text = """
import torch
t = torch.tensor([0.5, 0.25, 1.0], requires_grad=True)
x = torch.tensor([0.5, -1.0, 2.0]).sigmoid()
(g,) = torch.autograd.grad(torch.nn.functional.binary_cross_entropy(x, t), t, create_graph=True)
print(g.requires_grad)
"""
    assert ours(text) == torchs(text)
