"""Mistakes in snippets: hooks, steps, sums for means, one pass of several, other brackets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import LEAF, graded_answer, of_script

X = np.array([1.7, -0.6])
SCORES = np.array([[0.4, 1.7, -0.6], [1.1, -0.2, 0.3]])
SHARES = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
LOSS = float(-np.log(SHARES[[0, 1], [2, 0]]).sum())
SUM = f"s = {LEAF(SCORES.tolist())}\nq = torch.nn.functional.cross_entropy(s, torch.tensor([2, 0]), reduction='sum')"
HOOK = f"x = {LEAF(1.7)}\ny = 0.9 * x\ny.register_hook(lambda g: 2.3 * g)\ny.retain_grad()\nz = y ** 2\nz.backward()"
OWN_HOOK = f"x = {LEAF(X.tolist())}\nx.register_hook(lambda g: -1.5 * g)\nq = (x ** 2).sum()\nq.backward()"
PASSES = f"w = {LEAF(1.7)}\nfor x, y in [(0.6, 1.1), (-1.4, 0.3)]:\n    loss = (w * x - y) ** 2\n    loss.backward()"
STEP = (
    f"w, b = {LEAF(1.7)}, {LEAF(0.4)}\nopt = torch.optim.{{}}\nq = (w * 2.5 + b - 1.1) ** 2\nq.backward()\nopt.step()"
)
SGD = STEP.format("SGD([w, b], lr=0.1)")
LOOP = f"""w = {LEAF(1.7)}
opt = torch.optim.SGD([w], lr=0.1, momentum=0.8)
for _ in range(3):
    opt.zero_grad()
    q = 1.3 * w ** 2
    q.backward()
    opt.step()"""
E = 1.7 * 2.5 + 0.4 - 1.1
S = 1 / (1 + np.exp(-SCORES[0]))
Y = np.array([1.0, 0.0, 1.0])
LOGITS = f"""z = {LEAF(SCORES[0].tolist())}
p = torch.sigmoid(z)
q = torch.nn.functional.binary_cross_entropy_with_logits(z, torch.tensor({Y.tolist()}, dtype=torch.float64))
q.backward()"""
TABLE = [[0.7, -1.3], [1.9, 0.4], [0.2, 2.1]]
ROWS = f"e = {LEAF(TABLE)}\nq = (e[[2, 0, 2]] * torch.tensor([1.7, 0.6])).sum()\nq.backward()"
PIECES = f"x = {LEAF(X.tolist())}\ny = torch.where(x > 0, x ** 2, -2.3 * x)\nq = y.sum()\nq.backward()"
HALF = f"x = {LEAF(X.tolist())}\nq = 0.5 * ((x - 0.3) ** 2).sum()\nq.backward()"
RESET = f"x = {LEAF(1.7)}\nq = x ** 2\nq.backward()\nx.grad.zero_()"
ROOT = f"x = {LEAF([1.7, 0.6])}\nn = (x ** 2).sum().sqrt()\nq = 1.3 / n\nq.backward()"
NESTEROV = (
    f"w = {LEAF(1.7)}\nopt = torch.optim.SGD([w], lr=0.1, momentum=0.8, nesterov=True)\n(w ** 2).backward()\nopt.step()"
)


def with_averages() -> float:
    w, average = 1.7, 0.0
    for _ in range(3):
        average = 0.8 * average + 0.2 * 2.6 * w
        w -= 0.1 * average
    return w


@pytest.mark.parametrize(
    ("script", "quantity", "answer", "code"),
    [
        (HOOK, "y.grad", 2 * 1.53, "detach"),
        (HOOK, "y.grad", 2.3 * 1.53, "power-rule"),
        (HOOK, "x.grad", 2.3 * 2 * 1.53, "inner-dropped"),
        (HOOK, "x.grad", 2 * 1.53 * 0.9, "detach"),
        (OWN_HOOK, "x.grad", 2 * X, "detach"),
        (OWN_HOOK, "x.grad", -1.5 * X, "power-rule"),
        (SGD, "b", 0.4 - 0.1 * E, "power-rule"),
        (SGD, "b", 0.4 - 0.1 * 2 * E * 2.5, "swapped-variable"),
        (SGD, "w", 1.7 - 0.1 * 2 * E, "inner-dropped"),
        (SGD, "w", 1.7 + 0.1 * 2 * E * 2.5, "descent"),
        (SGD, "w", 1.7 - 0.2 * 2 * E * 2.5, "descent"),
        (SUM, "q", LOSS / 2, "mean-n"),
        (f"{SUM}\nq.backward()", "s.grad", (SHARES - np.eye(3)[[2, 0]]) / 2, "mean-n"),
        (PASSES, "w.grad", 2 * (1.7 * -1.4 - 0.3), "stale-grad + inner-dropped"),
        (PASSES, "w.grad", (1.7 * -1.4 - 0.3) * -1.4, "power-rule + stale-grad"),
        (PASSES, "w.grad", 4 * (1.7 * 0.6 - 1.1) * 0.6 + 2 * (1.7 * -1.4 - 0.3) * -1.4, "stale-grad"),
        (RESET, "x.grad", 3.4, "stale-grad"),
        (NESTEROV, "w", 1.7 - 0.34, "descent"),
        (LOGITS, "p", np.tanh(SCORES[0]), "forward-slip"),
        (LOGITS, "z.grad", S / 3, "softmax"),
        (LOGITS, "z.grad", (S - 1 + Y) / 3, "softmax"),
        (ROWS, "e.grad", np.array([[1.7, 0.6], [0, 0], [1.7, 0.6]]), "fanout-overwrite"),
        (PIECES, "y", np.array([-2.3 * 1.7, 0.36]), "forward-slip"),
        (PIECES, "y", np.array([1.7**2, 2.3 * -0.6]), "forward-slip"),
        (ROOT, "q", np.hypot(1.7, 0.6) / 1.3, "forward-slip"),
        (f"x = {LEAF(1.7)}\nq = 1.3 * torch.sqrt(x)", "q", 1.3 * 1.7**2, "forward-slip"),
        (f"x = {LEAF(1.9)}\nq = (x * x).exp()\nq.backward()", "x.grad", np.exp(1.9**2), "inner-dropped"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(script: str, quantity: str, answer: Any, code: str) -> None:
    found = graded_answer(of_script(script, quantity), {quantity: answer}, quantity)
    assert found.verdict == "wrong"
    assert {frozenset(code.split(" + "))} <= {frozenset(one.code.split(" + ")) for one in found.diagnoses}


def test_what_cancels_in_float32_is_right_as_it_is_on_paper() -> None:
    script = """b = torch.tensor(0.0, requires_grad=True)
error = torch.tensor([0.124, -5.0, 2.7]) + b - torch.tensor([1.1, -2.7, -0.6])
(error ** 2).mean().backward()"""
    assert graded_answer(of_script(script, "b.grad"), {"b.grad": 0.016}, "b.grad").verdict == "correct"
    assert graded_answer(of_script(script, "b.grad"), {"b.grad": 0.0161}, "b.grad").verdict == "wrong"
