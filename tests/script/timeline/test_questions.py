"""What learners ask when training does not do what they expect, and what the timeline answers."""

from __future__ import annotations

import pytest

from gradcli.render.run.snippet_document import snippet_document
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.looks import Looks
from gradcli.script.timeline.model import Returned, Timeline
from tests.commands.running import validator
from tests.script.running import recorded

START = "import torch\nfrom torch import nn\nw = torch.tensor([2.0, 3.0], requires_grad=True)\n"
SGD = "opt = torch.optim.SGD([w], lr=0.1)\n"

ANSWERS = {
    # cut off on the way
    "y = torch.tensor(w * 3, requires_grad=True)\ny.sum().backward()\nw.grad": "torch.tensor() at line 4 copied the",
    "s = float(w[0])\nt = torch.tensor(s, requires_grad=True)\nt.backward()\nw.grad": "float() at line 4 took the",
    # whose gradient
    "w.requires_grad = False\nw.grad": "line 4 switched its requires_grad off",
    "(w * 1).sum().backward()\nwith torch.no_grad():\n    w = w - w.grad\nw.grad": "line 6 made a new tensor inside",
    "v = torch.ones(2, requires_grad=True) * 0.1\nv.grad": "call requires_grad_() last, on the finished tensor",
    "b = torch.ones(2, requires_grad=True)\nc = b * 2\nw.sum().backward()\nb.grad": "started from what does not",
    "y = w * 2\ny.sum().backward()\ny.retain_grad()\ny.grad": "no backward pass has reached it since",
    # updates
    SGD + "w.sum().backward()\nopt.zero_grad()\nopt.step()": "SGD changes nothing: line 6 set it to None",
    "opt = torch.optim.SGD([w], lr=0.0)\nw.sum().backward()\nopt.step()": "w stays: lr is 0",
    SGD + "(w * 0).sum().backward()\nopt.step()": "w stays: its .grad is 0",
    "m = nn.Linear(2, 1)\nopt = torch.optim.SGD(m.parameters(), lr=1.0)\nm.weight = nn.Parameter(torch.ones(1, 2))\n"
    "m(w).backward()\nopt.step()": "SGD holds the tensor that m.weight was before, not the new one",
    "w.data -= 1": "w -> [1, 2] behind the back of autograd",
    # gradients
    "torch.round(w).sum().backward()": "for its derivative is 0 everywhere",
    "torch.softmax(w, 0).sum().backward()": "its entries always add up to 1",
    "torch.sigmoid(w * 100).sum().backward()": "is so far from 0 that it is flat there",
    "b = torch.zeros(2)\n(w * b).sum().backward()": "for it multiplies by b, which is 0",
    "torch.sqrt(w - 2).sum().backward()": "w.grad is infinite: the derivative of sqrt (line 4)",
    "x = w - 2\ntorch.where(x > 0, x.log(), x).sum().backward()": "where() leaves v2 out only after that",
    "torch.exp(w * 100).log().sum().backward()": "(line 4) is infinite already",
    "y = w * 2\ny.register_hook(lambda g: g * 10)\ny.sum().backward()": "a hook on y changed its gradient",
    "y = w * 2\ny.retain_grad()\n(y * 3).sum().backward()": "kept by retain_grad() | y.grad -> [3, 3]",
    # errors
    # names
    "v1 = w * 2\ny = (v1 + 1) * 3": "v2 = v1 + 1",
    "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.s = torch.ones(2, requires_grad=True)\nn = N()\n(n.s * w).sum().backward()": "n.s.grad -> [2, 3]",
}


def page(timeline: Timeline) -> str:
    """The page without its columns, on one line."""
    text = timeline_page(timeline, Looks(ascii=True))
    return " | ".join(" ".join(line.split()) for line in text.split("\n"))


@pytest.mark.slow
@pytest.mark.parametrize("program", ANSWERS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_answer_is_there(program: str) -> None:
    timeline = recorded(f"{START}{program}\n")
    assert ANSWERS[program] in page(timeline)
    validator("run").validate(snippet_document("a.py", "", timeline, None))


def test_autograd_grad_is_told_as_a_pass() -> None:
    timeline = recorded(f"{START}y = (w ** 3).sum()\ng, = torch.autograd.grad(y, w)\n")
    (event,) = (event for event in timeline.events if isinstance(event, Returned))
    ((name, gradient),) = event.gradients
    assert (event.output, name, list(gradient)) == ("y", "w", [12, 27])
    assert event.explanation is not None


def test_a_long_loop_says_it_once() -> None:
    timeline = recorded(f"{START}for i in range(200):\n    (w * 2).sum().backward()\n")
    told = page(timeline)
    assert told.count("still held the gradient") == 1
    assert "and 198 more times" in told
    assert told.partition("Training")[0].count("|") < 60


def test_news_are_told_whenever_they_come() -> None:
    program = (
        "v = torch.tensor(1.0, requires_grad=True)\nfor i in range(20):\n    (v * 10.0 ** (i * 4)).log().backward()\n"
    )
    told = page(recorded(f"{START}{program}"))
    assert (
        told.count("v.grad is nan since pass 11 of this line: v1, the result of mul (line 6), is infinite already") == 1
    )


@pytest.mark.slow
def test_what_runs_in_a_loop_is_forgotten() -> None:
    program = (
        f"{START}x = w\nfor i in range(500):\n    x = (x.detach() + 1).requires_grad_()\n    (x * 2).sum().backward()\n"
    )
    timeline = recorded(program)
    assert len(timeline.leaves) < 10


def test_a_transform_keeps_its_own_operations_to_itself() -> None:
    told = page(recorded(f"{START}f = lambda t: (t ** 3).sum()\nprint(torch.autograd.functional.hessian(f, w))\n"))
    assert "line 4: f = lambda t: (t ** 3).sum()" in told
    assert "line 5" not in told
    assert " t = [2, 3]" not in told  # nor the tensor that it gave to f
