"""`torch.nn.utils` against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded

GRADIENTS = "m = nn.Linear(3, 2)\n(m(x) * 10).sum().backward()\n"


@pytest.mark.parametrize(
    "call",
    [
        "clip_grad_norm_(m.parameters(), 1.0)",
        "clip_grad_norm_(m.parameters(), 1.0, norm_type=float('inf'))",
        "clip_grad_value_(m.parameters(), 0.5)",
    ],
)
def test_clipping(call: str) -> None:
    agree(GRADIENTS + f"print(nn.utils.{call})\nprint([p.grad for p in m.parameters()])")


def test_infinite_gradients() -> None:
    text = "m.weight.grad[0, 0] = float('inf')\nnn.utils.clip_grad_norm_(m.parameters(), 1.0, error_if_nonfinite=True)"
    agree(GRADIENTS + guarded(text))


def test_parameters_as_one_vector() -> None:
    agree(
        "m = nn.Linear(3, 1)\nprint(nn.utils.parameters_to_vector(m.parameters()))\n"
        "nn.utils.vector_to_parameters(torch.arange(4.0), m.parameters())\nprint(m.weight, m.bias)\n"
    )
    agree(guarded("nn.utils.vector_to_parameters([1.0], [])"))
