"""A simplified formula with other values than the raw one is not shown, and a failure where the guard is strict."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from gradcli.explanation.build import explain
from gradcli.explanation.formulas import checking
from gradcli.explanation.formulas.checking import FEWER, fault, simplify_checked
from gradcli.explanation.formulas.simplified import simplified
from gradcli.guard import guard
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.source import Source

POINT = {"x": np.float64(0.3), "y": np.float64(2.0), "v": np.array([0.3, 0.4]), "t": np.array([0.0, 1.0])}
ALIKE = [
    ("(x**2)**0.5", "abs(x)"),
    ("sqrt(x)**2", "x"),  # which is there at more points
    ("(x**2 - y**2)/(x - y)", "x + y"),
    ("log(exp(1e-9*x) - 1 + 1)", "1e-9*x"),  # up to rounding
    ("sum(v*v)", "v @ v"),
    ("one_hot(t, 2) @ v", "sum(one_hot(t, 2)*v, dim=1)"),  # labels are whole numbers
    ("acos(x + 3)", "acos(3 + x)"),  # a narrow domain, which drawn points reach
    ("where(x > 1, 1, 1)", "1"),
    ("(y - x)/exp(-x*y)**2*exp(-x*y)*y", "y*exp(x*y)*(y - x)"),  # but where the square underflows
    ("exp(-99*y)**-0.6666666666666667*v", "v/exp(-99*y)**(2/3)"),  # decimals of thirds
    ("exp(-99*y)**-0.6666666666666667*sqrt(x)", "sqrt(x)/exp(-99*y)**(2/3)"),
    ("y/exp(-x)*exp(-x)**3*exp(2*x)", "y"),  # but where the cube underflows
    ("sinh(x)/sqrt(cosh(x)**2 - 1)", "sign(sinh(x))"),  # but where the square overflows
]
APART = [
    ("1/sqrt(1 - (1.1*x)**2)", "1/sqrt(1 - x**2)", "the shorter form has another value elsewhere"),
    ("(x**2)**0.5", "x", "the shorter form has another value elsewhere"),  # where x is below 0
    ("2*x", "2.0001*x", "the shorter form has another value elsewhere"),
    ("x", "sqrt(x)**2", "the shorter form is finite at fewer points"),
    ("rsqrt(cosh(15*x))**3*sinh(15*x)", "sinh(15*x)/cosh(15*x)**1.5", FEWER),  # 0 beyond
    ("x/y", "x/(y*nan)", "the shorter form is finite at fewer points"),
    ("v - v", "0", "the shorter form has another shape"),
    ("v*2", "v @ v", "the shorter form has another shape"),
    ("x*v", "x @ v", "the shorter form has no value elsewhere"),
    ("sqrt(-1 - x**2)", "x", "no point is known where it could be checked"),
]


@pytest.fixture
def lenient() -> Iterator[None]:
    guard.is_strict = False
    yield
    guard.is_strict = True


def tree(text: str) -> Expression:
    return parse_expression(Source(text))


@pytest.mark.parametrize(("raw", "short"), ALIKE)
def test_formulas_of_equal_values_stand(raw: str, short: str) -> None:
    assert not fault(tree(short), tree(raw), POINT)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(("raw", "short", "why"), APART)
def test_a_formula_of_other_values_does_not_stand(raw: str, short: str, why: str) -> None:
    assert fault(tree(short), tree(raw), POINT) == why


@pytest.mark.parametrize("raw", ["26209*(4e-05*(10*(26209*x)**9))", "5*(123456789*x)**4*123456789"])
def test_large_powers_are_written_so_that_they_have_a_value(raw: str) -> None:
    assert simplify_checked(tree(raw), POINT) != tree(raw)


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize("at_any_point", [False, True])
def test_the_raw_formula_stands_with_a_note(monkeypatch: pytest.MonkeyPatch, at_any_point: bool) -> None:
    monkeypatch.setattr(checking, "simplify", lambda raw, *_: tree("x"))  # right at 0.5 alone
    found = explain(parse_program(Source("x**2")), {"x": 0.5})
    shown = simplified(found, at_any_point=at_any_point)
    assert unparse(shown.leaves[0].formula) == "2*x"
    assert [note.message for note in shown.notes if note.code == "raw"] == [
        "the formula by x is not simplified: the shorter form has another value elsewhere"
    ]
    assert simplify_checked(tree("x + x"), POINT) == tree("x + x")


def test_no_formula_is_nan_beside_a_number() -> None:
    program = parse_program(Source("m = mean(x); v = mean((x - m)**2); z = (x - m)/sqrt(v + 0.00001); sum(z*t)"))
    found = simplified(explain(program, {"x": [1.0, 2.0, 4.0], "t": [1.0, 2.0, 3.0]}))
    assert not found.notes


@pytest.mark.slow
def test_formulas_do_not_depend_on_the_order_of_sets() -> None:
    program = "import sys; from gradcli.cli import run; run(sys.argv[1:])"
    command = [sys.executable, "-c", program, "grad", "--symbolic", "--hessian", "K/(1 + (K - N0)/N0*exp(-r*t))"]
    texts = {
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in "05"
    }
    assert len(texts) == 1
