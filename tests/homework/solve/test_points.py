"""Formulas for answers: equal ones in other forms are right, and each scalar mistake as a formula is found."""

from __future__ import annotations

import pytest

from tests.homework.asking import Grader, assignment, marked
from tests.programs import some

CUBE = "p = x**2 + 1; z = p**3", "{ x = 2 }"
WAVE = "u = x**3; z = sin(u)", "{ x = 2 }"
PRODUCT = "u = sin(x); v = exp(x); z = u*v", "{ x = 1 }"
QUOTIENT = "u = sin(x); v = x**2 + 1; z = u/v", "{ x = 1 }"
DIAMOND = "s = x**2; p = s + 1; m = s - 1; z = p*m", "{ x = 2 }"
NEURON = "h = w*x + b; a = sigmoid(h); z = (a - t)**2", "{ w = 0.6, x = 1.5, b = -0.4, t = 1 }"
SQUASH = "h = w*x; z = tanh(h)", "{ w = 0.6, x = 1.5 }"
LOG = "z = log(x*y)", "{ x = 2, y = 3 }"
ROOT = "z = sqrt(1 - x**2)", "{ x = 0.5 }"
PARTS = "u = sin(x); z = mean([u, u**2, x])", "{ x = 1 }"

RIGHT = [
    (PRODUCT, "dz/dx", ["exp(x)*(sin(x)+cos(x))", "z + cos(x)*v", "u*v + v*cos(x)", "sqrt(2)*exp(x)*sin(x + pi/4)"]),
    (QUOTIENT, "dz/dx", ["(cos(x)*v - u*2*x)/v**2", "cos(x)/v - z*2*x/v", "cos(x)/(1+x**2) - 2*x*sin(x)/(1+x**2)**2"]),
    (DIAMOND, "dz/dx", ["4*x**3", "2*x*(p+m)", "4*x*s", "2*x*(x**2+1) + 2*x*(x**2-1)"]),
    (SQUASH, "dz/dw", ["x*(1-z**2)", "x/cosh(w*x)**2", "x - x*tanh(h)**2"]),
    (ROOT, "dz/dx", ["-x/sqrt(1-x**2)", "-x/z", "-x*(1-x**2)**-0.5"]),
    (PARTS, "dz/dx", ["(cos(x) + 2*u*cos(x) + 1)/3", "1/3 + cos(x)*(1+2*sin(x))/3"]),
    (CUBE, "local dz/dp", ["3*p**2", "3*(x**2+1)**2"]),
]
WRONG = [
    (CUBE, "dz/dx", "p**2*2*x", "power-rule"), (CUBE, "dz/dx", "3*p**3*2*x", "power-rule"),
    (CUBE, "dz/dx", "3*p**2", "inner-dropped"), (CUBE, "dz/dx", "3*x**2*2*x", "outer-at-wrong-point"),
    (CUBE, "dz/dx", "3*(2*x)**2", "outer-at-derivative"), (CUBE, "dz/dx", "2*x", "local-not-total"),
    (WAVE, "dz/dx", "cos(x**3)", "inner-dropped"), (WAVE, "dz/dx", "cos(3*x**2)", "outer-at-derivative"),
    (WAVE, "dz/dx", "cos(x)*3*x**2", "outer-at-wrong-point"), (WAVE, "dz/dx", "-cos(u)*3*x**2", "sign"),
    (WAVE, "dz/dx", "cos(u) + 3*x**2", "chain-added"), (WAVE, "dz/dx", "cos(u)*x**2", "power-rule"),
    (WAVE, "dz/dx", "x", "not-a-gradient"),
    (WAVE, "dz/dx", "3*x**2*cos(pi*x**3/180)", "degrees"),
    (PRODUCT, "dz/dx", "cos(x)*exp(x)", "product-own-factor"), (PRODUCT, "dz/dx", "sin(x)*exp(x)", "fanout-overwrite"),
    (PRODUCT, "dz/dx", "u*cos(x) + v*v", "product-own-factor"),
    (QUOTIENT, "dz/dx", "cos(x)/(2*x)", "quotient"), (QUOTIENT, "dz/dx", "(cos(x)*v - u*2*x)/v", "quotient"),
    (QUOTIENT, "dz/dx", "(cos(x)*v + u*2*x)/v**2", "quotient"),
    (DIAMOND, "dz/ds", "p", "fanout-overwrite"), (DIAMOND, "dz/ds", "m", "fanout-overwrite"),
    (DIAMOND, "dz/dx", "2*x*p", "path-missed"), (DIAMOND, "dz/ds", "p*m", "chain-added"),
    (DIAMOND, "dz/dx", "2*s", "swapped-variable"),
    (NEURON, "dz/dh", "2*(a-t)*h*(1-h)", "pre-post-activation"), (NEURON, "dz/dw", "2*(a-t)*x", "inner-dropped"),
    (NEURON, "dz/dx", "2*(a-t)*a*(1-a)*x", "swapped-variable"), (SQUASH, "dz/dw", "x*(1-h**2)", "pre-post-activation"),
    (PARTS, "dz/dx", "cos(x) + 2*u*cos(x) + 1", "mean-n"),
    (SQUASH, "dz/dw", "w - 0.1*x*(1-z**2)", "not-a-gradient"),
]  # fmt: skip


