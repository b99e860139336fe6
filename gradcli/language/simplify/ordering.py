"""The order in which a person writes: powers descend, a sum does not begin with a minus, numbers and letters lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gradcli.language.simplify.algebra.names import natural
from gradcli.language.simplify.algebra.terms import Rational, Term
from gradcli.language.simplify.trees import CostedTree
from gradcli.language.tree import Expression, Name
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
    """Return the base by whose powers a sum is ordered; None where there is none, or it is one of several below."""
    powers = [dict(term) for term, _ in terms]
    spreads: dict[int, Rational] = {}
    below: set[int] = set()
    for base in dict.fromkeys(base for term, _ in terms for base, _ in term):
        exponents = [power.get(base, 0) for power in powers]
        spread = max(exponents) - min(exponents)
        if min(exponents) < 0:
            below.add(base)
        if spread > 1 or (spread == 1 and base in below):
            spreads[base] = spread
    widest = [base for base, spread in spreads.items() if spread == max(spreads.values())]
    return widest[0] if widest and (len(widest) == 1 or widest[0] not in below) else None


class Factor(NamedTuple):
    """A factor of a product, or of its denominator; the base says its place among the factors of a kind."""

    kind: int
    formula: CostedTree
    below: bool
    base: CostedTree


@lru_cache(maxsize=1024)
def text_of(tree: Expression) -> str:
    """Return the text of a factor, which stands in many of the forms that are tried."""
    return unparse(tree)


def in_order(factors: list[Factor], products: Sequence[tuple[str, ...]]) -> list[Factor]:
    """Sort factors by their kind, letters of one of the products that a person wrote as they stand there."""
    kinds = Counter(factor.kind for factor in factors)
    names = {factor.base.tree.id for factor in factors if isinstance(factor.base.tree, Name)}
    product_order = next((product for product in products if names <= set(product)), ())

    def key(factor: Factor) -> tuple[int, int, int, list[tuple[bool, int, str]]]:
        if kinds[factor.kind] == 1:
            return factor.kind, 0, 0, []
        text = text_of(factor.base.tree)
        place = product_order.index(text) if text in product_order else 0
        return factor.kind, factor.base.cost if factor.kind == BRACKET else text != "pi", place, natural(text)

    return sorted(factors, key=key)
