"""The rest of a student's sheet decides between mistakes that give the same number."""

from __future__ import annotations

import numpy as np
import pytest

from tests.homework.asking import assignment, marked

E = np.array([1.3, -0.7]) * 0.9 + 0.4 - np.array([0.2, 1.6])


STEPS = """script = '''
import torch
import torch.nn.functional as F
X = torch.tensor([[0.7, -1.2], [1.5, -1.3], [0.4, 2.1]], dtype=torch.float64)
W = torch.tensor([[1.4, 1.8], [-0.9, -1.2]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([0.7, -0.2], dtype=torch.float64, requires_grad=True)
loss = F.mse_loss(F.linear(X, W, b), torch.zeros(3, 2, dtype=torch.float64))
loss.backward()
'''
ask = ['loss', 'b.grad']
"""
X, W, B = np.array([[0.7, -1.2], [1.5, -1.3], [0.4, 2.1]]), np.array([[1.4, 1.8], [-0.9, -1.2]]), np.array([0.7, -0.2])
OUT = X @ W.T + B


@pytest.mark.parametrize(
    ("quantity", "number", "code"),
    [
        ("b.grad", (2 * OUT / 6).mean(0), "broadcast-unsummed"),
        ("b.grad", (OUT / 6).sum(0), "power-rule"),
        ("loss", np.mean(OUT), "forward-slip"),
    ],
)
def test_one_operation_is_several_steps_on_paper(quantity: str, number: object, code: str) -> None:
    text = np.array2string(np.round(np.asarray(number), 6), separator=", ")
    assert marked(assignment(STEPS), {quantity: text})[quantity].diagnoses[0].code == code