def asked(program: tuple[str, str], quantity: str) -> Grader:
    ask = f"{{ quantity = '{quantity}', form = 'expression' }}"
    return assignment(f"program = '{program[0]}'\nat = {program[1]}\nask = [{ask}]\n")


@pytest.mark.slow
@pytest.mark.parametrize(("program", "quantity", "forms"), RIGHT)
def test_the_right_formula_in_any_form(program: tuple[str, str], quantity: str, forms: list[str]) -> None:
    grader = asked(program, quantity)
    for form in forms:
        answer = marked(grader, {quantity: form})[quantity]
        assert (answer.verdict, answer.points, answer.diagnoses) == ("correct", 1.0, ()), f"{form}: {answer}"


@pytest.mark.slow
@pytest.mark.parametrize(("program", "quantity", "form", "code"), some(WRONG, 5))
def test_a_mistake_as_a_formula(program: tuple[str, str], quantity: str, form: str, code: str) -> None:
    answer = marked(asked(program, quantity), {quantity: form})[quantity]
    assert (answer.verdict, answer.points) == ("wrong", 0.0)
    assert answer.remark.startswith("at ")
    assert " yours gives " in answer.remark
    assert code in [one.code for one in answer.diagnoses], answer


@pytest.mark.slow
@pytest.mark.parametrize("program", [CUBE, WAVE, PRODUCT, QUOTIENT, NEURON, PARTS])
def test_a_formula_that_is_right_at_the_point_alone(program: tuple[str, str]) -> None:
    """A number, or a formula that has the right value where the question is, is wrong at random points."""
    grader = asked(program, "z")
    for form in ("0.5", "x - x", "x**0.5 - x**0.5"):
        answer = marked(grader, {"z": form})["z"]
        assert answer.verdict == "wrong"
        assert not any(" + " in one.code for one in answer.diagnoses)


@pytest.mark.parametrize("form", ["nonsense", "x +", "__import__('os')", "9**9**9**9", "dz/dx", "[x, x]*", "None"])
def test_what_is_no_formula_is_unreadable(form: str) -> None:
    answer = marked(asked(LOG, "dz/dx"), {"dz/dx": form})["dz/dx"]
    assert answer.verdict in ("unreadable", "wrong")
    assert answer.points == 0.0
    assert answer.diagnoses == ()


def test_a_number_where_a_formula_was_asked_for() -> None:
    grader = assignment("program = 'q = x**3'\nat.x = 2\nask = [{ quantity = 'dq/dx', form = 'expression' }]")
    assert "a formula was asked for" in marked(grader, {"dq/dx": "12"})["dq/dx"].remark
    assert "a formula was asked for" not in marked(grader, {"dq/dx": "13"})["dq/dx"].remark
