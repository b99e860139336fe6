"""Mistakes that are named: signs, powers, sums and products."""

from __future__ import annotations

import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from gradcli.source import Source

NET = "A = [[0.3, -0.8], [1.2, 0.7]]"


@pytest.mark.parametrize(
    ("program", "at", "quantity", "answer", "code"),
    [
        ("h = tanh(z); q = 3*h", "z = 0.7", "dq/dz", "4.095781", "sign"),  # 3*(1 + h**2)
        ("h = sigmoid(z); q = 3*h", "z = 0.7", "dq/dz", "3.343988", "sign"),  # 3*h*(1 + h)
        ("q = x**3", "x = 1.7", "dq/dx", "5.78", "power-rule"),  # (n - 1)*x**(n - 1)
        ("q = x**3", "x = 1.7", "q", "8.3521", "forward-slip"),
        ("u = x + 1.5; q = x*u", "x = 1.7", "q", "2.89", "forward-slip"),
        ("n = 2*x; d = x + 1.5; q = n/d", "x = 1.7", "local dq/dd", "-0.0976562", "quotient"),
        ("b = a; q = sum(a**2)", "a = [1.2, 0.7, -0.4]", "dq/da", "3.0", "broadcast-unsummed"),
        ("s = v @ A; q = sum(s**2)", f"{NET}, v = [1.1, 0.6]", "dq/dv", "[[0.63, 0.736], [2.52, -0.644]]",
         "broadcast-unsummed"),
        ("S = A*c; q = sum(S**3)", f"{NET}, c = [[1.5], [0.4]]", "dq/dA", "[[1.5, 1.5], [0.4, 0.4]]",
         "local-not-total"),
        ("P = softmax(A, 1); q = sum(P**2)", NET, "P",
         "[[0.189240, 0.062992], [0.465455, 0.282313]]", "softmax"),
        ("u = 1.3*x**2; q = sin(u)", "x = 0.8", "local dq/du", "0.696707", "outer-at-wrong-point"),  # cos(x)
    ],
)  # fmt: skip
def test_a_mistake_is_named(program: str, at: str, quantity: str, answer: str, code: str) -> None:
    body = f"[[question]]\nid = 'week'\nprogram = '{program}'\nat = {{ {at} }}\nask = ['{quantity}']\n"
    grader = Grader(read_assignment(Source(body, "week.toml")))
    (marked,) = grader.grade(read_lines("a", "a", f"[week]\n{quantity} = {answer}\n", grader.labels)).answers
    assert marked.verdict in ("wrong", "shape")
    assert code in [one.code for one in marked.diagnoses], marked
