"""The exponents of exponentials in a formula: one beyond those that were read may overflow earlier."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gradcli.language.simplify.algebra.bases import Exponential, Function, Sum
from gradcli.language.simplify.algebra.sums import Algebra
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Rational, Term, is_whole, magnitude

Way = tuple[Product, Mapping[int, Polynomial]]  # a product with other polynomials for some of its sums
Growth = tuple[Term, Rational]  # of exp(number*term)

NOTHING: Mapping[int, Polynomial] = {}


class Exponents(Algebra):
    """Knows the least and the largest number before each exponent that was read."""

    def __init__(self, products: Sequence[tuple[str, ...]] = ()) -> None:
        super().__init__(products)
        self._met: dict[Term, tuple[Rational, Rational]] = {}

    def read_exponents(self, product: Product) -> None:
        """Note the exponents in a part of the formula, as it came."""
        if self._has_exponentials(product.term):
            for term, number in self._growths(self.as_it_came(product)[0].term):
                smallest, largest = self._met.get(term, (0, 0))
                self._met[term] = min(smallest, number), max(largest, number)

    def as_it_came(self, product: Product) -> Way:
        """Return the product with the exponentials that were taken out of its sums back in them."""
        as_read, instead = product, dict(NOTHING)
        for base, exponent in product.term:
            exponentials, entry = self.before.get(base), self.bases[base]
            if exponentials is not None and isinstance(entry, Sum) and is_whole(exponent):
                as_read = self.multiply(as_read, self.power(exponentials, -exponent))
                instead[base] = self.times(entry.polynomial, exponentials)
        return as_read, instead

    def is_within(self, product: Product, instead: Mapping[int, Polynomial] = NOTHING) -> bool:
        """Tell whether a product overflows no earlier than what was read.

        Below, one exponential may be larger if it is nowhere above: where it overflows, the product is 0.
        """
        if not self._met:
            return True
        above, below = [product.term], list[Polynomial]()
        for term in above:  # which grows by the terms of the sums in them
            for base, exponent in term:
                entry = self.bases[base]
                if isinstance(entry, Sum):
                    polynomial = instead.get(base, entry.polynomial)
                    if exponent < 0:
                        below.append(polynomial)
                    else:
                        above.extend(polynomial)
        high = [growth for term in above for growth in self._growths(term)]
        if not all(map(self._is_met, high)):
            return False
        for polynomial in below:
            growths = [growth for term in polynomial for growth in self._growths(term)]
            for growth in growths:
                alike = [x for x in [*high, *growths] if x[0] == growth[0] and x[1] * growth[1] > 0]
                if len(alike) > 1 and not self._is_met(growth):
                    return False
        return True

    def _has_exponentials(self, term: Term) -> bool:
        return any(isinstance(self.bases[base], Exponential | Function | Sum) for base, _ in term)

    def _growths(self, term: Term) -> Iterator[Growth]:
        """Yield the numbers before the exponents in a product; cosh and sinh count as their exponentials."""
        numbers: dict[Term, Rational] = {}
        sides: dict[Term, Rational] = {}
        for base, exponent in term:
            entry = self.bases[base]
            if isinstance(entry, Exponential):
                numbers[entry.term] = exponent
            elif isinstance(entry, Function) and entry.name in ("cosh", "sinh") and exponent > 0:
                inside = entry.arguments[0].value
                assert isinstance(inside, Product)
                sides[inside.term] = sides.get(inside.term, 0) + exponent * magnitude(inside.coefficient)
        for key in {**numbers, **sides}:
            number, side = numbers.get(key, 0), sides.get(key, 0)
            yield key, number + side
            if side:
                yield key, number - side

    def _is_met(self, growth: Growth) -> bool:
        term, number = growth
        smallest, largest = self._met.get(term, (number, number))
        return smallest <= number <= largest
