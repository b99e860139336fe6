"""Mistakes in tensors and snippets, which of those with one number is first, and mistakes on own numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import LEAF, graded_answer, names_mistake, of_program, of_script

P = np.array([[0.22, 0.78], [0.64, 0.36]])
A, B = np.array([[0.3, -0.8], [1.2, 0.7]]), np.array([[1.4, 0.6], [-0.9, 1.1]])
NAMES = f"A = {A.tolist()}, B = {B.tolist()}"
V, U = np.array([1.2, 0.7, -0.4]), np.array([0.31, 1.9, 0.83])
VECTORS = f"v = {V.tolist()}, u = {U.tolist()}"


def softmax(scores: Any, axis: int) -> Any:
    return np.exp(scores) / np.exp(scores).sum(axis, keepdims=True)


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "code"),
    [
        ("q = sum(v**2 + u)", VECTORS, "dq/dv", 2 * V / 3, "mean-n"),
        ("q = sum(v**2 + u)", VECTORS, "q", np.mean(V**2 + U), "mean-n"),
        ("y = v + u; q = sum(y*y)", VECTORS, "dq/dy", 2 * (V + U) ** 2, "power-rule"),
        ("o = 3*v; q = sum((o - u)**2)", VECTORS, "dq/do", (3 * V - U) ** 2, "not-a-gradient"),
        ("d = x - m; q = d/s; l = q**2", "x = 1.7, m = 0.4, s = 2.3", "dl/dd", 2 * 1.3 / 2.3, "inner-dropped"),
        ("S = A @ B.T; q = sum(S**2)", NAMES, "S", A * B, "elementwise"),
        ("S = A @ B.T; q = sum(S**2)", NAMES, "dq/dB", 2 * (A @ B.T) @ A, "transpose"),
        ("S = A.T @ B; q = sum(S**2)", NAMES, "dq/dA", 2 * B @ (A.T @ B), "transpose"),
        ("p = sigmoid(x); q = -log(1 - p)", "x = 0.7", "q", -np.log(1 / (1 + np.exp(-0.7))), "forward-slip"),
        ("P = softmax(A, 1); q = sum(P*B)", NAMES, "dq/dA",
         softmax(A, 1) * (B - np.sum(B * softmax(A, 1), 0)), "softmax"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(program: str, at: str, quantity: str, answer: Any, code: str) -> None:
    names_mistake(of_program(program, at, quantity), {quantity: answer}, quantity, code)


@pytest.mark.parametrize(
    ("script", "quantity", "answer", "code"),
    [
        ("w = {}\nh = w * 1.7\nh.mul_(0.3)\ns = (h ** 2).sum()", "s", np.sum((1.7 * V) ** 2), "forward-slip"),
        ("w = {}\ns = torch.sum(w ** 2) * 1.3", "s", np.mean(V**2) * 1.3, "mean-n"),
    ],
)
def test_a_mistake_in_a_snippet_is_named(script: str, quantity: str, answer: Any, code: str) -> None:
    body = of_script(script.format(LEAF(V.tolist())), quantity)
    names_mistake(body, {quantity: answer}, quantity, code)


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "codes"),
    [
        ("p = x*y; q = p + z; r = p*q", "x = 1.7, y = 0.6, z = 2.3", "dr/dq", 3.32,
         ["product-own-factor", "not-a-gradient"]),
        ("m = 3 - y; l = relu(m); q = l**2", "y = 0.63", "dq/dm", 2.37, ["power-rule", "not-a-gradient"]),
        ("t = a*b; f = t/c", "a = 1.7, b = 0.6, c = 2.3", "df/dc", 1.02 / 2.3**2, ["sign", "quotient"]),
        ("d = x - m; q = d/s; l = q**2/2 + log(s)", "x = 1.7, m = 0.4, s = 2.3", "dl/dx", 1 / 2.3,
         ["local-not-total", "outer-at-derivative"]),
    ],
)  # fmt: skip
def test_of_mistakes_that_give_one_number_the_likelier_is_first(
    program: str, at: str, quantity: str, answer: float, codes: list[str]
) -> None:
    found = [
        one.code for one in graded_answer(of_program(program, at, quantity), {quantity: answer}, quantity).diagnoses
    ]
    assert found[0] == codes[0]
    assert codes[1] in found


DESCENT = f"w = {LEAF(0.7)}\nl = torch.tanh(w * 1.9)\nl.backward()\nwith torch.no_grad():\n    w -= 0.2 * w.grad"
SECOND = f"x = {LEAF(1.3)}\ng, = torch.autograd.grad(x ** 3 + x, x, create_graph=True)\np = g**2 / 2\np.backward()"
CUT = f"w = {LEAF(1.3)}\nv = {LEAF(0.8)}\ny = w * v + w\nz = y.detach() * w + y\nz.backward()"
NET = of_program("h = tanh(z); s = 1.3*h; k = s**2", "z = 0.7", "dk/ds", "dk/dh", "dk/dz")


@pytest.mark.parametrize(
    ("body", "answers", "quantity", "code"),
    [
        (of_script(DESCENT, "w.grad", "w"), {"w.grad": 1.9, "w": 0.7 + 0.2 * 1.9}, "w", "descent"),
        (of_script(SECOND, "p", "g"), {"g": 3.71, "p": 3.71**2}, "p", "forward-slip"),
        (of_script(CUT, "v.grad", "w.grad"), {"v.grad": 0.4321, "w.grad": 0.4321}, "w.grad", "swapped-variable"),
        (NET, {"dk/ds": 0.731, "dk/dh": 0.731 * 1.3, "dk/dz": 0.731 * 1.3}, "dk/dz", "inner-dropped"),
    ],
)
def test_a_mistake_on_own_numbers_is_named(body: str, answers: dict[str, float], quantity: str, code: str) -> None:
    names_mistake(body, answers, quantity, code)
