"""Modes, as contexts and decorators, print as in torch."""

from __future__ import annotations

from tests.script.running import ours, torchs

MODES = """
import torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.set_detect_anomaly(True):
    try:
        (x.sqrt() * 0).sum().backward()
    except RuntimeError as error:
        print(error)
    print(torch.is_anomaly_enabled())
print(torch.is_anomaly_enabled(), x.grad)
with torch.autograd.no_grad():
    print((x * 2).requires_grad)
torch.autograd.backward([x.sum(), (x * 2).sum()])
print(x.grad)
torch.autograd.backward((x * 2), torch.ones(2), inputs=[x])
print(x.grad)

@torch.no_grad()
def double(t):
    return t * 2

print(double(x), double.__name__)
with torch.set_grad_enabled(False) as mode:
    print(x.exp())
"""


def test_modes() -> None:
    assert ours(MODES) == torchs(MODES)
