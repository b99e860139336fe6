"""What to do about an error: one line about this one, and where the calls came from."""

from __future__ import annotations

import pytest

from gradcli.errors import GradcliError
from gradcli.script.advice import ADVICE
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source

START = "import torch\nfrom torch import nn\nw = torch.ones(2, requires_grad=True)\n"

CUSTOM = """class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g, g
"""

MISTAKES = {
    "w += 1": "inside torch.no_grad()",
    "w.data -= 0.1 * w.grad": "w.grad is None here: backward() fills it where w is a leaf",
    "def f(x):\n    y = x\nout = f(w)\nout.sum()": "out is None here",
    "nn.Linear(4, 1)(torch.ones(2, 3))": "a layer needs in_features=3",
    "nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 8, 8))": "in_channels=1",
    "nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([[0], [1]]))": "target.squeeze(1)",
    "nn.CrossEntropyLoss()(torch.ones(4, 3), torch.tensor([0, 1, 2]))": "4 rows of scores need 4 labels, not 3",
    "nn.MSELoss(w, w)": "nn.MSELoss()(...)",
    "w(0)": "square brackets",
    "torch.ones(2, 3).permute(0, 2, 1)": "every dimension once",
    "nn.BatchNorm1d(3)(torch.ones(4, 2))": "num_features=2",
    "nn.LSTM(3, 4)(torch.ones(5, 2, 2))": "input_size=2",
    "nn.BCEWithLogitsLoss()(torch.ones(3, 1), torch.ones(3))": "target.unsqueeze(1)",
    "torch.ones(4)[torch.tensor([True, False])]": "a mask has the shape",
    "x = None\nx[0]": "it is None",
    f"{CUSTOM}F()(w)": "y = Name.apply(x)",
    "print('x: ' + 3)": "f'{x}'",
    "W + 1": "did you mean w?",
    "def f():\n        a = 1\n    b = 2": "the same four spaces",
    ">>> w": "take the prompts",
    "%matplotlib inline": "a command for a notebook",
}


def refused(text: str) -> GradcliError:
    machine = Machine(Limits(), lambda text: None)
    with pytest.raises(Exception) as caught:
        run([Source(text, "snippet.py")], machine)
    return failure(caught.value, machine.globals)


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_advice_is_about_this_error(mistake: str) -> None:
    assert MISTAKES[mistake] in refused(START + mistake).help


def test_calls_are_told_from_the_nearest() -> None:
    told = refused("def f(x):\n    return x / 0\ndef g(x):\n    return f(x)\ng(1)\n")
    assert told.help.split("\n")[-1] == "called from line 4, from line 5"


def test_what_a_snippet_raises_speaks_for_itself() -> None:
    assert refused("raise ValueError('too small')\n").help == ""


def test_every_remedy_can_be_written() -> None:
    for _, words in ADVICE:
        assert words.format(*"0123")
