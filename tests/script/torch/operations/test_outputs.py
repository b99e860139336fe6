"""`out=`: results written into tensors that are there, as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs
from tests.script.torch.alike import alike, difference

START = """
import torch
x, y, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.ones(2, requires_grad=True)
r, grid = torch.empty(2), torch.zeros(2, 3)
"""
CASES = {
    "resized": "print(torch.add(x, y, out=torch.empty(3)), torch.mean(x, out=r))",
    "empty": "print(torch.add(x, y, out=torch.empty(0)))",
    "operand needs grad": "torch.mul(w, y, out=r)",
    "matmul": "print(torch.matmul(torch.eye(2), torch.ones(2, 2), out=torch.empty(2, 2)))",
}


@pytest.mark.parametrize("case", CASES)
def test_prints_as_torch_does(case: str) -> None:
    text = START + CASES[case]
    mine, theirs = ours(text), torchs(text)
    assert alike(mine, theirs), difference(mine, theirs)


def test_what_is_no_tensor_is_refused() -> None:
    assert "argument 'out' must be Tensor, not int" in ours("import torch\ntorch.sin(torch.ones(2), out=3)")
