"""The order in which a person writes: powers descend, a sum does not begin with a minus, numbers and letters lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from gradcli.language.simplify.algebra.names import natural
from gradcli.language.simplify.algebra.terms import Rational, Term
from gradcli.language.simplify.trees import CostedTree
from gradcli.language.tree import Name
from gradcli.language.unparser import unparse

Signed = tuple[Term, Rational]
NUMBER, LETTER, RAISED, EXPONENTIAL, CALL, BRACKET, MATRIX = range(7)  # the order of factors


def ordered(terms: Sequence[Signed], *, by_degree: bool = False) -> list[Signed]:
    """Return the terms of a sum by descending powers of the base whose powers differ most; others keep their order.

    Where that begins with a negative term, the positive ones come first. `by_degree` puts long terms before short ones.
    """
    main = _main(terms)

    def key(signed: Signed) -> tuple[Rational, Rational, bool]:
        term, _ = signed
        degree = -sum(exponent for _, exponent in term) if by_degree else 0
        return -dict(term).get(main, 0) if main is not None else 0, degree, not term

    terms_in_order = sorted(terms, key=key)
    if terms_in_order[0][1] < 0:
        terms_in_order.sort(key=lambda signed: signed[1] < 0)
    return terms_in_order


def _main(terms: Sequence[Signed]) -> int | None:
    powers = [dict(term) for term, _ in terms]
    main: int | None = None
    widest: Rational = 1
    for base in dict.fromkeys(base for term, _ in terms for base, _ in term):
        exponents = [power.get(base, 0) for power in powers]
        spread = max(exponents) - min(exponents)
        if spread > widest or (spread == widest == 1 and main is None and min(exponents) < 0):
            main, widest = base, spread
    return main


class Factor(NamedTuple):
    """A factor of a product, or of its denominator; the base says its place among the factors of a kind."""

    kind: int
    formula: CostedTree
    below: bool
    base: CostedTree


def in_order(factors: list[Factor], products: Sequence[tuple[str, ...]]) -> list[Factor]:
    """Sort factors by their kind, letters of one of the products that a person wrote as they stand there."""
    kinds = Counter(factor.kind for factor in factors)
    names = {factor.base.tree.id for factor in factors if isinstance(factor.base.tree, Name)}
    product_order = next((product for product in products if names <= set(product)), ())

    def key(factor: Factor) -> tuple[int, int, int, list[tuple[bool, int, str]]]:
        if kinds[factor.kind] == 1:
            return factor.kind, 0, 0, []
        tree = factor.base.tree
        text = tree.id if isinstance(tree, Name) else unparse(tree)
        place = product_order.index(text) if text in product_order else 0
        return factor.kind, factor.base.cost if factor.kind == BRACKET else text != "pi", place, natural(text)

    return sorted(factors, key=key)
