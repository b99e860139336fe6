"""Trees with their length in operators and calls, put together as a person writes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradcli.language.literals import is_round
from gradcli.language.rewrite import with_children
from gradcli.language.simplify.algebra.terms import Rational
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    Method,
    Number,
    Unary,
    postorder,
)

COUNTED = (Attribute, Binary, Call, Compare, Index, Method, Unary)
SHORT = 8  # characters of a number that a person writes
OPAQUE = {"select_backward": 3}  # calls that no course teaches
LARGEST = 2**63 - 1  # a whole number beyond is written as a float


class CostedTree(NamedTuple):
    """A tree and its length."""

    tree: Expression
    cost: int


def length(tree: Expression) -> int:
    """Return the number of operators and calls in a tree; a number of many digits counts as one.

    A call that no course teaches counts more, so that it stands only where nothing else does.
    """
    return sum(map(_counts, postorder(tree)))


def _counts(node: Expression) -> int:
    if isinstance(node, Call):
        return OPAQUE.get(node.function, 1)
    return isinstance(node, COUNTED) or (isinstance(node, Number) and len(repr(node.value)) > SHORT)


def number(value: Rational) -> CostedTree:
    """Write a number that is not negative, whole or with decimals that end."""
    is_int = value.denominator == 1 and value <= LARGEST and not is_round(value)
    return CostedTree(tree := Number(int(value) if is_int else float(value)), _counts(tree))


def fraction(value: Rational) -> CostedTree:
    return over(number(value.numerator), [number(value.denominator)])


def product(factors: Sequence[CostedTree]) -> CostedTree:
    tree, cost = factors[0]
    for factor in factors[1:]:
        tree, cost = Binary("*", tree, factor.tree), cost + factor.cost + 1
    return CostedTree(tree, cost)


def over(above: CostedTree, below: Sequence[CostedTree]) -> CostedTree:
    if not below:
        return above
    divisor = product(below)
    return CostedTree(Binary("/", above.tree, divisor.tree), above.cost + divisor.cost + 1)


def add(first: CostedTree, sign: str, second: CostedTree) -> CostedTree:
    return CostedTree(Binary(sign, first.tree, second.tree), first.cost + second.cost + 1)


def raise_to(base: CostedTree, exponent: CostedTree) -> CostedTree:
    return CostedTree(Binary("**", base.tree, exponent.tree), base.cost + exponent.cost + 1)


def negate(formula: CostedTree) -> CostedTree:
    """Put a minus before the first factor."""
    return CostedTree(_led(formula.tree, lambda first: Unary("-", first)), formula.cost + 1)


def multiply_matrix(factor: CostedTree, matrix: CostedTree) -> CostedTree:
    """Put a number before the first matrix of a product: `2/3*X.T @ y`."""
    led = _led(matrix.tree, lambda first: Binary("*", factor.tree, first))
    return CostedTree(led, matrix.cost + factor.cost + 1)


def _led(tree: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Change the first factor of a product."""
    path: list[Binary] = []
    while isinstance(tree, Binary) and tree.operator in ("*", "/", "@"):
        path.append(tree)
        tree = tree.left
    tree = change(tree)
    for node in reversed(path):
        tree = Binary(node.operator, tree, node.right)
    return tree


def call(name: str, parts: Sequence[CostedTree], keywords: Sequence[str | None] = (None,)) -> CostedTree:
    arguments = (Argument(argument.tree, keyword) for argument, keyword in zip(parts, keywords, strict=True))
    return CostedTree(Call(name, tuple(arguments)), OPAQUE.get(name, 1) + sum(argument.cost for argument in parts))


def fill(template: Expression, parts: Sequence[CostedTree]) -> CostedTree:
    """Put formulas in the places of the children of a tree."""
    tree = with_children(template, [child.tree for child in parts])
    return CostedTree(tree, _counts(tree) + sum(child.cost for child in parts))
