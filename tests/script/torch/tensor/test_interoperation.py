"""Tensors beside what Python and numpy have: special methods by name, numpy's numbers, classes of numbers."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

START = """
import numpy as np
import torch
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
w = torch.tensor([1.0], requires_grad=True)
"""
PROGRAMS = [
    "print(a.__len__(), a.__getitem__(0), a.__repr__()); y = w.__mul__(3); y.backward(); print(y, w.grad)",
    "print(a * np.float64(2), np.float64(2) * a, a.long() * np.float64(0.5), w[0] + np.float32(1), a / np.int64(2))",
    "class L(list): pass\nclass F(float): pass\nprint(torch.tensor(L([1.0, 2.0])), torch.tensor(F(2.5)), a * F(2))",
    "print(torch.tensor([np.ones(2), np.zeros(2)]))",
    "print(str(a.sum)[:28])",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_tensors_beside_others(program: str) -> None:
    assert ours(START + program) == torchs(START + program)
