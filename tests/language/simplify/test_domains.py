"""The simplified formula is finite wherever the raw one is: at poles of the one or the other, near 0, far out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

import gradcli.ops
from gradcli.errors import GradcliError
from gradcli.explanation.values import value_of
from gradcli.language.rewrite import substitute
from gradcli.language.simplify.facts.identities import TABLE, Identity
from gradcli.language.simplify.facts.rules import rule
from gradcli.language.simplify.simplifier import simplify
from gradcli.language.tree import Binary, Expression, Name, Number, Unary
from gradcli.language.unparser import unparse
from tests.language.simplify.evaluation import DIGITS, NotFiniteError, value
from tests.language.simplify.evaluation import LARGEST as LARGEST_FLOAT
from tests.language.simplify.facts.test_identities import letters_of, of_numbers
from tests.language.simplify.formulas import formulas
from tests.programs import some

gradcli.ops.load()

FAR = (0, 0.5, -0.5, 1, -1, 2, 400, -400, 710, -710, 800, -800)
NEAR = (1e-300, -1e-300)
with mpmath.workdps(60):
    TURNS = tuple(k * mpmath.pi / 2 for k in (-2, -1, 1, 2, 4))
MOST = LARGEST_FLOAT / 16  # a simplified formula may be larger by a small factor in between
LARGEST = 1e30  # beyond, the raw formula divides by its own rounding


def check(tree: Expression, found: Expression, point: Mapping[str, Any]) -> None:
    """Check that a formula is finite, and no float overflows in it, where the raw one is finite."""
    try:
        raw = value(tree, point, largest=MOST)
        value(tree, point, largest=mpmath.inf, digits=20 * DIGITS)  # (-1)**(1 + 1e-300) is -1 in fewer digits
    except NotFiniteError:
        return
    where = f"{unparse(tree)} is {mpmath.nstr(raw, 8)}, but not {unparse(found)}, at {point}"
    if abs(raw) > LARGEST:
        return
    same = any(is_same(tree, found, point, digits) for digits in (DIGITS, 20 * DIGITS))
    assert same or is_close(found, point, raw), where  # in floats 1/0**-x is 0
    if all(x in FAR for x in point.values()):
        assert not is_close(tree, point, raw) or np.isfinite(in_floats(found, point)), where


def is_close(tree: Expression, point: Mapping[str, Any], raw: Any) -> bool:
    """Tell whether a formula has a value in floats, but for rounding."""
    try:
        return bool(abs(in_floats(tree, point) - float(raw)) <= 1e-6 * abs(float(raw)))
    except GradcliError:
        return False


def is_same(tree: Expression, found: Expression, point: Mapping[str, Any], digits: int) -> bool:
    """Tell whether two formulas have the same value, computed with so many digits."""
    try:
        raw, short = (value(x, point, largest=mpmath.inf, digits=digits) for x in (tree, found))
    except NotFiniteError:
        return False
    return bool(abs(short - raw) <= 1e-9 * max(1, abs(raw)))


def in_floats(tree: Expression, point: Mapping[str, Any]) -> Any:
    with np.errstate(all="ignore"):
        return value_of(tree, {name: np.float64(x) for name, x in point.items()})


@pytest.mark.slow
@settings(max_examples=30)
@given(formulas())
def test_of_formulas(tree: Expression) -> None:
    found = simplify(tree)
    for x, y in zip((*FAR, *NEAR, *TURNS), (1, *FAR, *NEAR, *TURNS), strict=False):
        check(tree, found, {"x": x, "y": y})


def multiples(identity: Identity) -> Iterator[Expression]:
    """Yield sums of some terms of an identity, times a factor that may cancel what is below in others."""
    found = rule(identity)
    if found.kind == "sum":
        terms = found.zero
        factors = [factor for term in terms for factor in (term, Binary("/", Number(1), term))]
        for factor in factors:
            times = [simplify(Binary("*", factor, term)) for term in terms]
            for one, other in combinations(times, 2):
                yield Binary("+", one, other)
                yield Binary("/", Number(1), Binary("+", one, other))
                yield Binary("-", one, other)
    else:
        yield found.pattern
        yield Binary("/", Number(1), found.pattern)
        yield Unary("-", Binary("**", found.pattern, Number(2)))


SCALES = (Name("x"), Binary("/", Name("x"), Number(2)))


@pytest.mark.slow
@pytest.mark.parametrize("identity", some(filter(of_numbers, TABLE), 6), ids=lambda x: x.name)
def test_of_multiples_of_identities(identity: Identity) -> None:
    for tree in some(dict.fromkeys(multiples(identity)), 24):
        letters = letters_of(tree)
        for scaled in SCALES if len(letters) == 1 else SCALES[:1]:
            formula = substitute(tree, dict(zip(letters, (scaled, Name("y")), strict=False)))
            found = simplify(formula)
            for x in (*FAR, *NEAR, *TURNS) if found != formula else ():
                check(formula, found, {"x": x, "y": 0.75})
