"""Names that torch has not are mistakes of the snippet; names that are only not here say so."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from gradcli.script.errors import UnsupportedError
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.originals import torch_names
from gradcli.source import Source
from tests.script.record_names import NAMES, lines
from tests.script.running import ours, torchs

MISTAKES = """
torch.Tensor.foo
nn.Parameter(torch.ones(2)).foo
torch.linalg.invert
(torch.ones(2, requires_grad=True) * 2).grad_fn.variable
"""
ABSENT = {
    "torch.fft.fft(torch.ones(2))": "torch.fft is not supported here",
    "torch.ones(2).coalesce()": "Tensor.coalesce is not supported here",
    "nn.Linear(1, 2).compile()": "Module.compile is not supported here",
    "np.add.at(np.zeros(2), [0, 0], 1)": "numpy.ufunc.at is not supported here",
    "np.maximum.accumulate([1, 2])": "numpy.ufunc.accumulate is not supported here",
}
# What may be done instead; a name that torch has was meant, so no other is offered.
INSTEAD = {
    "torch.autocast('cpu')": "leave it out: tensors keep their dtype here",
    "torch.ones(2).to_sparse()": "tensors are dense here: write torch.tensor",
    "torch.optim.lr_scheduler.CyclicLR": "write OneCycleLR, or LambdaLR with a function of the epoch",
    "torch.distributions.Gamma": "there are Normal, Uniform, Bernoulli, Categorical, and Independent of these",
    "torch.hub": "see gradcli ops for the operations",
}
TRIED = "import torch\nfrom torch import nn\ntry:\n    {}\nexcept AttributeError as error:\n    print(error)\n"


@pytest.mark.parametrize("expression", MISTAKES.strip().splitlines())
def test_a_name_that_torch_has_not_is_an_attribute_error(expression: str) -> None:
    text = TRIED.format(expression)
    assert ours(text) == torchs(text) != ""


@pytest.mark.parametrize("expression", ABSENT)
def test_a_name_that_torch_has_is_not_supported(expression: str) -> None:
    found = ours(f"import numpy as np\nimport torch\nfrom torch import nn\n{expression}\n")
    assert found == f"Error: AttributeError: {ABSENT[expression]}\n"


@pytest.mark.parametrize("expression", INSTEAD)
def test_a_name_that_torch_has_offers_no_other(expression: str) -> None:
    with pytest.raises(UnsupportedError) as failure:
        run([Source(f"import torch\nx = {expression}\n", "snippet.py")], Machine(Limits(), lambda text: None))
    assert failure.value.help == INSTEAD[expression]


def test_names_are_torchs() -> None:
    pytest.importorskip("torch")
    recorded, found = (dict(line.split(": ", 1) for line in text) for text in (NAMES.read_text().splitlines(), lines()))
    assert recorded.keys() == found.keys()
    for owner, names in recorded.items():
        known, own = set(names.split()), set(found[owner].split())
        assert known <= own, owner
        more = [getattr(sys.modules[owner], name) for name in own - known]  # what other tests have imported
        assert all(isinstance(thing, ModuleType) for thing in more), owner


def test_names_are_known_of_every_module() -> None:
    assert {"backward", "grad", "item"} <= torch_names()["torch.Tensor"]
    assert all(torch_names().values())
