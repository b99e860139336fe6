"""The algebra of sums: like terms, common factors, brackets multiplied out where that is shorter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import prod
from operator import itemgetter

from gradcli.language.simplify.algebra.bases import Atom, Exponential, Sum
from gradcli.language.simplify.algebra.names import natural
from gradcli.language.simplify.algebra.products import Products
from gradcli.language.simplify.algebra.terms import (
    ZERO,
    Polynomial,
    Product,
    Rational,
    Term,
    common_number,
    common_powers,
    is_whole,
    ratio,
    scaled,
    term_of,
    total,
)
from gradcli.language.tree import Name

MOST_TERMS = 24  # of a sum that is multiplied out
HIGHEST = 6  # the exponent of a bracket that is multiplied out


class Algebra(Products):
    """Products and sums over the bases of one formula; `turned_first` are the sums that first came with other signs."""

    def __init__(self, products: Sequence[tuple[str, ...]] = ()) -> None:
        super().__init__(products)
        self.turned_first: dict[int, bool] = {}
        self._collected: dict[tuple[tuple[Term, Rational], ...], Product | None] = {}  # None while it is sought
        self._expanded: dict[tuple[tuple[tuple[Term, Rational], ...], int], Polynomial | None] = {}
        self.before: dict[int, Product] = {}  # the exponentials that were taken out of a sum when it first came

    def add(self, *parts: Product) -> Product:
        return self.collect(total(chain.from_iterable(self.terms(product) for product in parts)))

    def terms(self, product: Product) -> list[tuple[Term, Rational]]:
        """Return the terms of a product that is nothing but a sum, perhaps times a number; else the product."""
        if len(product.term) == 1 and product.term[0][1] == 1:
            base = self.bases[product.term[0][0]]
            if isinstance(base, Sum):
                factor = product.coefficient
                return [(term, c * factor) for term, c in base.polynomial.items()]
        return [(product.term, product.coefficient)]

    def collect(self, polynomial: Polynomial) -> Product:
        """Return a sum as common factors in front of a bracket, which is multiplied out if that is shorter."""
        key = tuple(polynomial.items())
        if key not in self._collected:
            self._collected[key] = None
            self._collected[key] = self._collect(polynomial)
        return self._collected[key] or self.primitive(polynomial, 1)  # it is what multiplying its brackets out leads to

    def _collect(self, polynomial: Polynomial) -> Product:
        polynomial = self._fractions_together(polynomial)
        if len(polynomial) < 2:
            return next((Product(c, t) for t, c in polynomial.items()), ZERO)
        powers = common_powers(polynomial)
        if len(polynomial) > self.most_over:
            count = Counter(base for term in polynomial for base, _ in term)
            powers = {base: e for base, e in powers.items() if e > 0 or 2 * count[base] > len(polynomial)}
        front = Product(1, term_of(powers))
        bracket = self.over(polynomial, front) if powers else polynomial
        if any(exponent < 0 for exponent in powers.values()):
            bracket = self._by_letters(bracket)
        expanded = self.expanded(bracket)
        if expanded is not None and self.weigh(expanded) < self.weigh(bracket) + self.is_of_a_letter(expanded):
            return self.multiply(front, self.collect(expanded))
        if len(bracket) < 2:
            return self.multiply(front, self.collect(bracket))
        bracket_product = self.primitive(bracket, self.shown_coefficient(front))
        exponentials = tuple((b, e) for b, e in front.term if e < 0 and isinstance(self.bases[b], Exponential))
        if exponentials:
            self.before.setdefault(bracket_product.term[0][0], Product(1, exponentials))
        return self.multiply(front, bracket_product)

    def _fractions_together(self, polynomial: Polynomial) -> Polynomial:
        """Add fractions over powers of one bracket to each other, before other terms come over that bracket, too."""
        if len(polynomial) < 3:
            return polynomial
        for base in sorted({base for term in polynomial for base, e in term if e < 0}):
            inside = {term: c for term, c in polynomial.items() if any(b == base and e < 0 for b, e in term)}
            if isinstance(self.bases[base], Sum) and 2 <= len(inside) < len(polynomial):
                common_fraction = self.collect(inside)
                outside = [(term, c) for term, c in polynomial.items() if term not in inside]
                polynomial = total([*outside, (common_fraction.term, common_fraction.coefficient)])
        return polynomial

    def _by_letters(self, polynomial: Polynomial) -> Polynomial:
        """Return a sum of equal powers of letters by the letters: nobody wrote the sum over a common denominator."""
        names = {}
        for term in polynomial:
            base = self.bases[term[0][0]] if len(term) == 1 else None
            if not isinstance(base, Atom) or not isinstance(base.tree, Name):
                return polynomial
            names[term] = base.tree.id
        if len({term[0][1] for term in polynomial}) > 1:
            return polynomial
        return {term: polynomial[term] for term in sorted(polynomial, key=lambda term: natural(names[term]))}

    def primitive(self, polynomial: Polynomial, sign: Rational) -> Product:
        """Return a sum without common factors as a number times a sum of the usual sign; `sign` is that before it."""
        number = common_number(polynomial, decimals=self.decimals)
        lead = min((term for term in polynomial if term), default=())
        if polynomial[lead] < 0:
            number = -number
        bracket = self.sum({term: ratio(c, number) for term, c in polynomial.items()})
        self.turned_first.setdefault(bracket.term[0][0], number * sign < 0)
        return scaled(bracket, number)

    def is_turned(self, base: int) -> bool:
        """Tell whether a sum is written with the other signs, as it first came: never with minuses alone."""
        bracket = self.bases[base]
        assert isinstance(bracket, Sum)
        return self.turned_first.get(base, False) and any(c < 0 for c in bracket.polynomial.values())

    def shown_coefficient(self, product: Product) -> Rational:
        """Return the number of a product with its sums as they first came."""
        odd = [base for base, e in product.term if e % 2 == 1 and isinstance(self.bases[base], Sum)]
        return -product.coefficient if sum(map(self.is_turned, odd)) % 2 else product.coefficient

    def over(self, polynomial: Polynomial, divisor: Product) -> Polynomial:
        return self.times(polynomial, self.power(divisor, -1))

    def times(self, polynomial: Polynomial, factor: Product) -> Polynomial:
        """Multiply each term."""
        products = (self.multiply(Product(c, t), factor) for t, c in polynomial.items())
        return total((product.term, product.coefficient) for product in products)

    def is_of_a_letter(self, polynomial: Polynomial) -> bool:
        """Tell whether a sum is a polynomial in one letter, of which all brackets are multiplied out."""
        bases = {base for term in polynomial for base, _ in term}
        return len(bases) == 1 and all(isinstance(self.bases[base], Atom) for base in bases)

    def weigh(self, polynomial: Polynomial) -> int:
        return sum(self.weight(Product(c, t)) for t, c in polynomial.items()) + len(polynomial) - 1

    # Brackets.

    def expanded(self, polynomial: Polynomial, highest: int = HIGHEST) -> Polynomial | None:
        """Multiply all brackets to powers up to the highest out; None where there are none, or too many terms."""
        if all(self.brackets.isdisjoint(map(itemgetter(0), term)) for term in polynomial):
            return None
        key = (tuple(polynomial.items()), highest)
        if key not in self._expanded:
            self._expanded[key] = self._expand(polynomial, highest)
        return self._expanded[key]

    def _expand(self, polynomial: Polynomial, highest: int) -> Polynomial | None:
        terms_found: list[tuple[Term, Rational]] = []
        waiting = [Product(c, t) for t, c in reversed(polynomial.items())]
        is_expanded, count = False, sum(self._count_expanded(term, highest) for term in polynomial)
        while waiting and count <= MOST_TERMS:
            product = waiting.pop()
            parts = self._first_bracket(product, highest)
            if parts is None:
                terms_found.append((product.term, product.coefficient))
            else:
                is_expanded = True
                waiting.extend(reversed(parts))
            count = len(terms_found) + len(waiting)
        return total(terms_found) if is_expanded and count <= MOST_TERMS else None

    def _count_expanded(self, term: Term, highest: int) -> int:
        """Return how many terms a product has at least with its brackets multiplied out, where nothing cancels."""
        brackets = ((self.bases[base], e) for base, e in term if 1 <= e <= highest and is_whole(e))
        return prod(len(x.polynomial) ** int(e) for x, e in brackets if isinstance(x, Sum))

    def _first_bracket(self, product: Product, highest: int) -> list[Product] | None:
        """Multiply one bracket out once; None where there is none."""
        for base, exponent in product.term:
            bracket = self.bases[base]
            if isinstance(bracket, Sum) and 1 <= exponent <= highest and is_whole(exponent):
                factor = self.multiply(product, Product(1, ((base, -1),)))
                return [self.multiply(factor, Product(c, t)) for t, c in bracket.polynomial.items()]
        return None
