"""In-place operations on tensors without entries: values, flags, versions and gradients as in torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

CALLS = """
x.add_(1) x.sub_(x) x.mul_(2) x.div_(2) x.pow_(2) x.exp_() x.neg_() x.sqrt_() x.abs_() x.relu_() x.sigmoid_() x.tanh_()
x.clamp_(0) x.clamp_(0,1) x.cumsum_(0) x.tril_() x.triu_() x.masked_fill_(x>0,1.0) x.copy_(x) x.fill_(1) x.zero_()
x.lerp_(x,0.5) x.addcmul_(x,x) x.addcdiv_(x,x) x.index_fill_(0,i,1.0) x.index_add_(0,i,x) x.renorm_(2,0,1.0)
"""


@pytest.mark.parametrize("shape", [(0, 3), (0,), (0, 1)], ids=str)
def test_in_place(shape: tuple[int, ...]) -> None:
    text = f"import torch\ni = torch.zeros(0, dtype=torch.int64)\nw = torch.zeros({shape}, requires_grad=True)\n"
    for call in CALLS.split():
        if len(shape) > 1 or not call.startswith(("x.tri", "x.renorm")):
            text += f"for x in (torch.zeros({shape}), w * 1):\n  y = {call}\n  print(y is x, x, x._version)\n"
            text += "y.sum().backward()\nprint(w.grad)\n"
    assert ours(text) == torchs(text)


def test_parts_without_entries() -> None:
    text = "import torch\nx = torch.zeros(3, requires_grad=True)\ny = x * 1\ny[:0] = 1\ny[1:1].mul_(2)\n"
    text += "y.sum().backward()\nprint(x.grad, y)\nz = torch.zeros(3)\nz[1:1] += 2\nprint(z)"
    assert ours(text) == torchs(text)
