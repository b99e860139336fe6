"""Mistakes that are named: descents, maxima, rules half remembered, labels, and right gradients gone on with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import graded_answer, names_mistake, of_program, of_script

V, U = np.array([1.2, 0.7, -0.4]), np.array([0.31, 1.9, 0.83])
W = np.array([[0.7, -1.3], [1.9, 0.4]])
G = np.array([[1.1, 0.6], [-0.3, 0.8]])
SCORES = np.array([[0.4, 1.7, -0.6], [1.1, -0.2, 0.3]])
P = np.exp(SCORES) / np.exp(SCORES).sum(axis=1, keepdims=True)
ONE_HOT = np.eye(3)[[2, 0]]
ONE = f"v = {V.tolist()}"
XY = "x = 1.7, y = 0.6"
CLASSES = "q = cross_entropy(s, [2, 0])"
Y = np.array([1.0, 0.0, 1.0])
A = 1 / (1 + np.exp(-V))
ENTROPY = "p = sigmoid(v); q = -mean(y*log(p) + (1 - y)*log(1 - p))"


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "code"),
    [
        ("q = maximum(x*y, x + y)", XY, "dq/dx", 0.6, "relu-gate"),
        ("q = maximum(x*y, x + y)", XY, "dq/dx", 1.6, "relu-gate"),
        ("m = max(v); q = m**2", ONE, "dq/dv", 2.4 * np.ones(3), "relu-gate"),
        ("m = max(v); q = m**2", ONE, "dq/dv", np.array([0, 2.4, 0]), "relu-gate"),
        ("q = exp(x)", "x = 1.7", "dq/dx", 1.7 * np.exp(1.7), "power-rule"),
        ("p = x*y; q = log(p)", XY, "dq/dp", 1.0, "inner-dropped"),
        ("h = tanh(x); q = y*h + x", XY, "dq/dx", (1 - np.tanh(1.7) ** 2) + 1, "inner-dropped"),
        ("q = sum(abs(v))*1.3", ONE, "q", np.sum(V**2) * 1.3, "forward-slip"),
        (CLASSES, f"s = {SCORES.tolist()}", "dq/ds", (P + ONE_HOT) / 2, "softmax"),
        (CLASSES, f"s = {SCORES.tolist()}", "dq/ds", (P - np.eye(3)[[2, 1]]) / 2, "softmax"),
        ("a = log_softmax(s, 1); q = a[0, 1]", f"s = {SCORES.tolist()}", "a", P, "forward-slip"),
        ("p = softmax(v); q = sum(u*p)", f"{ONE}, u = {U.tolist()}", "dq/dv", None, "softmax"),
        (ENTROPY, f"{ONE}, y = {Y.tolist()}", "dq/dv", A / 3, "softmax"),
        (ENTROPY, f"{ONE}, y = {Y.tolist()}", "dq/dv", (A - 1 + Y) / 3, "softmax"),
        ("q = sum((w - g)**2)/4", f"w = {W.tolist()}, g = {G.tolist()}", "dq/dw", W - G, "batch-n"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(program: str, at: str, quantity: str, answer: Any, code: str) -> None:
    if answer is None:
        p = np.exp(V) / np.exp(V).sum()
        answer = U - np.sum(p * U)
    names_mistake(of_program(program, at, quantity), {quantity: answer}, quantity, code)


LOOP = """w = torch.tensor(2.3, requires_grad=True)
opt = torch.optim.{optimizer}
for step in range(3):
    opt.zero_grad()
    loss = (1.7*w - 0.9)**2
    loss.backward()
    opt.step()
"""


def descended(rate: float = 0.1, factor: float = 3.4, decay: float = 0.0, momentum: float = 0.0, *, first: bool = False,
              rounds: int = 3) -> float:  # fmt: skip
    w, velocity, kept = 2.3, 0.0, 0.0
    for step in range(rounds):
        kept = kept if first and step else factor * (1.7 * w - 0.9) + decay * w
        velocity = momentum * velocity + kept
        w -= rate * velocity
    return w


@pytest.mark.parametrize(
    ("optimizer", "answer", "code"),
    [
        ("SGD([w], lr=0.1)", descended(1.0), "descent"),
        ("SGD([w], lr=0.1)", descended(first=True), "descent"),
        ("SGD([w], lr=0.1)", descended(rounds=1), "descent"),
        ("SGD([w], lr=0.1, momentum=0.9)", descended(), "descent"),
        ("SGD([w], lr=0.1, weight_decay=0.3)", descended(), "descent"),
        ("Adam([w], lr=0.1)", descended(), "descent"),
    ],
)
def test_a_slip_in_every_round_of_a_descent_is_named(optimizer: str, answer: float, code: str) -> None:
    names_mistake(of_script(LOOP.format(optimizer=optimizer), "w"), {"w": answer}, "w", code)


@pytest.mark.parametrize("copied", ["gw, gb = w.grad.item(), b.grad.item()", "gw = w.grad.item()\ngb = b.grad.item()"])
def test_updates_follow_from_gradients_that_were_copied_beside_each_other(copied: str) -> None:
    script = (
        "w = torch.tensor(1.3, requires_grad=True)\nb = torch.tensor(0.4, requires_grad=True)\n"
        f"loss = (w*1.7 + b)**2\nloss.backward()\n{copied}\n"
        "with torch.no_grad():\n    w -= 0.1*w.grad\n    b -= 0.1*b.grad\n"
    )
    grader = of_script(script, "gw", "gb", "w", "b")
    wrong = 1.3 * 1.7 + 0.4  # for its double
    answers = {"gw": 1.7 * wrong, "gb": wrong, "w": 1.3 - 0.17 * wrong, "b": 0.4 - 0.1 * wrong}
    assert [graded_answer(grader, answers, name).verdict for name in ("w", "b")] == ["carried", "carried"]
