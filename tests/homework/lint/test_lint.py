"""Lint: each kind of question that wrong methods answer rightly, and values at which they do not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.lint.lint import KINDS, Finding, findings
from gradcli.source import Source
from tests.homework.asking import question
from tests.homework.drawing import network_tape, scalar_tape
from tests.programs import some


def assignment(program: str, at: str, ask: str) -> str:
    return f"[[question]]\nid = 'q'\nprogram = '''\n{program}\n'''\nat = {{ {at} }}\nask = {ask}\n"


def found_in(text: str) -> list[Finding]:
    return list(findings(read_assignment(Source(text, "week1.toml"))))


CASES = [
    ("square", "q = x**2", "x = 2", "['dq/dx']", {"one-digit", "collision"}),
    ("a larger square", "q = x**2", "x = 5", "['q', 'dq/dx']", set()),
    ("zero", "q = (x - 3)**2", "x = 3", "['dq/dx']", {"zero"}),
    ("zeros", "L = sum((X @ W)**2)", "X = [[0, 0]], W = [[1.5], [2]]", "['X.grad']", {"zero"}),
    ("one zero of several", "L = sum(x**2)", "x = [0, 11]", "['x.grad']", set()),
    ("pole", "q = log(x)", "x = 0", "['q', 'dq/dx']", {"not-finite"}),
    ("digit", "q = x + 1", "x = 2", "['q']", {"one-digit"}),
    ("two digits", "q = x + 10", "x = 2", "['q']", set()),
    ("a fraction", "q = x/4", "x = 5", "['q']", set()),
    ("formula", "q = x**2", "x = 2", "[{ quantity = 'dq/dx', form = 'expression' }]", set()),
    ("products of ones", "q = 11*x*y", "x = 1, y = 1", "['dq/dx']", {"collision"}),
    ("a mean of two", "L = mean(e**2)", "e = [1.3, 0.7]", "['dL/de']", {"alike"}),
    ("a mean of three", "L = mean(e**2)", "e = [1.3, 0.7, 1.9]", "['dL/de']", set()),
    ("a sigmoid that is saturated", "q = sigmoid(10*x)", "x = 2.3", "['dq/dx']", {"saturated", "collision"}),
    ("a gate that is shut", "q = relu(-x) + 1.7*x", "x = 2.3", "['dq/dx']", {"saturated"}),
    ("no function", "q = foo(x)", "x = 1", "['q']", {"program"}),
    ("no value", "q = x + y", "x = 1", "['q']", {"program"}),
    ("shapes", "q = sum(X @ Y)", "X = [[1, 2]], Y = [[1, 2]]", "['q']", {"program"}),
    ("syntax", "q = x +", "x = 1", "['q']", {"program"}),
]


@pytest.mark.parametrize(("program", "at", "ask", "kinds"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_each_kind_is_found(program: str, at: str, ask: str, kinds: set[str]) -> None:
    text = assignment(program, at, ask)
    found = found_in(text)
    assert {one.code for one in found} == kinds <= set(KINDS)
    for one in found:
        assert one.message
        assert 0 < one.span.start < len(text)
        if one.quantity:
            assert text[slice(*one.span)] == f"'{one.quantity}'"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "at", "ask"),
    [
        ("q = x**2", "x = 2", "['q', 'dq/dx']"),
        ("q = x*y*z - w", "x = 1, y = 1, z = 1, w = 1", "['q', 'dq/dx', 'dq/dy']"),
        ("L = sum((X @ W)**2)", "X = [[0, 0]], W = [[1], [2]]", "['L', 'W.grad', 'X.grad']"),
        ("a = sigmoid(w*x + b); L = (a - t)**2", "w = 0.6, x = 1.5, b = -0.4, t = 1", "['dL/da', 'dL/dw']"),
    ],
)
def test_the_values_proposed_are_clean(program: str, at: str, ask: str) -> None:
    found = found_in(assignment(program, at, ask))
    (proposal,) = {one.help for one in found}
    values = re.fullmatch(r"at = \{ (.*) \} would do", proposal)
    assert values
    assert found_in(assignment(program, values[1], ask)) == []


def test_the_values_of_a_program_without_variables_are_proposed() -> None:
    text = "[[question]]\nprogram = 'x = 2; q = x**2'\nask = ['q']\n"
    assert {one.help for one in found_in(text)} == {"values such as { x = 5 } would do"}


def test_nothing_is_proposed_where_nothing_helps() -> None:
    for program, at in (("q = 0*x", "x = 2"), ("q = sum(x - x)", "x = [1, 2]")):
        text = assignment(program, at, "['q']")
        assert [(one.code, one.help) for one in found_in(text)] == [("zero", "")]


def test_large_tensors_are_looked_at_without_proposals() -> None:
    program = "h = relu(X @ W); L = mean((h @ v - 1)**2)"
    at = "X = 'ones(100, 60)', W = 'zeros(60, 80)', v = 'ones(80)'"
    assert {(one.code, one.help) for one in found_in(assignment(program, at, "['W.grad', 'v.grad']"))} == {
        ("zero", ""),
        ("saturated", ""),
    }


def test_snippets_are_linted() -> None:
    script = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x**2).backward()\ny = x.grad is None\n"
    text = f"[[question]]\nscript = '''{script}'''\nask = ['x.grad', 'y', 'x.grad_fn', 'x.is_leaf']\n"
    assert {(one.code, one.quantity) for one in found_in(text)} == {("one-digit", "x.grad"), ("collision", "x.grad")}
    broken = found_in(text.replace("torch.tensor", "torch.tensr"))
    assert [one.code for one in broken] == ["program"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(15), 8))
def test_random_programs_at_random_values_are_clean_or_have_reasons(seed: int) -> None:
    for tape in (scalar_tape(seed, nice=False), network_tape(1000 + seed)):
        asks = [f"d{tape.output}/d{name}" for name in tape.leaves]
        for one in found_in("[[question]]\nid = 'q'\n" + question(tape, asks)):
            if one.code == "saturated":
                continue
            truth = tape.right.get(one.quantity.rpartition("/d")[2])
            assert truth is not None
            assert one.code != "zero" or not np.any(truth)
            assert one.code != "one-digit" or truth == np.rint(truth)
            assert one.code != "not-finite" or not np.all(np.isfinite(truth))
