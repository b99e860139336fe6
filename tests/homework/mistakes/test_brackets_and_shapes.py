"""Mistakes that are named: other brackets, a step left out, points inside sums, shapes, and crossed factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import names_mistake, of_program

X, Y = 1.7, 0.6
XY = f"x = {X}, y = {Y}"
V = np.array([1.2, 0.7, -0.4])
A, B = np.array([[0.3, -0.8], [1.2, 0.7], [-1.1, 0.5]]), np.array([[1.4, 0.6, -0.2], [-0.9, 1.1, 0.8]])
W = np.array([[0.4], [-1.3], [0.9]])
MATRICES = f"A = {A.tolist()}, B = {B.tolist()}"
ENTROPY = "p = sigmoid(z); q = -(y*ln(p) + (1 - y)*ln(1 - p))"
P, U = 1 / (1 + np.exp(-X)), np.exp(Y * X)
H1 = np.tanh(0.7 * 1.2)
H2 = np.tanh(0.7 * H1)
G2 = 1 - H2**2
G1 = G2 * 0.7 * (1 - H1**2)


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "code"),
    [
        ("q = y*x**3 + 1", XY, "q", (Y * X) ** 3 + 1, "forward-slip"),
        ("q = x**2 + y**2", XY, "q", (X + Y) ** 2, "forward-slip"),
        ("q = (x + y)**2", XY, "q", X**2 + Y**2, "forward-slip"),
        ("q = ln(1 + x)", f"x = {X}", "q", 1 + np.log(X), "forward-slip"),
        ("q = sqrt(x + y)", XY, "q", np.sqrt(X) + np.sqrt(Y), "forward-slip"),
        ("q = 3 + x*y", XY, "q", (3 + X) * Y, "forward-slip"),
        ("q = mean(v**2)", f"v = {V.tolist()}", "q", np.mean(V) ** 2, "forward-slip"),
        ("q = mean(v**2)", f"v = {V.tolist()}", "q", np.sqrt(np.mean(V**2)), "forward-slip"),
        ("h = sigmoid(x); q = y*h + 2", XY, "q", Y * X + 2, "forward-slip"),
        (ENTROPY, f"z = {X}, y = 0", "dq/dp", -1 / P, "forward-slip"),
        (ENTROPY, f"z = {X}, y = 1", "dq/dp", 1 / (1 - P), "forward-slip"),
        ("u = exp(y*x); q = ln(1 + u)", XY, "dq/dx", Y * U / (1 + X), "outer-at-wrong-point"),
        ("u = exp(y*x); q = ln(1 + u)", XY, "dq/dx", 1 / (1 + Y * U), "outer-at-derivative"),
        ("s = x**2; q = (s - y)*(s + x)", XY, "dq/dx", ((X**2 + X) + (X**2 - Y)) * 2 * X * (X**2 - Y), "chain-added"),
        ("h = tanh(w*x); k = tanh(w*h)", "w = 0.7, x = 1.2", "dk/dw", H1 + 0.7 * 1.2, "inner-dropped"),
        ("h = tanh(w*x); k = tanh(w*h)", "w = 0.7, x = 1.2", "dk/dw", G2 * H2 + G1 * H1, "result-for-input"),
        ("C = A @ B; q = mean(C**2)", MATRICES, "dq/dA", 2 * A @ B / 9 @ B.T / 3, "batch-n"),
        ("C = A[:, 0:2] @ B; q = mean(C**2)", MATRICES, "dq/dB", A.T @ (2 * A @ B / 9) / 3, "batch-n"),
        ("C = A @ B; q = -sum(C**2)/3", MATRICES, "q", -np.mean((A @ B) ** 2), "batch-n"),
        ("h = A @ B; c = h @ w; q = sum(c**2)", f"{MATRICES}, w = {W.tolist()}", "dq/dw", A.T @ (2 * A @ B @ W),
         "result-for-input"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(program: str, at: str, quantity: str, answer: Any, code: str) -> None:
    names_mistake(of_program(program, at, quantity), {quantity: answer}, quantity, code)
