"""Identities of the table that are about sums, such as `sin(a)**2 + cos(a)**2 = 1`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from gradcli.language.simplify.algebra.bases import Exponential, Function
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.matching import Bound
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Term, is_whole, ratio, scaled, total
from gradcli.language.simplify.facts.rules import Rule, rules_of
from gradcli.language.tree import Call, Expression, Name


class Identities:
    """Finds other forms of sums over the bases of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        self.algebra = algebra
        self.poles: dict[Product, frozenset[int]] = {}  # where forms are not finite, though the sum is

    def present(self, term: Term) -> frozenset[str]:
        """Return the functions among the factors."""
        bases = (self.algebra.bases[base] for base, _ in term)
        functions = ("exp" if isinstance(x, Exponential) else x.name if isinstance(x, Function) else "" for x in bases)
        return frozenset(filter(None, functions))

    def bindings(self, calls: Sequence[Call], term: Term) -> list[Bound]:
        """Return the ways to read calls of a pattern in the factors of a term."""
        bindings_so_far: list[Bound] = [{}]
        for call in calls:
            matches = (
                self.algebra.matched(call, Product(1, ((base, 1),)), bound)
                for bound in bindings_so_far
                for base, _ in term
                if getattr(self.algebra.bases[base], "name", "") == call.function
            )
            bindings_so_far = [bound for bound in matches if bound is not None]
        return bindings_so_far

    def sum_forms(self, polynomial: Polynomial) -> Iterator[Product]:
        for rule in rules_of("sum", frozenset[str]().union(*map(self.present, polynomial))):
            yield from (self._by_exponentials if rule.is_exponential else self._by_terms)(rule, polynomial)

    def _by_terms(self, rule: Rule, polynomial: Polynomial) -> Iterator[Product]:
        """Add a multiple of a sum that is 0, such as `sin(a)**2 + cos(a)**2 - 1`: two of its terms must be there."""
        algebra, zeros_seen = self.algebra, set[tuple[Product, ...]]()
        for anchor in rule.anchors:
            for bound in [bound for term in polynomial for bound in self.bindings(anchor, term)]:
                if rule.identity.is_shortening and not all(map(_is_no_fraction, bound.values())):
                    continue
                zero = tuple(algebra.evaluated(term, bound) for term in rule.zero)
                if zero not in zeros_seen:
                    zeros_seen.add(zero)
                    yield from self._less(zero, polynomial, shorter=rule.identity.is_shortening)

    def _less(self, zero: tuple[Product, ...], polynomial: Polynomial, *, shorter: bool) -> Iterator[Product]:
        """Yield a sum without one of its terms, which is expressed by the other terms of a sum that is 0."""
        algebra = self.algebra
        for chosen in zero:
            for term, coefficient in polynomial.items():
                if not chosen.term or not times_in(term, chosen.term):
                    continue
                factor = algebra.multiply(Product(coefficient, term), algebra.power(chosen, -1))
                poles = frozenset(base for summand in zero for base in _cancelled(summand.term, factor.term))
                parts = [algebra.multiply(summand, factor) for summand in zero]
                if sum(summand.term in polynomial for summand in parts) >= 2:
                    pairs = [*polynomial.items(), *((summand.term, -summand.coefficient) for summand in parts)]
                    terms = total(pairs)
                    if shorter and len(terms) >= len(polynomial):
                        continue
                    form = algebra.collect(terms)
                    if poles:
                        self.poles.setdefault(form, poles)
                    yield form

    def _by_exponentials(self, rule: Rule, polynomial: Polynomial) -> Iterator[Product]:
        """Match a sum of two terms whose ratio is an exponential with a pattern such as `exp(a) + exp(-a)`."""
        algebra = self.algebra
        if len(polynomial) != 2:
            return
        parts = [term for term, _ in rule.parts]
        pattern = self._ratio(*(algebra.evaluated(x, {"a": algebra.atom(Name("a"))}) for x in parts))
        first, second = (Product(c, t) for t, c in polynomial.items())
        for numerator, denominator in ((first, second), (second, first)):
            ratio = self._ratio(numerator, denominator)
            exponent = algebra.exponent(Product(1, ratio.term))
            if exponent is None or ratio.coefficient != pattern.coefficient:
                continue
            ((_, times),) = pattern.term  # exp(a)**times
            letter = scaled(exponent, 1 / Fraction(times))
            is_whole_part = Fraction(letter.coefficient).denominator <= Fraction(exponent.coefficient).denominator
            if letter.coefficient > 0 and is_whole_part:  # the other order gives the same with the sign of a turned
                bound: Bound = {"a": letter}
                factor = self._ratio(numerator, algebra.evaluated(parts[0], bound))
                yield algebra.multiply(algebra.evaluated(rule.result, bound), factor)

    def _ratio(self, numerator: Product, denominator: Product) -> Product:
        return self.algebra.multiply(numerator, self.algebra.power(denominator, -1))


def _is_no_fraction(value: Product | Expression) -> bool:
    return not isinstance(value, Product) or is_whole(value.coefficient)


def _cancelled(term: Term, factor: Term) -> Iterator[int]:
    """Yield the poles that a factor takes away, so that the product is finite where the term is not."""
    powers = dict(factor)
    return (base for base, exponent in term if exponent < 0 < powers.get(base, 0))


def times_in(term: Term, divisor: Term) -> int:
    """Return how often a product of powers divides a term."""
    powers = dict(term)
    return max(0, int(min((ratio(powers.get(base, 0), exponent) for base, exponent in divisor), default=0)))
