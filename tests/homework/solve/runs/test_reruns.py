"""Credit for what follows from a wrong gradient through a step of the descent, by arithmetic of its own."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from gradcli.homework.grading import Grader
from gradcli.homework.model import Marked
from tests.homework.asking import assignment, marked

START, RATE = np.array([1.5, 0.5]), 0.1
LEAF = "w = torch.tensor([1.5, 0.5], dtype=torch.float64, requires_grad=True)\n"
BACK = "loss.backward()\n"
LOSS = f"loss = (w**3).sum()\n{BACK}"
SGD = "opt = torch.optim.SGD([w], lr=0.1)\n"
IN_LOOP = "for _ in range(2):\n    opt.zero_grad()\n    loss = (w**3).sum()\n    loss.backward()\n    opt.step()\n"
SECOND = START - RATE * 3 * START**2
SNIPPETS = {  # the snippet, its gradient, and the weight after the step from some gradient
    "in a loop": (SGD + IN_LOOP, "w.grad", SECOND),
    "autograd.grad": ("loss = (w**3).sum()\ng, = torch.autograd.grad(loss, w)\nw = w - 0.1 * g\n", "g", START),
    "a copy": (SGD + LOSS + "g = w.grad.clone()\nopt.step()\nopt.zero_grad()\n", "g", START),
}  # fmt: skip


def grader(snippet: str, gradient: str, head: str = "") -> Grader:
    text = f"import torch\n{LEAF}{snippet}after = (w**2).sum()\n"
    return assignment(f"script = '''\n{text}'''\nask = ['{gradient}', 'w', 'after']\n", head)


def graded(by: Grader, gradient: str, own: object, **others: object) -> Mapping[str, Marked]:
    written = {name: str(np.asarray(value).tolist()) for name, value in {gradient: own, **others}.items()}
    return marked(by, written)


@pytest.mark.parametrize("kind", SNIPPETS)
def test_a_step_with_a_wrong_gradient_is_carried(kind: str) -> None:
    snippet, gradient, before = SNIPPETS[kind]
    own = START**2 / 0.7
    w = before - RATE * own
    found = graded(grader(snippet, gradient), gradient, own, w=np.round(w, 5), after=round(float(np.sum(w**2)), 5))
    assert [one.verdict for one in found.values()] == ["wrong", "carried", "carried"]
    assert found["w"].remark == f"it follows from your {gradient}"
    assert found["after"].remark in (f"it follows from your {gradient}", "it follows from your w")
    assert not found["w"].diagnoses
    off = graded(grader(snippet, gradient), gradient, own, w=w + 0.05)
    assert off["w"].verdict == "wrong"
    off = graded(grader(snippet, gradient, "carry_forward = false"), gradient, own, w=w)
    assert off["w"].verdict == "wrong"


def test_momentum_and_digits_that_were_not_written_down_are_gone_on_with() -> None:
    snippet = SGD.replace("lr=0.1", "lr=0.1, momentum=0.9") + IN_LOOP
    g = START**2 / 0.7
    w = SECOND - RATE * (0.9 * 3 * START**2 + g)
    found = graded(grader(snippet, "w.grad"), "w.grad", np.array([3.21, 0.357]), w=np.round(w, 5))
    assert found["w"].verdict == "carried"


@pytest.mark.parametrize("own", [[0.0, 0.0], [0.5, 0.5], "unknown"])
def test_nothing_is_carried_from_no_gradient(own: object) -> None:
    found = graded(grader(SGD + LOSS + "opt.step()\n", "w.grad"), "w.grad", own, w=START)
    assert found["w"].verdict == "wrong"


def test_nothing_is_carried_where_the_gradient_is_changed_before_the_step() -> None:
    """The gradient that is asked for is not the one that another number would replace."""
    snippet = SGD + LOSS + "torch.nn.utils.clip_grad_norm_([w], 1.0)\nopt.step()\n"
    own = START**2
    assert graded(grader(snippet, "w.grad"), "w.grad", own, w=START - RATE * own)["w"].verdict == "wrong"
