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
        ("h = sigmoid(x); q = y*h + 2", XY, "q", Y * X + 2, "forward-slip"),
        ("u = exp(y*x); q = ln(1 + u)", XY, "dq/dx", Y * U / (1 + X), "outer-at-wrong-point"),
        ("u = exp(y*x); q = ln(1 + u)", XY, "dq/dx", 1 / (1 + Y * U), "outer-at-derivative"),
        ("s = x**2; q = (s - y)*(s + x)", XY, "dq/dx", ((X**2 + X) + (X**2 - Y)) * 2 * X * (X**2 - Y), "chain-added"),
        ("C = A @ B; q = -sum(C**2)/3", MATRICES, "q", -np.mean((A @ B) ** 2), "batch-n"),
    ],
)  # fmt: skip
def test_a_mistake_is_named(program: str, at: str, quantity: str, answer: Any, code: str) -> None:
    names_mistake(of_program(program, at, quantity), {quantity: answer}, quantity, code)
