"""Names that are defined above an answer, and letters that everybody reads: `δ`, `dZ2`, `φ'`, `1/n`, `𝟙`, `I`."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.homework.grading import Grader
from gradcli.homework.submission.lines import read_lines
from tests.homework.asking import assignment

LAYERS = """
program = '''
z = W @ x + b
a = {function}(z)
o = V @ a
L = sum((o - y)**2)/2
'''
at = {{ x = [1, 2], W = [[0.2, 0.5], [-0.4, 0.1], [0.3, 0.8]], b = [0.1, 0, -0.2], V = [[0.6, -0.2, 0.1], [0.3, 0.5, -0.7]], y = [1, 0] }}
ask = [{asks}]
"""  # noqa: E501
DERIVATIVES = {"tanh": "(1 - a²)", "sigmoid": "a ⊙ (1 - a)", "relu": "1[z > 0]"}


def network(function: str, *asks: str) -> Grader:
    asked = ", ".join(f'{{ quantity = "{ask}", form = "expression" }}' for ask in asks)
    return assignment(LAYERS.format(function=function, asks=asked))


def verdicts(grader: Grader, *lines: str) -> list[str]:
    text = "\n".join(("[q]", *lines))
    result = grader.grade(read_lines("ada.txt", "ada", text, grader.labels))
    return [answer.verdict for answer in result.answers]


@pytest.mark.parametrize("name", ["δ", r"\delta", "δ_2", r"\delta^{(2)}", "r1", "g_o", "tmp", r"\bar{o}"])
def test_a_name_that_is_defined_above_stands_for_what_was_written(name: str) -> None:
    grader, draw = network("tanh", "dL/dV", "dL/dW"), random.Random(name)
    for sign in ("=", ":="):
        first, last = f"dL/dV = {name} aᵀ", f"dL/dW = (Vᵀ {name} ⊙ (1 - a²)) xᵀ"
        assert verdicts(grader, f"{name} {sign} o - y", first, last) == ["correct", "correct"], sign
        assert verdicts(grader, f"{name} {sign} o + y", first, last) == ["wrong", "wrong"]
        both = [first, last]
        draw.shuffle(both)
        assert verdicts(grader, *both)[:2] == ["unreadable", "unreadable"]
        assert "correct" not in verdicts(grader, *both, f"{name} {sign} o - y")[:2], "defined too late"


@pytest.mark.parametrize("label", ["∂L/∂z", "dz", r"\bar{z}", "δ", "dL/dz", r"\frac{\partial L}{\partial z}"])
@pytest.mark.parametrize("use", ["the label", "dz", "z_bar", "δ", "dL/dz"])
def test_what_was_asked_above_may_be_used_by_any_of_its_labels(label: str, use: str) -> None:
    grader = network("tanh", "dL/dz", "dL/dW")
    use = label if use == "the label" else use
    right, wrong = "(Vᵀ(o - y)) ⊙ (1 - a²)", "(Vᵀ(o - y)) ⊙ (1 + a²)"
    assert verdicts(grader, f"{label} = {right}", f"dL/dW = {use} xᵀ") == ["correct", "correct"]
    assert verdicts(grader, f"{label} = {wrong}", f"dL/dW = {use} xᵀ") == ["wrong", "wrong"]
    assert verdicts(grader, f"dL/dW = {use} xᵀ") == ["missing", "unreadable"]


def test_a_definition_and_an_answer_may_stand_on_one_line() -> None:
    grader = network("tanh", "dL/db", "dL/dW")
    lines = "δ := ∂L/∂b = (Vᵀ(o − y)) ⊙ (1 − a²)", "∂L/∂W = δ xᵀ"
    assert verdicts(grader, *lines) == ["correct", "correct"]


def test_a_definition_is_no_way_round_the_limits() -> None:
    grader = network("tanh", "dL/dW")
    doubled = [f"t{n} = t{n - 1} + t{n - 1}" for n in range(1, 400)]
    assert verdicts(grader, "t0 = o", *doubled, "dL/dW = t399 xᵀ")[0] in ("wrong", "unreadable")
    assert verdicts(grader, "t = t + 1", "dL/dW = t xᵀ")[0] == "unreadable"


@pytest.mark.parametrize("function", list(DERIVATIVES))
@pytest.mark.parametrize("letter", ["φ", r"\phi", "g", "f", "σ", r"\sigma", "ψ"])
def test_a_letter_for_the_activation_means_the_one_that_the_program_has(function: str, letter: str) -> None:
    grader = network(function, "dL/dz")
    assert verdicts(grader, f"dL/dz = (Vᵀ(o - y)) ⊙ {letter}'(z)") == ["correct"]
    for other, derivative in DERIVATIVES.items():
        right = "correct" if other == function else "wrong"
        assert verdicts(grader, f"dL/dz = (Vᵀ(o - y)) ⊙ {derivative}") == [right]


@pytest.mark.parametrize("seed", range(12))
def test_n_is_a_size_and_what_has_a_size_is_read_by_it(seed: int) -> None:
    draw = random.Random(seed)
    rows, columns = draw.sample([2, 3, 4, 5], 2)
    values = np.random.default_rng(seed)
    X, w, y = (np.round(values.normal(size=size), 2).tolist() for size in ((rows, columns), columns, rows))
    grader = assignment(
        "program = 'L = mean((X @ w - y)**2)'\n"
        f'at = {{ X = {X}, w = {w}, y = {y} }}\nask = [{{ quantity = "dL/dw", form = "expression" }}]'
    )
    letter = draw.choice("nmN")
    for right in (f"2/{letter} Xᵀ(Xw - y)", rf"\frac{{2}}{{{letter}}} X^T (Xw - y)", f"2XᵀI(Xw - y)/{rows}"):
        assert verdicts(grader, f"dL/dw = {right}") == ["correct"], right
    for wrong in (f"1/{letter} Xᵀ(Xw - y)", f"{letter} Xᵀ(Xw - y)", f"2Xᵀ(Xw - y)/{columns}"):
        assert verdicts(grader, f"dL/dw = {wrong}") == ["wrong"], wrong
    centred = assignment(
        f'program = "L = sum(g*(x - mean(x)))"\nat = {{ x = {y}, g = {y} }}\n'
        'ask = [{ quantity = "dL/dx", form = "expression" }]'
    )
    for right in (
        "(I - 1/n 𝟙𝟙ᵀ) g",
        r"g - \frac{\mathbf{1}^\top g}{n} \mathbf{1}",
        r"g - \frac{1}{n}\mathbf{1}\mathbf{1}^T g",
    ):
        assert verdicts(centred, f"dL/dx = {right}") == ["correct"], right
    assert verdicts(centred, "dL/dx = (I - 𝟙𝟙ᵀ) g") == ["wrong"]
