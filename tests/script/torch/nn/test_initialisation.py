"""`torch.nn.init` against torch, and the random numbers that are left."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded, printed


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


def test_parameters_stay_what_they_are() -> None:
    agree(
        "m = nn.Linear(3, 2)\nw = m.weight\nprint(w._version, nn.init.xavier_uniform_(m.weight) is w, w._version)\n"
        "m(x).sum().backward()\nprint(w.grad)\n"
        "def start(layer):\n    if isinstance(layer, nn.Linear):\n        nn.init.normal_(layer.weight)\n"
        "        layer.bias.data.fill_(0.5)\n"
        "print(list(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).apply(start).parameters()))"
    )


def test_without_torch() -> None:
    text = "w = nn.init.uniform_(torch.empty(9, 20), -1, 2)\n"
    text += "print(bool((w >= -1).all() and (w < 2).all()), w.std() > 0.8)"
    assert printed(text) == "True tensor(True)\n"
