"""Formulas with decimals keep the look of what was typed; random ones are held up to laws by `python -m tests.fuzz`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest

from gradcli.explanation.derivatives.total import formulas
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.simplify.numbers import as_typed
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.source import Source


def read(text: str) -> Expression:
    return parse_expression(Source(text))


TYPED = {
    "2*(0.76*k)*0.76/(1.1 + (0.76*k)**2)": "1.1552*k/(0.5776*k**2 + 1.1)",
    "1/((x/5.51)**2 + 1)/5.51": "5.51/(x**2 + 30.3601)",
    "-0.61/(0.61*x + 9.81)**2": "-0.61/(0.61*x + 9.81)**2",
    "0.5*3.7*x/1.7": "1.85*x/1.7",
    "1/(2*sqrt(3*8.314*x/0.02896))*(3*8.314/0.02896)": "0.5*sqrt(24.942/(0.02896*x))",
    "0.5*sqrt(9.81/x)/9.81": "0.5/sqrt(9.81*x)",
    "1/(k/3.47 + 1)/3.47": "1/(k + 3.47)",
    "-2*2.21*(k*0.46)*0.46/(1.5 + (k*0.46)**2)**2": "-0.935272*k/(0.2116*k**2 + 1.5)**2",
    "-1/(2*acos(1.1*m)**1.5)*-1/sqrt(1 - (1.1*m)**2)*1.1": "0.55/(acos(1.1*m)**1.5*sqrt(1 - 1.21*m**2))",
    "1.1/sqrt(1 - (1.1*x)**2)": "1.1/sqrt(1 - 1.21*x**2)",
    "1.21*2*x/(2*sqrt(1.21*x**2 - 1))": "1.21*x/sqrt(1.21*x**2 - 1)",
    "-(x - 1.5)/2.25*exp(-(x - 1.5)**2/(2*2.25))": "exp(-(x - 1.5)**2/4.5)*(1.5 - x)/2.25",
    "2*(x - 1.5)/(2*sqrt((x - 1.5)**2 + (y - 3)**2))": "(x - 1.5)/sqrt((x - 1.5)**2 + (y - 3)**2)",
    "1.5/(0.7 + x) - 1.5*x/(0.7 + x)**2": "1.05/(x + 0.7)**2",
    "1/(x**2 - 2.25)*(x - 1.5)": "1/(x + 1.5)",
    "0.76*x/3": "0.76*x/3",
    "2*(x + 3.15)**2/3": "2*(x + 3.15)**2/3",
    "3*x/4 + y/3": "3*x/4 + y/3",
    "10*(1/10000*x)": "x/1000",
    "4e-5*10*(26209*acosh(x))**9*26209/sqrt(x**2 - 1)": "10.4836*26209.0**9*acosh(x)**9/sqrt(x**2 - 1)",
    "299792458*(599584916*x)": "2*299792458**2*x",
    "299792458.5*(2*(299792458.5*x))": "2*299792458.5**2*x",
    "0.12345678*x*0.87654321*2": "0.24691356*0.87654321*x",
    "2.37*x**1.3700000000000001": "2.37*x**1.37",
    "sqrt(1.21)*x": "1.1*x",
    "x*3e-20 + x*3e-20": "6e-20*x",
    "1/3e8": "1/3e8",
    "2*(v*3e8)*3e8": "1.8e17*v",
    "-2/(2*sqrt(1 - (v/3e8)**2))*v/9e16": "-v/(3e8*sqrt(9e16 - v**2))",
    "0.1*x + 0.2*x": "0.3*x",
    "2*0.9*(y - 0.9*x)": "1.8*(y - 0.9*x)",
    "2*(x - 1.5)": "2*(x - 1.5)",
}  # fmt: skip


@pytest.mark.parametrize("raw", TYPED)
def test_numbers_are_written_as_people_type_them(raw: str) -> None:
    assert unparse(simplify(read(raw))) == TYPED[raw]


SHAPES = {"x": (3,), "w": (3,), "A": (3, 3)}
MATRICES = {
    "-(A.T @ (2*(A @ (1/w))))*(1/w)**2": "-2*(A.T @ (A @ (1/w)))/w**2",
    "-0.108*(x @ (1/w))/w": "-0.108*(x @ (1/w))/w",
    "-1/3*(A.T @ (x - w))": "(A.T @ (w - x))/3",
    "-sum(x - w)": "sum(w - x)",
    "sum(A/A*(x @ w), dim=0)/x": "3*(x @ w)/x",
}


@pytest.mark.parametrize("raw", MATRICES)
def test_no_entry_moves_into_a_product_of_matrices(raw: str) -> None:
    assert unparse(simplify(read(raw), SHAPES)) == MATRICES[raw]


@pytest.mark.parametrize(
    ("program", "sizes", "gradients"),
    [
        ("sum(X - X)", {"X": (3, 3)}, ["zeros((3, 3))"]),
        ("sum(sum(X, dim=0)**2)", {"X": (3, 3)}, ["expand(2*sum(X, dim=0), (3, 3))"]),
        ("sum((t - t) @ P)", {"t": (3,), "P": (3, 2)}, ["zeros((3,))", "zeros((3, 2))"]),
        ("amax((0.76*x)**2)", {"x": (3,)}, ["1.1552*where((0.76*x)**2 == amax((0.76*x)**2), x, 0)"]),
        ("sum((X @ (1/w))**2)", {"X": (3, 3), "w": (3,)}, ["2*outer(X @ (1/w), 1/w)", "-2*(X.T @ (X @ (1/w)))/w**2"]),
        ("h = minimum(0.23, 0.88)/4; (1.2 + y**2)**h", {"y": ()}, ["0.115*y/(y**2 + 1.2)**0.9425"]),
    ],
)
def test_formulas_of_programs(program: str, sizes: Mapping[str, tuple[int, ...]], gradients: list[str]) -> None:
    point = {name: 0.5 + np.arange(np.prod(size)).reshape(size)[()] for name, size in sizes.items()}
    found = formulas(parse_program(Source(program)), point, 1, mixed=False)
    assert [unparse(one.formula) for one in found if one.formula is not None] == gradients


def test_second_derivatives_as_a_textbook_has_them() -> None:
    second = "sigmoid(x)*(1 - sigmoid(x))*(1 - sigmoid(x)) - sigmoid(x)*sigmoid(x)*(1 - sigmoid(x))"
    assert unparse(simplify(read(second))) == "sigmoid(x)*(1 - sigmoid(x))*(1 - 2*sigmoid(x))"


@pytest.mark.parametrize(
    ("number", "typed"),
    [
        (np.float64(0.22), Fraction(22, 100)),
        (np.float32(0.5), Fraction(1, 2)),
        (1 / 3, Fraction(1, 3)),
        (1.37 - 1, Fraction(37, 100)),
        (0.1 + 0.2, Fraction(3, 10)),
        (np.int64(7), Fraction(7)),
    ],
)
def test_computed_numbers_are_data_like_others(number: float, typed: Fraction) -> None:
    assert as_typed(number) == typed
