"""The rest of a student's sheet decides between mistakes that give the same number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.homework.asking import assignment, marked

BATCH = """program = 'z = x*w + b; e = z - y; L = mean(e**2)'
at = { x = [1.3, -0.7], w = 0.9, b = 0.4, y = [0.2, 1.6] }
ask = ['z', 'dL/de', 'dL/db']
"""
E = np.array([1.3, -0.7]) * 0.9 + 0.4 - np.array([0.2, 1.6])
HALF = f"{E.sum() / 2:.5f}"  # over two rows, the mean of dL/de is also dL/db without the 2 of the square


@pytest.mark.parametrize("known", [True, False])
def test_a_mistake_that_would_have_spoiled_a_right_answer_comes_last(known: bool) -> None:
    given = {"dL/de": f"[{E[0]:.5f}, {E[1]:.5f}]", "dL/db": HALF} if known else {"dL/db": HALF}
    codes = [one.code for one in marked(assignment(BATCH), given)["dL/db"].diagnoses]
    assert {"power-rule", "broadcast-unsummed"} <= {*codes}
    assert (codes[0] == "broadcast-unsummed") or not known


def test_a_value_that_is_right_speaks_against_a_slip_in_it() -> None:
    """Without b the number is the same as with an inner derivative left out, and z is right."""
    forgotten = "program = 'z = x + b; q = z*b'\nat = { x = 1.3, b = 0.7 }\nask = ['z', 'q']"
    found = marked(assignment(forgotten), {"z": "2.0000", "q": "0.91000"})["q"].diagnoses
    assert [one.certain for one in found if one.message == "in z you forgot b"] == [False]


STEPS = """script = '''
import torch
import torch.nn.functional as F
X = torch.tensor([[0.7, -1.2], [1.5, -1.3], [0.4, 2.1]], dtype=torch.float64)
W = torch.tensor([[1.4, 1.8], [-0.9, -1.2]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([0.7, -0.2], dtype=torch.float64, requires_grad=True)
loss = F.mse_loss(F.linear(X, W, b), torch.zeros(3, 2, dtype=torch.float64))
loss.backward()
'''
ask = ['loss', 'b.grad']
"""
X, W, B = np.array([[0.7, -1.2], [1.5, -1.3], [0.4, 2.1]]), np.array([[1.4, 1.8], [-0.9, -1.2]]), np.array([0.7, -0.2])
OUT = X @ W.T + B


@pytest.mark.parametrize(
    ("quantity", "number", "code"),
    [
        ("b.grad", (2 * OUT / 6).mean(0), "broadcast-unsummed"),
        ("b.grad", (OUT / 6).sum(0), "power-rule"),
        ("b.grad", (2 * OUT / 6), "broadcast-unsummed"),
        ("loss", np.mean(OUT), "forward-slip"),
        ("loss", np.mean((X @ W.T) ** 2), "forward-slip"),
        ("loss", np.sum(OUT**2), "mean-n"),
    ],
)
def test_one_operation_is_several_steps_on_paper(quantity: str, number: object, code: str) -> None:
    text = np.array2string(np.round(np.asarray(number), 6), separator=", ")
    assert marked(assignment(STEPS), {quantity: text})[quantity].diagnoses[0].code == code


@pytest.mark.parametrize(
    ("program", "z", "number"),
    [
        ("p = softmax(z, 0); q = p[1]", [0.4, -1.2, 0.7], lambda z: 1 / (1 + np.exp(-z))),
        ("p = relu(z); q = 2*p", 0.7, np.tanh),
        ("p = log(z); q = 2*p", 0.7, np.exp),
    ],
)
def test_another_function_may_be_one_that_the_program_does_not_use(program: str, z: object, number: Any) -> None:
    text = np.array2string(np.round(number(np.asarray(z)), 6), separator=", ")
    grader = assignment(f"program = '{program}'\nat = {{ z = {z} }}\nask = ['p']")
    assert marked(grader, {"p": text})["p"].diagnoses[0].code == "forward-slip"
