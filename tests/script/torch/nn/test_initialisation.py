"""`torch.nn.init` against torch, and the random numbers that are left."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


@pytest.mark.parametrize(
    "call",
    [
        "uniform_(w)", "uniform_(w, -1, 2)", "normal_(w)", "normal_(v, std=0.02)", "constant_(w, 0.3)", "ones_(w)",
        "zeros_(w)", "xavier_uniform_(w)", "xavier_uniform_(v, gain=2)", "xavier_normal_(v)",
        "kaiming_uniform_(w)", "kaiming_uniform_(v, a=0.2)", "kaiming_normal_(w, nonlinearity='relu')",
        "kaiming_normal_(v, mode='fan_out', nonlinearity='relu')",
        "calculate_gain('relu')", "calculate_gain('tanh')",
        "calculate_gain('leaky_relu', 0.2)", "calculate_gain('foo')", "calculate_gain('leaky_relu', 'a')",
        "xavier_uniform_(w[0])", "kaiming_uniform_(w, mode='x')",
        "kaiming_uniform_(torch.empty(0, 3))", "uniform_(w, generator=torch.Generator().manual_seed(3))",
    ],
)  # fmt: skip
def test_numbers(call: str) -> None:
    agree(guarded(f"w, v = torch.empty(3, 4), torch.empty(2, 3, 3, 3)\nprint(nn.init.{call}, torch.rand(1))"))
