"""The module torch.linalg."""

from __future__ import annotations

import pytest

from tests.script.agreement import agree, attempted

BEFORE = """
import math
import numpy as np
import torch
import torch.nn.functional as F
torch.manual_seed(0)
A = torch.tensor([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]])
C = torch.tensor([[1.0, 2.0], [3.0, -4.0], [5.0, 7.0]])
L = torch.linalg
"""
EXPRESSIONS = r"""
L.eigvalsh(A)
L.matrix_rank(A)
L.cholesky(-A)
L.inv(A)
L.inv(torch.ones(2,2))
torch.inverse(C)
L.det(C)
torch.logdet(A)
L.solve(A,torch.ones(2))
L.solve(torch.zeros(2,2),torch.ones(2))
L.diagonal(A)
"""


@pytest.mark.slow
@pytest.mark.parametrize("expression", EXPRESSIONS.strip().splitlines())
@pytest.mark.filterwarnings("ignore")
def test_linear_algebra_as_in_torch(expression: str) -> None:
    agree(attempted(BEFORE, expression))
