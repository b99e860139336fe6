"""Other ways to write a product: by identities of the table, by factors, by brackets multiplied out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations

from gradcli.language.simplify import cases, linearity
from gradcli.language.simplify.algebra.bases import Argument, Base, Exponential, Function, Group, Sum
from gradcli.language.simplify.algebra.factors import factored
from gradcli.language.simplify.algebra.functions import Bound, Builder
from gradcli.language.simplify.algebra.terms import (
    Polynomial,
    Product,
    Term,
    UnsimplifiedError,
    is_whole,
    magnitude,
    ratio,
    scaled,
    total,
)
from gradcli.language.simplify.facts.rules import Rule, rules_of
from gradcli.language.tree import Call, Name, Number, Tuple

VANISHING = frozenset(["sigmoid", "softmax"])
MOST_TERMS = 8  # of a sum for which other forms are sought
HIGHEST_ROOT = 2  # the exponent of a product under a root
MOST_MIXED = 3  # the exponent that is shared out among the forms of a sum


class Rewriter:
    """Finds other forms of products over the bases of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        self.algebra = algebra
        self._forms: dict[int, list[Product]] = {}
        self._poles: dict[Product, frozenset[int]] = {}  # where forms are not finite, though the sum is

    def alternatives(self, product: Product) -> Iterator[Product]:
        """Yield products of the same value, in forms that courses teach."""
        for ways in (self._by_rules, self._by_forms, self._by_groups, self._by_expansion):
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
            for bound in self._bindings(rule.anchors[0], product.term):
                if not algebra.holds(rule, bound):
                    continue
                made = algebra.multiply(*(algebra.power(algebra.evaluated(x, bound), e) for x, e in rule.parts))
                times = _times(product.term, made.term)
                if times:
                    result = algebra.power(algebra.evaluated(rule.result, bound), times)
                    yield algebra.multiply(product, algebra.power(made, -times), result)

    def present(self, term: Term) -> frozenset[str]:
        """Return the functions among the factors."""
        bases = (self.algebra.bases[base] for base, _ in term)
        found = ("exp" if isinstance(x, Exponential) else x.name if isinstance(x, Function) else "" for x in bases)
        return frozenset(filter(None, found))

    def _bindings(self, calls: Sequence[Call], term: Term) -> list[Bound]:
        """Return the ways to read calls of a pattern in the factors of a term."""
        found: list[Bound] = [{}]
        for call in calls:
            matches = (
                self.algebra.matched(call, Product(1, ((base, 1),)), bound)
                for bound in found
                for base, _ in term
                if getattr(self.algebra.bases[base], "name", "") == call.function
            )
            found = [bound for bound in matches if bound is not None]
        return found

    # Sums.

    def _by_forms(self, product: Product) -> Iterator[Product]:
        """Yield the product with another form for one of its sums."""
        poles = frozenset(base for base, exponent in product.term if exponent < 0)
        for base, exponent in product.term:
            if isinstance(self.algebra.bases[base], Sum) and is_whole(exponent):
                rest = self.algebra.multiply(product, Product(1, ((base, -exponent),)))
                forms = [form for form in self.forms(base) if self._poles.get(form, poles) <= poles]
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
        yield from self._sum_forms(polynomial)
        yield from self._grouped(polynomial)
        plain = self.algebra.expanded(polynomial, 1)
        if plain is not None:
            yield self.algebra.collect(plain)
        flat = self.algebra.expanded(polynomial)
        if flat is not None:
            yield from self._sum_forms(flat)
            yield self.algebra.collect(flat)
            yield from self._grouped(flat)
        yield from factored(self.algebra, polynomial if flat is None else flat)

    def _grouped(self, polynomial: Polynomial) -> Iterator[Product]:
        """Yield `a + b*(c - 2*p)` for `a + b*c - 2*b*p`: a factor of some terms before a bracket."""
        for base in sorted({base for term in polynomial for base, _ in term}):
            inside = {term: c for term, c in polynomial.items() if any(b == base for b, _ in term)}
            powers = {e for term in inside for b, e in term if b == base}
            if 2 <= len(inside) < len(polynomial) and len(powers) == 1:  # powers descend: no a + b*(c + b*d)
                outside = [(term, c) for term, c in polynomial.items() if term not in inside]
                part = self.algebra.collect(inside)
                yield self.algebra.collect(total([*outside, (part.term, part.coefficient)]))

    def _sum_forms(self, polynomial: Polynomial) -> Iterator[Product]:
        for rule in rules_of("sum", frozenset[str]().union(*map(self.present, polynomial))):
            yield from (self._by_exponentials if rule.is_exponential else self._by_terms)(rule, polynomial)

    def _by_terms(self, rule: Rule, polynomial: Polynomial) -> Iterator[Product]:
        """Add a multiple of a sum that is 0, such as `sin(a)**2 + cos(a)**2 - 1`: two of its terms must be there."""
        algebra, seen = self.algebra, set[tuple[Product, ...]]()
        for anchor in rule.anchors:
            for bound in [bound for term in polynomial for bound in self._bindings(anchor, term)]:
                zero = tuple(algebra.evaluated(term, bound) for term in rule.zero)
                if zero not in seen:
                    seen.add(zero)
                    yield from self._less(zero, polynomial, shorter=rule.identity.is_shortening)

    def _less(self, zero: tuple[Product, ...], polynomial: Polynomial, *, shorter: bool) -> Iterator[Product]:
        """Yield a sum without one of its terms, which is expressed by the other terms of a sum that is 0."""
        algebra = self.algebra
        for chosen in zero:
            for term, coefficient in polynomial.items():
                if not chosen.term or not _times(term, chosen.term):
                    continue
                factor = algebra.multiply(Product(coefficient, term), algebra.power(chosen, -1))
                poles = frozenset(base for part in zero for base in _cancelled(part.term, factor.term))
                parts = [algebra.multiply(part, factor) for part in zero]
                if sum(part.term in polynomial for part in parts) >= 2:
                    rest = [*polynomial.items(), *((part.term, -part.coefficient) for part in parts)]
                    terms = total(rest)
                    if shorter and len(terms) >= len(polynomial):
                        continue
                    form = algebra.collect(terms)
                    if poles:
                        self._poles.setdefault(form, poles)
                    yield form

    def _by_exponentials(self, rule: Rule, polynomial: Polynomial) -> Iterator[Product]:
        """Match a sum of two terms whose ratio is an exponential with a pattern such as `exp(a) + exp(-a)`."""
        algebra = self.algebra
        if len(polynomial) != 2:
            return
        parts = [term for term, _ in rule.parts]
        pattern = self._ratio(*(algebra.evaluated(part, {"a": algebra.atom(Name("a"))}) for part in parts))
        first, second = (Product(c, t) for t, c in polynomial.items())
        for one, other in ((first, second), (second, first)):
            ratio = self._ratio(one, other)
            exponent = algebra.exponent(Product(1, ratio.term))
            if exponent is None or ratio.coefficient != pattern.coefficient:
                continue
            ((_, times),) = pattern.term  # exp(a)**times
            letter = scaled(exponent, 1 / Fraction(times))
            is_whole_part = Fraction(letter.coefficient).denominator <= Fraction(exponent.coefficient).denominator
            if letter.coefficient > 0 and is_whole_part:  # the other order gives the same with the sign of a turned
                bound: Bound = {"a": letter}
                factor = self._ratio(one, algebra.evaluated(parts[0], bound))
                yield algebra.multiply(algebra.evaluated(rule.result, bound), factor)

    def _ratio(self, one: Product, other: Product) -> Product:
        return self.algebra.multiply(one, self.algebra.power(other, -1))

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
                for form in (self.algebra.collect(flat), *self._sum_forms(flat)):
                    yield self.algebra.multiply(rest, self.algebra.power(form, -1))
        for (one, e), (other, f) in combinations(sums, 2):
            if e == f:
                flat = self.algebra.expanded({tuple(sorted(((one, 1), (other, 1)))): 1})
                if flat is not None:
                    out = Product(1, ((one, -e), (other, -e)))
                    yield self.algebra.multiply(product, out, self.algebra.power(self.algebra.collect(flat), e))


def _cancelled(term: Term, factor: Term) -> Iterator[int]:
    """Yield the poles that a factor takes away, so that the product is finite where the term is not."""
    powers = dict(factor)
    return (base for base, exponent in term if exponent < 0 < powers.get(base, 0))


def _times(term: Term, part: Term) -> int:
    """Return how often a part is contained in a term."""
    powers = dict(term)
    return max(0, int(min((ratio(powers.get(base, 0), exponent) for base, exponent in part), default=0)))
