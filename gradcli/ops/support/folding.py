"""Folding of formulas: 0, 1, signs, whole numbers, and parentheses that multiplication does not need; nothing else, so
that a formula shows the computation that ran.

A fold gets the operands as Formulas and the value of the result; it returns a shorter formula, or None.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.broadcast import row
from gradcli.engine.symbolic.formula import Formula, literal, number, shape_of
from gradcli.facts import dataclass
from gradcli.language.literals import LARGEST_EXACT
from gradcli.language.tree import Argument, Binary, Call, Expression, Name, Number, Unary

LONGEST = 24  # the most factors that a product is taken apart into


@dataclass(frozen=True, slots=True)
class Product:
    """A product or quotient, read from left to right: `-2*x/y` is sign -1, number 2, `*x`, `/y`, as is `-2*x*y**-1`."""

    sign: int
    coefficient: int | float
    factors: tuple[tuple[str, Expression], ...]

    @classmethod
    def of(cls, tree: Expression) -> Product:
        """Take a tree apart along its left side."""
        factors: list[tuple[str, Expression]] = []
        first = tree
        while isinstance(first, Binary) and first.operator in ("*", "/") and len(factors) < LONGEST:
            factors.append((first.operator, first.right))
            first = first.left
        sign = 1
        if isinstance(first, Unary) and first.operator == "-":
            sign, first = -1, first.operand
        factors.reverse()
        if isinstance(first, Number):
            return cls(sign, first.value, tuple(factors))
        if isinstance(first, Binary) and first.operator == "**" and first.right == number(-1):
            return cls(sign, 1, (("/", first.left), *factors))
        return cls(sign, 1, (("*", first), *factors))

    def times(self, other: Product) -> Product | None:
        """Return the product of both, with its number in front; None where multiplying the numbers would round."""
        are_integers = isinstance(self.coefficient, int) and isinstance(other.coefficient, int)
        if self.coefficient != 1 and other.coefficient != 1 and not are_integers:
            return None
        coefficient = other.coefficient if self.coefficient == 1 else self.coefficient * other.coefficient
        if are_integers and abs(coefficient) > LARGEST_EXACT and 1 not in (self.coefficient, other.coefficient):
            return None
        return Product(self.sign * other.sign, coefficient, self.factors + other.factors)

    def tree(self) -> Expression:
        factors = list(self.factors)
        leads = self.coefficient == 1 and factors and factors[0][0] == "*"
        tree = factors.pop(0)[1] if leads else Number(self.coefficient)
        if self.sign < 0:
            tree = Unary("-", tree)
        for operator, factor in factors:
            tree = Binary(operator, tree, factor)
        return tree


def _constant(value: Any, *operands: Formula) -> Formula | None:
    """Fold arithmetic on whole numbers: `2 - 1` is written `1`."""
    if np.ndim(value) or not all(isinstance(x.number, int) for x in operands):
        return None
    is_exact = abs(value) <= LARGEST_EXACT and float(value).is_integer()
    return Formula(number(float(value)), value) if is_exact else None


def _is(x: Formula, value: int, other: Formula, result: Any) -> bool:
    """Tell whether `x` is this number and `other` has the shape of the result, so that `other` can stand alone."""
    return x.number == value and other.shape == shape_of(result)


def _is_zero(x: Formula, result: Any) -> bool:
    return x.number == 0 and x.shape == shape_of(result)


def _without_minus(x: Formula) -> Any:
    """Return the formula without its leading minus sign, or None if it has none."""
    product = Product.of(x.tree)
    if product.sign > 0:
        return None
    tree = Product(1, product.coefficient, product.factors).tree()
    return Formula(tree, np.negative(x.value), x.size)


def _sum(a: Formula, operator: str, b: Formula, value: Any) -> Formula:
    """Write a sum or difference: `a + (b - c)` needs no parentheses; `a - (b + c)` keeps them."""
    size = a.size + b.size + 1
    inner = b.tree
    if operator == "+" and isinstance(inner, Binary) and inner.operator in ("+", "-"):
        first = inner.left
        if not (isinstance(first, Binary) and first.operator in ("+", "-")):
            return Formula(Binary(inner.operator, Binary("+", a.tree, first), inner.right), value, size)
    return Formula(Binary(operator, a.tree, b.tree), value, size)


def _plain(a: Formula, b: Formula) -> bool:
    """Tell whether there is nothing to fold: two names, as in most of a long program."""
    return type(a.tree) is Name and type(b.tree) is Name


def fold_add(a: Any, b: Any, *, value: Any) -> Any:
    if _plain(a, b):
        return None
    if _is(a, 0, b, value):
        return b
    if _is(b, 0, a, value):
        return a
    constant = _constant(value, a, b)
    if constant:
        return constant
    positive = _without_minus(b)
    return _sum(a, "-", positive, value) if positive else _sum(a, "+", b, value)


def fold_sub(a: Any, b: Any, *, value: Any) -> Any:
    if _is(b, 0, a, value):
        return a
    if _is(a, 0, b, value):
        return -b
    constant = _constant(value, a, b)
    if constant:
        return constant
    positive = _without_minus(b)
    return _sum(a, "+", positive, value) if positive else None


def fold_mul(a: Any, b: Any, *, value: Any) -> Any:
    if _plain(a, b):
        return None
    for x, other in ((a, b), (b, a)):
        if _is(x, 1, other, value):
            return other
        if _is_zero(x, value):
            return x
    constant = _constant(value, a, b)
    if constant:
        return constant
    product = Product.of(a.tree).times(Product.of(b.tree))
    return product and Formula(product.tree(), value, a.size + b.size + 1)


def fold_div(a: Any, b: Any, *, value: Any) -> Any:
    """Leave out a divisor of 1, and write `x/b**2` for `x/b/b`."""
    if _is(b, 1, a, value) or _is_zero(a, value):
        return a
    match a.tree:
        case Binary("/", above, below) if below == b.tree:
            return Formula(Binary("/", above, Binary("**", below, Number(2))), value, a.size + 1)
    return None


def fold_neg(x: Formula, *, value: Any) -> Any:
    """Put the sign before the first factor: `-a*b`, not `-(a*b)`."""
    if x.number == 0:
        return x
    product = Product.of(x.tree)
    return Formula(Product(-product.sign, product.coefficient, product.factors).tree(), value, x.size + 1)


def fold_pow(x: Formula, *, value: Any, exponent: float) -> Formula | None:
    if exponent == 1:
        return x
    if exponent == 0 and np.ndim(value) == 0:
        return Formula(number(1), value)
    return _constant(value, x)


def fold_zero(x: Formula, *, value: Any) -> Formula | None:
    """Write a plain 0, also for entries where `0*x` would be nan."""
    if not x.shape:
        return Formula(number(0), value)
    is_safe = bool(np.isfinite(x.value).all())
    return None if is_safe else Formula(Call("expand", (Argument(number(0)), Argument(literal(x.shape)))), value)


def fold_same(x: Formula, *, value: Any, **options: Any) -> Formula | None:
    return x if x.shape == np.shape(value) else None


def fold_squeeze(x: Formula, *, value: Any, dim: int) -> Formula | None:
    """Fold `squeeze(unsqueeze(v, 0) @ M, 0)`, torch's way to compute `v @ M`."""
    product, vector = x.tree, row(x.tree)
    if dim == 0 and vector is not None:
        return Formula(vector, value, x.size)
    if dim == 0 and len(x.shape) == 2 and isinstance(product, Binary) and product.operator == "@":
        vector = row(product.left)
        if vector is not None:
            return Formula(Binary("@", vector, product.right), value, x.size)
    return fold_same(x, value=value)


def fold_reshape(x: Formula, *, value: Any, shape: tuple[int, ...]) -> Formula | None:
    """Write a vector as a row with `unsqueeze`, which other operations know, and take that back from a row."""
    if len(x.shape) == 1 and shape == (1, *x.shape):
        return Formula(Call("unsqueeze", (Argument(x.tree), Argument(Number(0)))), value, x.size + 1)
    return fold_squeeze(x, value=value, dim=0) if x.shape == (1, *shape) else fold_same(x, value=value)
