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
F.huber_loss(i, i)
F.elu(i)
F.layer_norm(i, (2,))
F.binary_cross_entropy(i, i)
i.softmax(0)
torch.det(A.long())
torch.inverse(A.long())
F.conv2d(image.double(), kernel, x[:1])
F.conv_transpose2d(image.double(), kernel)
torch.allclose(x, d)
A @ A.double()
torch.gather(x, 0, x)
torch.tensor([True]) + torch.tensor([True])
"""


@pytest.mark.parametrize("call", CALLS.strip().splitlines())
def test_kinds_of_numbers_as_in_torch(call: str) -> None:
    agree(attempted(BEFORE, call))
