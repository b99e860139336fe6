"""Other ways to write a product: by identities of the table, by factors, by brackets multiplied out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations

from gradcli.language.simplify import cases, linearity, structures
from gradcli.language.simplify.algebra.bases import Argument, Atom, Base, Exponential, Function, Group, Sum
from gradcli.language.simplify.algebra.factors import factored
from gradcli.language.simplify.algebra.fractions import in_parts
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import (
    Polynomial,
    Product,
    UnsimplifiedError,
    is_whole,
    magnitude,
    ratio,
    scaled,
    total,
)
from gradcli.language.simplify.facts.rules import rules_of
from gradcli.language.simplify.identities import Identities, times_in
from gradcli.language.tree import Number, Tuple

VANISHING = frozenset(["sigmoid", "softmax"])
MOST_TERMS = 8  # of a sum for which other forms are sought
HIGHEST_ROOT = 2  # the exponent of a product under a root
MOST_MIXED = 3  # the exponent that is shared out among the forms of a sum


class Rewriter(Identities):
    """Finds other forms of products over the bases of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        super().__init__(algebra)
        self._forms: dict[int, list[Product]] = {}

    def alternatives(self, product: Product) -> Iterator[Product]:
        """Yield products of the same value, in forms that courses teach."""
        for ways in (
            self._by_rules,
            self._by_forms,
            self._by_groups,
            self._by_expansion,
            self._by_division,
            self._in_parts,
            self._by_entries,
        ):
            with suppress(UnsimplifiedError):
                for found in ways(product):
                    if not self.algebra.is_within(found) or self._is_lower(found, product):
                        continue
                    shaped = self._in_shape(found, product)
                    if shaped is not None:
                        yield next(self._by_rules(shaped, taught=True), shaped)
                        yield from self._by_rules(shaped)

    def _in_shape(self, found: Product, product: Product) -> Product | None:
        """Return a form in the shape of the product; None where that is not known."""
        shape = self.algebra.extent(product)
        if self.algebra.extent(found) == shape:
            return found
        if shape.unknown or self.algebra.extent(found).unknown:
            return None
        size = Tuple(tuple(map(Number, shape.shape)))
        return self.algebra.call("expand", [Argument(found), Argument(size)])

    def _is_lower(self, found: Product, product: Product) -> bool:
        """Tell whether a form divides more often by a function that is 0 when rounded, far out."""
        powers = dict(product.term)
        return any(
            exponent < min(0, powers.get(base, 0)) and self._may_vanish(self.algebra.bases[base])
            for base, exponent in found.term
        )

    def _may_vanish(self, base: Base) -> bool:
        if isinstance(base, Sum):
            return any(len(term) == 1 and self._may_vanish(self.algebra.bases[term[0][0]]) for term in base.polynomial)
        return isinstance(base, Function) and base.name in VANISHING

    # Products.

    def _by_rules(self, product: Product, *, taught: bool = False) -> Iterator[Product]:
        algebra = self.algebra
        for rule in rules_of("product", self.present(product.term), taught):
            for bound in self.bindings(rule.anchors[0], product.term):
                if not algebra.holds(rule, bound):
                    continue
                made = algebra.multiply(*(algebra.power(algebra.evaluated(x, bound), e) for x, e in rule.parts))
                times = times_in(product.term, made.term)
                if times:
                    result = algebra.power(algebra.evaluated(rule.result, bound), times)
                    yield algebra.multiply(product, algebra.power(made, -times), result)

    # Sums.

    def _by_forms(self, product: Product) -> Iterator[Product]:
        """Yield the product with another form for one of its sums."""
        poles = frozenset(base for base, exponent in product.term if exponent < 0)
        for base, exponent in product.term:
            if isinstance(self.algebra.bases[base], Sum) and is_whole(exponent):
                rest = self.algebra.multiply(product, Product(1, ((base, -exponent),)))
                forms = [form for form in self.forms(base) if self.poles.get(form, poles) <= poles]
                for form in self._powers(forms, int(exponent)):
                    yield self.algebra.multiply(rest, form)

    def _powers(self, forms: list[Product], exponent: int) -> Iterator[Product]:
        """Yield the powers of the forms, and shared out among two of them: where a is b, a**2 is also a*b."""
        if 2 <= -exponent <= MOST_MIXED:
            for one, other in combinations(forms, 2):
                for count in range(1, -exponent):
                    both = (self.algebra.power(one, -count), self.algebra.power(other, exponent + count))
                    yield self.algebra.multiply(*both)
        for form in forms:
            yield self.algebra.power(form, exponent)

    def forms(self, base: int) -> list[Product]:
        """Return other forms of a sum."""
        if base not in self._forms:
            self._forms[base] = []
            found = self.algebra.bases[base]
            assert isinstance(found, Sum)
            with suppress(UnsimplifiedError):
                self._forms[base] = list(self._forms_of(found.polynomial))
        return self._forms[base]

    def _forms_of(self, polynomial: Polynomial) -> Iterator[Product]:
        if len(polynomial) > MOST_TERMS:
            return
        yield from cases.merged(self.algebra, polynomial)
        yield from linearity.merged(self.algebra, polynomial)
        yield from self.sum_forms(polynomial)
        yield from self._grouped(polynomial)
        plain = self.algebra.expanded(polynomial, 1)
        if plain is not None:
            yield self.algebra.collect(plain)
        flat = self.algebra.expanded(polynomial)
        if flat is not None:
            yield from self.sum_forms(flat)
            yield self.algebra.collect(flat)
            yield from self._grouped(flat)
        yield from factored(self.algebra, polynomial if flat is None else flat)

    def _grouped(self, polynomial: Polynomial) -> Iterator[Product]:
        """Yield `a + b*(c - 2*p)` for `a + b*c - 2*b*p`: a factor of some terms before a bracket, or below it."""
        for base in sorted({base for term in polynomial for base, _ in term}):
            inside = {term: c for term, c in polynomial.items() if any(b == base for b, _ in term)}
            powers = {e for term in inside for b, e in term if b == base}
            if 2 <= len(inside) < len(polynomial) and (
                len(powers) == 1 or max(powers) < 0
            ):  # powers descend: no a + b*(c + b*d)
                outside = [(term, c) for term, c in polynomial.items() if term not in inside]
                part = self.algebra.collect(inside)
                yield self.algebra.collect(total([*outside, (part.term, part.coefficient)]))

    # Roots of products, quotients, brackets.

    def _by_groups(self, product: Product) -> Iterator[Product]:
        """Yield `sqrt(x/y)/x` for `1/(y*sqrt(x/y))`: what stands under a root moves out or in where that cancels."""
        powers = dict(product.term)
        for base, exponent in product.term:
            group = self.algebra.bases[base]
            if isinstance(group, Group):
                for step in (1, -1):
                    inside = self.algebra.power(group.product, -step)
                    cancels = any(powers.get(b, 0) * e < 0 for b, e in inside.term)
                    if cancels and magnitude(exponent + step) <= HIGHEST_ROOT:
                        moved = self.algebra.multiply(product, inside, Product(1, ((base, step),)))
                        if magnitude(exponent + step) <= magnitude(exponent) or len(moved.term) < len(product.term):
                            yield moved

    def _by_entries(self, product: Product) -> Iterator[Product]:
        """Yield the product multiplied out, with entries for vectors beside one-hot ones."""
        flat = self.algebra.expanded({product.term: product.coefficient})
        terms = [Product(c, t) for t, c in flat.items()] if flat else [product]
        chosen = [structures.entries_of(self.algebra, term) for term in terms]
        if any(chosen):
            yield self.algebra.add(*(term if one is None else one for one, term in zip(chosen, terms, strict=True)))

    def _by_expansion(self, product: Product) -> Iterator[Product]:
        """Yield the product with all brackets multiplied out, and with two that have the same power."""
        sums = [(b, e) for b, e in product.term if isinstance(self.algebra.bases[b], Sum)]
        if len(sums) > 1 or any(e > 1 for _, e in sums):
            flat = self.algebra.expanded({product.term: product.coefficient})
            if flat is not None:
                yield self.algebra.collect(flat)
        for base, e in sums:
            flat = self.algebra.expanded({((base, 2),): 1}) if e == -2 else None
            if flat is not None:
                rest = self.algebra.multiply(product, Product(1, ((base, 2),)))
                for form in (self.algebra.collect(flat), *self.sum_forms(flat)):
                    yield self.algebra.multiply(rest, self.algebra.power(form, -1))
        for (one, e), (other, f) in combinations(sums, 2):
            if e == f:
                flat = self.algebra.expanded({tuple(sorted(((one, 1), (other, 1)))): 1})
                if flat is not None:
                    out = Product(1, ((one, -e), (other, -e)))
                    yield self.algebra.multiply(product, out, self.algebra.power(self.algebra.collect(flat), e))

    def _by_division(self, product: Product) -> Iterator[Product]:
        """Yield `1 - 1/(x - 1)**2` for `x*(x - 2)/(x - 1)**2`: what stands above divided by all that stands below.

        Also `a/(a + 1) - y` for `(a - y*a - y)/(a + 1)`.
        """
        algebra, term = self.algebra, product.term
        below = tuple((base, -e) for base, e in term if e < 0)
        above = tuple(power for power in term if power[1] > 0)
        found = algebra.bases[below[0][0]] if above and len(below) == 1 else None
        if not isinstance(found, Sum):
            return
        kinds = {type(algebra.bases[base]) for part in found.polynomial for base, _ in part}
        is_of_letters = kinds == {Atom}
        if not kinds <= {Atom, Exponential}:
            return
        dividend, divisor = algebra.expanded({above: 1}) or {above: 1}, algebra.expanded({below: 1})
        if divisor is None:
            return
        lead = max(divisor, key=lambda term: sum(e for _, e in term))
        for part, coefficient in dividend.items():
            times = algebra.over({part: ratio(coefficient, divisor[lead])}, Product(1, lead))
            ((front, number),) = times.items()
            if not front and not is_of_letters:
                continue  # (a - 1)/(a + 1) is a tanh
            taken = algebra.times(divisor, Product(number, front))
            if not dividend.keys() >= taken.keys() - {()}:
                continue
            rest = total([*dividend.items(), *((other, -c) for other, c in taken.items())])
            if len(rest) < len(dividend):
                fraction = algebra.multiply(algebra.collect(rest), Product(1, tuple((b, -e) for b, e in below)))
                whole = total([(front, number), (fraction.term, fraction.coefficient)])
                yield scaled(algebra.primitive(whole, 1), product.coefficient)

    def _in_parts(self, product: Product) -> Iterator[Product]:
        return in_parts(self.algebra, product)
