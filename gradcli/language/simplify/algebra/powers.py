"""Powers with letters in the exponent: what stands above is taken apart, so that powers of one base come together."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.language.simplify.algebra.bases import Exponential, Power, Sum
from gradcli.language.simplify.algebra.products import Products
from gradcli.language.simplify.algebra.terms import ONE, ZERO, Product, Term, UnsimplifiedError
from gradcli.language.simplify.extents import joined


class Powers(Products):
    """Exponentials and powers over the bases of one formula."""

    def exponential(self, exponent: Product) -> Product:
        """Return `exp(exponent)`."""
        parts = []
        for coefficient, term in self.split(exponent):
            simpler = ((b, self.exponential_of(b)) for b, e in term if e == 1)
            log, inside = next(((b, x) for b, x in simpler if x is not None), (None, ONE))
            if log is not None:
                factor = Product(coefficient, tuple((b, e) for b, e in term if b != log))
                parts.append(self.raised(inside, factor))
                continue
            base_exponential = Exponential(self.extent_of(b for b, _ in term), 1 + self.weight(Product(1, term)), term)
            base = self.register(("exp", term), base_exponential).term[0][0]
            parts.append(Product(1, ((base, coefficient),)))
        return self.multiply(*parts)

    def exponential_of(self, base: int) -> Product | None:
        """Return the exponential of one base where it is something simpler, as of a logarithm."""
        return None

    def is_exponential(self, term: Term) -> bool:
        return all(isinstance(self.bases[base], Exponential) for base, _ in term)

    def raised(self, base: Product, exponent: Product) -> Product:
        """Return `base**exponent`."""
        if exponent.is_number:
            return self.power(base, exponent.coefficient)
        if base.coefficient == 1 and base.term and self.is_exponential(base.term):
            return self.multiply(*(self.exponential(self.multiply(x, exponent)) for x in self.exponents(base.term)))
        if base in (ONE, ZERO):
            if base == ONE:
                return ONE
            raise UnsimplifiedError
        parts = []
        for coefficient, term in self.split(exponent):
            if not term:
                parts.append(self.power(base, coefficient))
                continue
            extent = joined([self.extent(base), self.extent_of(b for b, _ in term)])
            power = Power(extent, 1 + self.weight(base) + self.weight(Product(1, term)), base, term)
            number = self.register(("power", base, term), power).term[0][0]
            parts.append(Product(1, ((number, coefficient),)))
        return self.multiply(*parts)

    def exponents(self, term: Term) -> list[Product]:
        """Return the terms of the exponent of a product of exponentials."""
        terms = []
        for base, exponent in term:
            inside = self.bases[base]
            assert isinstance(inside, Exponential)
            terms.append(Product(exponent, inside.term))
        return terms

    def split(self, product: Product) -> Iterator[Product]:
        """Yield the terms of a product with one sum in it: `x*(y + 1)` is `x*y` and `x`."""
        sums = [(b, inner) for b, e in product.term if e == 1 and isinstance(inner := self.bases[b], Sum)]
        if len(sums) == 1:
            ((base, bracket),) = sums
            factor = Product(product.coefficient, tuple((b, e) for b, e in product.term if b != base))
            for term, coefficient in bracket.polynomial.items():
                yield self.multiply(factor, Product(coefficient, term))
        elif product.coefficient:
            yield product
