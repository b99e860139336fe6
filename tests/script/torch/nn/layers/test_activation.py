"""Activations as modules, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

MADE = [
    "Hardtanh()", "LeakyReLU()", "LeakyReLU(0.2)", "LogSigmoid()", "LogSoftmax(1)", "Mish()", "PReLU()", "PReLU(3)",
    "Softplus(2, 1)", "Softsign()", "Tanh()", "Threshold(0.1, 5.0)",
]  # fmt: skip
PASS = """
z = m(x)
print(m, type(m).__name__, type(m))
print(z, z.grad_fn, [f and f[0] for f in z.grad_fn.next_functions])
(z * torch.arange(1.0, z.numel() + 1).view(z.shape)).sum().backward()
print(x.grad, [p.grad for p in m.parameters()])
"""


@pytest.mark.parametrize("made", MADE)
def test_forward_and_backward(made: str) -> None:
    agree(f"m = nn.{made}" + PASS)


@pytest.mark.parametrize(
    "name", ["ReLU", "ReLU6", "SiLU", "Mish", "Hardswish", "Hardsigmoid", "ELU", "LeakyReLU", "SELU"]
)
def test_in_place(name: str) -> None:
    agree(f"m = nn.{name}(inplace=True)\nw = x * 1\nz = m(w)\nprint(m, z is w, z)\nz.sum().backward()\nprint(x.grad)")
    agree(guarded(f"nn.{name}(inplace=True)(x)"))
