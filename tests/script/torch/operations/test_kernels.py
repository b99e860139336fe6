"""Numbers that torch's kernels refuse are refused here, in the words that stand on the declaration of the operation."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree, attempted

BEFORE = """
import torch
import torch.nn.functional as F
i, d, x = torch.tensor([1, 2]), torch.ones(2).double(), torch.ones(2)
A, image, kernel = torch.eye(2), torch.ones(1, 1, 2, 2), torch.ones(1, 1, 1, 1)
"""
CALLS = """
F.gelu(i)
F.mse_loss(i, i)
F.huber_loss(i, i)
F.leaky_relu(i)
F.elu(i)
F.silu(i)
F.softplus(i)
F.logsigmoid(i)
F.layer_norm(i, (2,))
F.binary_cross_entropy(i, i)
i.std()
i.var()
i.softmax(0)
i.mean()
torch.det(A.long())
torch.inverse(A.long())
torch.linalg.eigh(A.long())
torch.linalg.solve(A, d)
F.conv2d(image.double(), kernel)
F.conv2d(image.double(), kernel, x[:1])
F.conv_transpose2d(image.double(), kernel)
torch.allclose(x, d)
A @ A.double()
F.linear(i, A)
F.batch_norm(A.double(), x, x)
torch.gather(x, 0, x)
torch.add(i, i, alpha=0.5)
torch.tensor([True]) + torch.tensor([True])
torch.tensor([2.5]).int().floor()
"""


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_kinds_of_numbers_as_in_torch(call: str) -> None:
    agree(attempted(BEFORE, call))
