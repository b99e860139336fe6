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

MISTAKES = {
    "w.backward()": "reduce the output first",
    "y = (w * w).sum()\ny.backward()\ny.backward()": "retain_graph=True",
    "torch.ones(1).backward()": "look for one that is missing",
    "w += 1": "inside torch.no_grad()",
    "w.numpy()": "x.detach().numpy()",
    "w.grad.zero_()": "w.grad is None here: call backward() before",
    "w.data -= 0.1 * w.grad": "w.grad is None here: call backward() before",
    "def f(x):\n    y = x\nout = f(w)\nout.sum()": "out is None here",
    "torch.ones(2, 3) @ torch.ones(2, 3)": "3 columns meet 2 rows",
    "nn.Linear(4, 1)(torch.ones(2, 3))": "a layer needs in_features=3",
    "torch.ones(2) + torch.ones(3)": "2 and 3 go together only where one of them is 1",
    "torch.ones(2, 3).reshape(4, 2)": "the product 6",
    "torch.ones(2).sum(dim=1)": "dim is -1 to 0 here",
    "nn.Conv2d(3, 8, 3)(torch.ones(1, 1, 8, 8))": "in_channels=1",
    "nn.CrossEntropyLoss()(torch.ones(2, 3), torch.tensor([[0], [1]]))": "target.squeeze(1)",
    "nn.CrossEntropyLoss()(torch.ones(4, 3), torch.tensor([0, 1, 2]))": "4 rows of scores need 4 labels, not 3",
    "nn.MSELoss(w, w)": "nn.MSELoss()(...)",
    "torch.optim.SGD([], lr=0.1)": "nn.ModuleList",
    "nn.Linear(3, 1)(torch.ones(1, 3).double())": "x.float()",
    "if w > 0:\n    pass": "(x > 0).all()",
    "w(0)": "square brackets",
    "loss = w.sum().item()\nloss.backward()": "leave .item()",
    "a, b, c = w": "count the names",
    "print('x: ' + 3)": "f'{x}'",
    "torch.ones(2).unsqeeze(0)": "did you mean unsqueeze?",
    "W + 1": "did you mean w?",
    "x = (1,": "closing bracket",
    "for i in range(3)\n    pass": "end the line with a colon",
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
