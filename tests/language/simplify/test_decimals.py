"""Formulas with decimals keep their value to the last digit, their shape and the look of what was typed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.derivatives.total import formulas
from gradcli.explanation.values import value_of
from gradcli.explanation.variables import Variables, placeholders
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.simplify.numbers import as_typed
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Expression, Number, postorder
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.language.simplify import decimals
from tests.language.simplify.evaluation import NotFiniteError, value
from tests.language.simplify.test_domains import is_close

POINTS = 6
ROUNDED = 1e-12  # exponents and numbers of derivatives are computed in floats
EXACT = 1e-30
LARGEST = 1e60


def read(text: str) -> Expression:
    return parse_expression(Source(text))


def check_form(raw: Expression, short: Expression) -> None:
    """Check that a simplified formula is no longer, reads back, and has no number of more digits than one types."""
    assert length(short) <= length(raw)
    assert read(unparse(short)) == short
    typed = {number.value for number in postorder(raw) if isinstance(number, Number)}
    made = {number.value for number in postorder(short) if isinstance(number, Number)} - typed
    for number in made:
        assert number < 1e15, unparse(short)
        assert float(f"{number:.15g}") == number, unparse(short)


def check_value(raw: Expression, short: Expression, draw: Random, within: float) -> None:
    """Check that a simplified formula has the value of the raw one at some points, wherever that has one."""
    for _ in range(POINTS):
        point = {name: mpmath.mpf(str(round(draw.uniform(-3, 3), draw.randint(1, 4)))) for name in decimals.LETTERS}
        try:
            expected = value(raw, point)
        except NotFiniteError:
            continue
        where = f"{unparse(raw)} is not {unparse(short)} at {point}"
        try:
            apart = abs(value(short, point) - expected)
        except NotFiniteError:  # beyond floats in between
            assert is_close(short, point, expected), where
            continue
        if abs(expected) < LARGEST:
            assert apart <= within * max(abs(expected), 1e-3), where


def check_numbers(text: str, draw: Random) -> int:
    """Check a formula and its derivatives; return how many formulas there were."""
    program = parse_program(Source(text))
    leaves = explain(program, placeholders(program, {})).leaves
    derivatives = [leaf.formula_raw for leaf in leaves if leaf.formula_raw is not None]
    for raw, within in [(read(text), EXACT), *((raw, ROUNDED) for raw in derivatives)]:
        short = simplify(raw)
        check_form(raw, short)
        check_value(raw, short, draw, within)
    return 1 + len(derivatives)


def check_tensors(text: str, draw: Random) -> int:
    """Check the derivatives of a number made of vectors and matrices; return how many there were."""
    program = parse_program(Source(text))
    point: dict[str, Any] = {}
    for name in sorted(Variables.of(program).places):
        shape = decimals.SHAPES[name]
        entries = [draw.uniform(0.3, 1.7) * draw.choice([1, -1]) for _ in range(int(np.prod(shape)))]
        point[name] = np.reshape(entries, shape)[()]
    try:
        leaves = explain(program, point).leaves
    except GradcliError:  # shapes that do not fit
        return 0
    derivatives = [leaf.formula_raw for leaf in leaves if leaf.formula_raw is not None]
    for raw in derivatives:
        short = simplify(raw, {name: np.shape(x) for name, x in point.items()})
        check_form(raw, short)
        with np.errstate(all="ignore"):
            expected, found = (np.asarray(value_of(tree, point)) for tree in (raw, short))
        where = f"{unparse(raw)} is not {unparse(short)}"
        assert found.shape == expected.shape, where
        if np.isfinite(expected).all():
            scale = max(1.0, float(np.max(np.abs(expected), initial=0)))
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * scale, err_msg=where)
    return len(derivatives)


FAMILIES = {decimals.nested: check_numbers, decimals.quotient: check_numbers, decimals.tensor: check_tensors}
TENS = range(4)  # the fuzzer draws thousands


@pytest.mark.parametrize("ten", TENS)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_random_programs(family: Any, ten: int) -> None:
    for seed in range(10 * ten, 10 * ten + 10):
        draw = Random(f"{family.__name__} {seed}")
        text = family(draw)
        FAMILIES[family](text, draw)


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


MATRICES = {
    "-(A.T @ (2*(A @ (1/w))))*(1/w)**2": "-2*(A.T @ (A @ (1/w)))/w**2",
    "-0.108*(x @ (1/w))/w": "-0.108*(x @ (1/w))/w",
    "-1/3*(A.T @ (x - w))": "(A.T @ (w - x))/3",
    "-sum(x - w)": "sum(w - x)",
    "sum(A/A*(x @ w), dim=0)/x": "3*(x @ w)/x",
}


@pytest.mark.parametrize("raw", MATRICES)
def test_no_entry_moves_into_a_product_of_matrices(raw: str) -> None:
    assert unparse(simplify(read(raw), decimals.SHAPES)) == MATRICES[raw]


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
