"""What torch has of graphs and gradcli has not is refused by name; a snippet cannot catch that."""

from __future__ import annotations

import re

import pytest

from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

CASES = {
    "an unpack hook that gives a tensor of another shape": """
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t[:1]):
    x.exp().sum().backward()
""",
    "Node._saved_indices": "x[[0]].grad_fn._saved_indices",
    "Tensor.random_ is not": "torch.zeros(2).random_(0, 10)",
    "Tensor.exponential_ is not": "torch.zeros(2).exponential_()",
    "padding_mode='reflect' is not": "torch.nn.Conv2d(1, 1, 3, padding=1, padding_mode='reflect')",
    "load_state_dict(assign=...)": "torch.nn.Linear(1, 1).load_state_dict({}, assign=True)",
    "register_forward_hook(always_call=...)": "torch.nn.Linear(1, 1).register_forward_hook(print, always_call=True)",
    "DataLoader(batch_size=None)": "torch.utils.data.DataLoader([1], batch_size=None)",
    "Adagrad(initial_accumulator_value=...)": "torch.optim.Adagrad([x], initial_accumulator_value=1)",
    "StepLR(last_epoch=...)": "torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x]), 1, last_epoch=3)",
    "Normal.support is not": "torch.distributions.Normal(0.0, 1.0).support",
}


@pytest.mark.parametrize("name", CASES)
def test_named(name: str) -> None:
    body = CASES[name].strip().replace("\n", "\n    ")
    text = f"import torch\nx = torch.ones(2, requires_grad=True)\ntry:\n    {body}\nexcept Exception:\n    pass\n"
    with pytest.raises((UnsupportedError, AutogradError), match=re.escape(name)):
        run([Source(text, "refused.py")], Machine(Limits(), lambda text: None))
