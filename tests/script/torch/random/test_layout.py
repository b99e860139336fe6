"""Numbers are drawn in the order in which the entries of a tensor lie in memory."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs

CALLS = [
    *(f"y[:, 1].{call}" for call in ("normal_()", "uniform_()", "exponential_()", "bernoulli_(0.3)", "random_(0, 9)")),
    *(f"y.t().{call}" for call in ("normal_(1, 2)", "uniform_()", "bernoulli_(0.3)", "random_(0, 9)")),
    "torch.nn.init.normal_(y.t())",
    "torch.nn.init.uniform_(y.t())",
    "torch.randn_like(y[:, 1])",
]


@pytest.mark.parametrize("call", CALLS)
def test_numbers_follow_memory(call: str) -> None:
    text = f"import torch\ny = torch.zeros(20, 2)\ntorch.manual_seed(0)\nprint({call})\nprint(y, torch.rand(1))\n"
    assert ours(text) == torchs(text)
