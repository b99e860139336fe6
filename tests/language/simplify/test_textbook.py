"""Derivatives of textbook functions: equal to those of sympy, and about as short as its shortest forms (recorded).

`python -m tests.language.simplify.record textbook exercises` records them anew.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import mpmath
import pytest
import sympy

from gradcli.explanation.build import explain
from gradcli.explanation.values import placeholders
from gradcli.language.parser import parse_program
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.source import Source
from tests.language.simplify.evaluation import DIGITS, NotFiniteError, value
from tests.language.simplify.record import derivative, listed
from tests.programs import some

pytestmark = pytest.mark.slow

AS_LONG = 1.2  # times the shortest form of sympy's
SHARE = 0.95
LISTS = ["textbook", "exercises"]
FUNCTIONS = [pair for name in LISTS for pair in listed(name)]


@cache
def gradients(function: str) -> dict[str, Expression]:
    """Return the raw derivatives of a function by its variables."""
    program = parse_program(Source(function))
    leaves = explain(program, placeholders(program, {})).leaves
    return {leaf.name: leaf.formula for leaf in leaves if leaf.formula is not None}


def shortest(name: str) -> dict[str, tuple[int, str]]:
    return json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", LISTS)
def test_derivatives_are_about_as_short_as_sympys(name: str) -> None:
    recorded = shortest(name)
    long, taken = [], some(listed(name), 4)
    for function, variable in taken:
        formula = simplify(gradients(function)[variable])
        best, form = recorded[f"{function} | {variable}"]
        if length(formula) > AS_LONG * best:
            long.append(f"{function} by {variable}: {unparse(formula)}, in sympy {form}")
    assert len(recorded) >= 180
    assert len(long) <= (1 - SHARE) * len(taken), "\n".join(long)


@pytest.mark.parametrize(("function", "variable"), some(FUNCTIONS, 18))
def test_derivatives_equal_sympys(function: str, variable: str) -> None:
    formula = simplify(gradients(function)[variable])
    found = derivative(function, variable)
    letters = sorted(found.free_symbols, key=str)
    names = sorted({str(letter) for letter in letters} | {*gradients(function)})
    compared = 0
    for start, order in product(("0.3", "1.3", "7.1"), (names, names[::-1])):
        point: dict[str, Any] = {name: mpmath.mpf(start) + mpmath.mpf(i) / 8 for i, name in enumerate(order)}
        with mpmath.workdps(DIGITS):
            theirs = found.evalf(DIGITS, subs={letter: sympy.Float(point[str(letter)], DIGITS) for letter in letters})
        if not theirs.is_real or not theirs.is_finite:
            continue
        try:
            ours = value(formula, point)
        except NotFiniteError:
            continue
        compared += 1
        assert abs(ours - mpmath.mpf(str(theirs))) <= 1e-12 * max(1, abs(ours)), f"{unparse(formula)} at {point}"
    assert compared
