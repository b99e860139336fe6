"""What can be reached of torch's modules and tensors is what torch has: nothing of the engine leaks."""

from __future__ import annotations

import pytest

from gradcli.script.torch.tensor import attributes  # noqa: F401  those of tensors, which are to be looked at
from tests.script.running import ours, torchs

LEAKS = """
torch.resample
torch.entries
torch.conv3d_input
torch.select_backward
torch.apply_
torch.scaled_dot_product_attention
torch.ones(2).ln
torch.ones(2).power
torch.ones(2).stack
torch.ones(2).poisson
torch.ones(2).sum_
torch.ones(2).softmax_
torch.nn.functional.exp
torch.linalg.sin
torch.linalg.eye
torch.special.ln
"""
TRIED = "import torch\ntry:\n    {}\nexcept AttributeError as error:\n    print(error)\n"


@pytest.mark.parametrize("expression", LEAKS.strip().splitlines())
def test_what_torch_has_not_is_its_attribute_error(expression: str) -> None:
    text = TRIED.format(expression)
    assert ours(text) == torchs(text) != ""
