"""Saving and loading the numbers of modules, against torch."""

from __future__ import annotations

import pytest

from tests.script.running import ours, torchs
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


HOOKS = """
import torch
import torch.nn as nn

class Box(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.w = nn.Parameter(torch.ones(1))

told = []
net = Box(nn.Sequential(nn.BatchNorm1d(1), nn.Linear(1, 1)))
state = net.state_dict()
print(state._metadata)
for name, module in net.named_modules():
    module.register_state_dict_pre_hook(lambda m, prefix, keep: told.append(("save", type(m).__name__, prefix, keep)))
    module.register_state_dict_post_hook(lambda m, s, prefix, about: told.append(("saved", prefix, about, len(s))))
    module.register_load_state_dict_pre_hook(lambda m, s, *rest: told.append(("load", type(m).__name__, *rest[:3])))
    module._register_load_state_dict_pre_hook(lambda s, *rest: told.append((len(s), len(rest))))
    module.register_load_state_dict_post_hook(lambda m, keys: told.append(("loaded", type(m).__name__, str(keys))))
for state in (net.state_dict(prefix="a."), net.state_dict()):
    told.append(list(state))
print(net.load_state_dict(state), net.load_state_dict(dict(state), assign=True))
print(*told, sep="\\n")

def rename(module, state, prefix, *rest):
    state[prefix + "w"] = state.pop(prefix + "old", torch.zeros(1))
def forgive(module, keys): keys.missing_keys.clear()
def blame(module, keys): keys.unexpected_keys.append("me")
box = Box(nn.Linear(1, 1))
handle = box.register_load_state_dict_pre_hook(rename)
old = box.state_dict()
old["old"] = torch.full((1,), 7.0)
del old["w"], old["inner.bias"]
for hook in (None, forgive, blame):
    if hook:
        box.inner.register_load_state_dict_post_hook(hook)
    for strict in (True, False):
        try:
            print(box.load_state_dict(old, strict=strict), box.w, "old" in old)
        except RuntimeError as error:
            print(error)
for register in (box.register_state_dict_post_hook, box._register_state_dict_hook):
    with register(lambda m, s, prefix, about: {"all": 1}):
        try:
            print(box.state_dict())
        except RuntimeError as error:
            print(error)
box.register_load_state_dict_post_hook(lambda m, keys: 1)
try:
    box.load_state_dict(box.state_dict())
except AssertionError as error:
    print(error)
"""


def test_hooks_of_the_state() -> None:
    """The hooks of `state_dict` and `load_state_dict` run in torch's order, with what torch gives them."""
    pytest.importorskip("torch")
    assert ours(HOOKS) == torchs(HOOKS)
