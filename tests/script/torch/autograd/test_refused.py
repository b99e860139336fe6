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
}


@pytest.mark.parametrize("name", CASES)
def test_named(name: str) -> None:
    body = CASES[name].strip().replace("\n", "\n    ")
    text = f"import torch\nx = torch.ones(2, requires_grad=True)\ntry:\n    {body}\nexcept Exception:\n    pass\n"
    with pytest.raises((UnsupportedError, AutogradError), match=re.escape(name)):
        run([Source(text, "refused.py")], Machine(Limits(), lambda text: None))
