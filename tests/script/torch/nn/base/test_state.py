"""Saving and loading the numbers of modules, against torch."""

from __future__ import annotations

import pytest

from tests.script.torch.nn.agreement import agree, guarded


def test_states_share_the_memory_of_the_module() -> None:
    agree(
        """
m = nn.Sequential(nn.Linear(3, 1), nn.BatchNorm1d(1))
state = m.state_dict()
with torch.no_grad():
    m[0].bias.fill_(3)
print(list(state), state["0.bias"], state["0.bias"].requires_grad, m.state_dict(keep_vars=True)["0.bias"])
print(m.state_dict(prefix="net.")["net.1.running_var"], len(state))
for name, value in state.items():
    print(name, value.shape)
"""
    )


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
n.load_state_dict({"weight": torch.zeros(1, 3), "bias": torch.ones(1)}, assign=True)
print(n.weight is weight, n.weight)
missing, unexpected = n.load_state_dict({}, strict=False)
print(missing, unexpected)
"""
    )


@pytest.mark.parametrize(
    "state",
    [
        "{}",
        "nn.Linear(2, 3).state_dict()",
        "{'weight': 3, 'bias': torch.ones(2)}",
        "{'weight': torch.ones(2, 2), 'bias': torch.ones(2), 'foo': 1, 'bar.weight': 2}",
        "[1]",
        "None",
        "nn.Sequential(nn.Linear(2, 2)).state_dict()",
    ],
)
def test_refusals(state: str) -> None:
    agree(guarded(f"nn.Linear(2, 2).load_state_dict({state})"))


def test_copies() -> None:
    agree(
        """
import copy
m = nn.Sequential(nn.Linear(3, 1), nn.BatchNorm1d(1))
m(x).sum().backward()
n = copy.deepcopy(m)
with torch.no_grad():
    n[0].weight.zero_()
print(m[0].weight, n[0].weight, n[0].weight.grad, n, n[1].running_mean)
"""
    )
