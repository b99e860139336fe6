"""Saving and loading the numbers of modules, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


def test_loading() -> None:
    agree(
        """
m, n = nn.Linear(3, 1), nn.Linear(3, 1)
weight = n.weight
print(n.load_state_dict(m.state_dict()), n.weight is weight, torch.equal(n.weight, m.weight), n.weight.requires_grad)
result = n.load_state_dict({"weight": torch.ones(1, 3), "foo": x}, strict=False)
print(result, result.missing_keys, result.unexpected_keys, n.weight)
n.load_state_dict({"weight": torch.zeros(1, 3, dtype=torch.float64), "bias": torch.ones(1)})
print(n.weight, n.bias)
missing, unexpected = n.load_state_dict({}, strict=False)
print(missing, unexpected)
"""
    )


@pytest.mark.parametrize(
    "state",
    [
        "{'weight': 3, 'bias': torch.ones(2)}",
        "[1]",
        "None",
    ],
)
def test_refusals(state: str) -> None:
    agree(guarded(f"nn.Linear(2, 2).load_state_dict({state})"))
