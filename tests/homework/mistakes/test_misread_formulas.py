"""Mistakes that are named: formulas misread, neighbours mixed up, answers with two digits, own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import LEAF, graded_answer, names_mistake, of_program, of_script

V, U = np.array([1.2, 0.7, -0.4]), np.array([0.31, 1.9, 0.83])
ONE = f"v = {V.tolist()}"
XY = "x = 1.7, y = 0.6"
FOUR = "w1 = 0.7, w2 = -1.3, x1 = 1.9, x2 = 0.4, b = 0.6"
SCORES = np.array([0.4, 1.7, -0.6])
P = np.exp(SCORES) / np.exp(SCORES).sum()
S = 1 / (1 + np.exp(-0.7))


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "code"),
    [
        ("q = sum(relu(v))", ONE, "q", 2.3, "forward-slip"),
        ("q = sum(v**2)*1.3", ONE, "q", np.sum(abs(V)) * 1.3, "forward-slip"),
        ("q = mean(v**2)", ONE, "q", np.sum(V**2) / 2, "mean-n"),
        ("q = mean(v**2)", ONE, "dq/dv", V, "mean-n"),
        ("q = -log(x)", "x = 1.7", "q", -np.log10(1.7), "forward-slip"),
        ("p = sigmoid(s); q = sum(p*p)", f"s = {SCORES.tolist()}", "p", P, "forward-slip"),
        ("p = softmax(s, 0); q = sum(p*p)", f"s = {SCORES.tolist()}", "p", SCORES / SCORES.sum(), "forward-slip"),
        ("p = x**2 + y**2; q = sqrt(p)", XY, "q", np.sqrt(2.3), "forward-slip"),
        ("z = w1*x1 + w2*x2 + b; q = z**2", FOUR, "z", 0.7 * 1.9 - 1.3 * 1.9 + 0.6, "forward-slip"),
        ("h = relu(x*y); q = h**2", XY, "dq/dx", 2 * 1.02 * 1.02 * 0.6, "activation-rule"),
        ("a = sigmoid(s); q = a**2", "s = 0.7", "dq/ds", 2 * S * (S * (1 - S)) ** 2, "activation-rule"),
        ("z = 3*s; q = cross_entropy(z, 1)", f"s = {SCORES.tolist()}", "dq/dz", None, "softmax"),
        ("h = relu(x*y); k = relu(-x); q = 1.3*h + 0.7*k", XY, "dq/dx", 0.78 - 0.7, "relu-gate"),
        ("h = relu(x*y); k = relu(-x); q = 1.3*h + 0.7*k", XY, "dq/dx", -0.7, "relu-gate"),
        ("u = 3*x + 1; v = u**2; q = sin(v)", "x = 0.7", "dq/dx", np.cos(0.7) * 6.2 * 3, "outer-at-wrong-point"),
        ("u = 3*x + 1; v = u**2; q = sin(v)", "x = 0.7", "dq/dx", np.cos(9.61) + 6.2 + 3, "chain-added"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_and_is_not_certain(program: str, at: str, quantity: str, answer: Any, code: str) -> None:
    if answer is None:
        p = np.exp(3 * SCORES) / np.exp(3 * SCORES).sum()
        answer = (p - np.eye(3)[1]) * p * (1 - p)
    found = graded_answer(of_program(program, at, quantity), {quantity: answer}, quantity)
    assert found.verdict == "wrong"
    named = [one for one in found.diagnoses if one.code == code]
    assert named, found
    assert not any(one.certain for one in named if one.code in ("forward-slip", "mean-n", "softmax", "activation-rule"))


def test_what_a_reset_took_away_is_named_with_the_students_own_number() -> None:
    """`w.grad` had 2.45 where the student has 3.5, and 1.75 comes after the reset."""
    passes = "(w ** 2 * 1.75).backward()\nfirst = w.grad.clone()\nw.grad = None\n(w * 1.75).backward()"
    answers = {"first": 3.5, "w.grad": 5.25}
    names_mistake(of_script(f"w = {LEAF(0.7)}\n{passes}", *answers), answers, "w.grad", "stale-grad")


@pytest.mark.parametrize("read", ["w.grad.item()", "w.grad.clone()", "float(w.grad)"])
def test_a_gradient_that_was_kept_as_a_number_is_carried(read: str) -> None:
    step = "with torch.no_grad():\n    w -= 0.1 * w.grad"
    script = f"w = {LEAF(0.7)}\nq = (w * 1.5 - 2.0) ** 2\nq.backward()\ng = {read}\n{step}"
    answers = {"g": -1.425, "w": 0.8425}
    assert graded_answer(of_script(script, *answers), answers, "w").verdict == "carried"
