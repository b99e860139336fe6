"""Folding of formulas: 0, 1, signs and whole numbers, and nothing else, so that a formula stays what ran.

A fold gets the operands as Formulas and the value of the result; it answers a shorter formula, or None.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.formula import Formula
from gradcli.engine.notation import number
from gradcli.language.tree import Binary, Expression, Unary

LEADING = 16  # how many factors are looked through for a sign


def _constant(value: Any, *operands: Formula) -> Formula | None:
    """Arithmetic on whole numbers is done at once: `2 - 1` is written `1`."""
    known = all(isinstance(x.number, int) for x in operands)
    return Formula(number(float(value)), value) if known and np.ndim(value) == 0 and float(value).is_integer() else None


def _is(x: Formula, value: int, other: Formula, result: Any) -> bool:
    """Whether `x` is this number and `other` has the shape of the result, so that `other` can stand alone."""
    return x.number == value and other.shape == np.shape(result)


def _first_factor(tree: Expression) -> tuple[Expression, list[Binary]]:
    """The first factor of a product or quotient, and the products on the way down to it."""
    factors: list[Binary] = []
    while isinstance(tree, Binary) and tree.operator in "*/" and len(factors) < LEADING:
        factors.append(tree)
        tree = tree.left
    return tree, factors


def _with_first(first: Expression, factors: list[Binary]) -> Expression:
    for product in reversed(factors):
        first = Binary(product.operator, first, product.right)
    return first


def _negated(x: Formula) -> Any:
    """The formula without its minus sign, if its first factor has one (`-a*b` is `(-a)*b`)."""
    first, factors = _first_factor(x.tree)
    if not (isinstance(first, Unary) and first.operator == "-"):
        return None
    return Formula(_with_first(first.operand, factors), np.negative(x.value), x.size - 1)


def fold_add(a: Any, b: Any, *, value: Any) -> Any:
    if _is(a, 0, b, value):
        return b
    if _is(b, 0, a, value):
        return a
    constant = _constant(value, a, b)
    minus = None if constant else _negated(b)
    return constant or (a - minus if minus else None)


def fold_sub(a: Any, b: Any, *, value: Any) -> Any:
    if _is(b, 0, a, value):
        return a
    if _is(a, 0, b, value):
        return -b
    constant = _constant(value, a, b)
    minus = None if constant else _negated(b)
    return constant or (a + minus if minus else None)


def fold_mul(a: Any, b: Any, *, value: Any) -> Any:
    for x, other in ((a, b), (b, a)):
        if _is(x, 1, other, value):
            return other
        if x.number == 0 and x.shape == np.shape(value):
            return x
        if x.number == -1 and other.shape == np.shape(value):
            return -other
    minus = _negated(b)
    return _constant(value, a, b) or (-(a * minus) if minus else None)


def fold_div(a: Any, b: Any, *, value: Any) -> Any:
    if _is(b, 1, a, value) or (a.number == 0 and a.shape == np.shape(value)):
        return a
    return None


def fold_neg(x: Formula, *, value: Any) -> Any:
    """The sign goes to the first factor: `-a*b`, not `-(a*b)`."""
    if x.number == 0:
        return x
    minus = _negated(x)
    first, factors = _first_factor(x.tree)
    if minus or not factors:
        return minus
    return Formula(_with_first(Unary("-", first), factors), value, x.size + 1)


def fold_pow(x: Formula, *, value: Any, exponent: float) -> Formula | None:
    if exponent == 1:
        return x
    return Formula(number(1), value) if exponent == 0 else _constant(value, x)
