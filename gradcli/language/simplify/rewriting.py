"""Other ways to write a product: by identities of the table, by factors, by brackets multiplied out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations

from gradcli.language.simplify import cases, linearity, structures
from gradcli.language.simplify.algebra.bases import Argument, Atom, Base, Exponential, Function, Group, Sum
from gradcli.language.simplify.algebra.factors import factored
from gradcli.language.simplify.algebra.fractions import in_parts
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
from gradcli.language.tree import Call, Expression, Name, Number, Tuple

VANISHING = frozenset(["sigmoid", "softmax"])
MOST_TERMS = 8  # of a sum for which other forms are sought
HIGHEST_ROOT = 2  # the exponent of a product under a root
MOST_MIXED = 3  # the exponent that is shared out among the forms of a sum


class Rewriter:
    """Finds other forms of products over the bases of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        self.algebra = algebra
        self.poles: dict[Product, frozenset[int]] = {}  # where forms are not finite, though the sum is
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
                for form in ways(product):
                    if not self.algebra.is_within(form) or self._is_lower(form, product):
                        continue
                    shaped = self._in_shape(form, product)
                    if shaped is not None:
                        yield next(self._by_rules(shaped, taught=True), shaped)
                        yield from self._by_rules(shaped)

    def _in_shape(self, form: Product, product: Product) -> Product | None:
        """Return a form in the shape of the product; None where that is not known."""
        shape = self.algebra.extent(product)
        if self.algebra.extent(form) == shape:
            return form
        if shape.unknown or self.algebra.extent(form).unknown:
            return None
        size = Tuple(tuple(map(Number, shape.shape)))
        return self.algebra.call("expand", [Argument(form), Argument(size)])

    def _is_lower(self, form: Product, product: Product) -> bool:
        """Tell whether a form divides more often by a function that is 0 when rounded, far out."""
        powers = dict(product.term)
        return any(
            exponent < min(0, powers.get(base, 0)) and self._may_vanish(self.algebra.bases[base])
            for base, exponent in form.term
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
                matched = algebra.multiply(*(algebra.power(algebra.evaluated(x, bound), e) for x, e in rule.parts))
                times = times_in(product.term, matched.term)
                if times:
                    result = algebra.power(algebra.evaluated(rule.result, bound), times)
                    yield algebra.multiply(product, algebra.power(matched, -times), result)

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
        """Yield the powers of each form, and products of powers of two: where a equals b, a**2 is also a*b."""
        if 2 <= -exponent <= MOST_MIXED:
            for form_a, form_b in combinations(forms, 2):
                for count in range(1, -exponent):
                    factors = (self.algebra.power(form_a, -count), self.algebra.power(form_b, exponent + count))
                    yield self.algebra.multiply(*factors)
        for form in forms:
            yield self.algebra.power(form, exponent)

    def forms(self, base: int) -> list[Product]:
        """Return other forms of a sum."""
        if base not in self._forms:
            self._forms[base] = []
            bracket = self.algebra.bases[base]
            assert isinstance(bracket, Sum)
            with suppress(UnsimplifiedError):
                self._forms[base] = list(self._forms_of(bracket.polynomial))
        return self._forms[base]

    def _forms_of(self, polynomial: Polynomial) -> Iterator[Product]:
        if len(polynomial) > MOST_TERMS:
            return
        yield from cases.merged(self.algebra, polynomial)
        yield from linearity.merged(self.algebra, polynomial)
        yield from self.sum_forms(polynomial)
        yield from self._grouped(polynomial)
        expanded_once = self.algebra.expanded(polynomial, 1)
        if expanded_once is not None:
            yield self.algebra.collect(expanded_once)
        expanded = self.algebra.expanded(polynomial)
        if expanded is not None:
            yield from self.sum_forms(expanded)
            yield self.algebra.collect(expanded)
            yield from self._grouped(expanded)
        yield from factored(self.algebra, polynomial if expanded is None else expanded)

    def _grouped(self, polynomial: Polynomial) -> Iterator[Product]:
        """Yield `a + b*(c - 2*p)` for `a + b*c - 2*b*p`: a factor of some terms before a bracket, or below it."""
        for base in sorted({base for term in polynomial for base, _ in term}):
            inside = {term: c for term, c in polynomial.items() if any(b == base for b, _ in term)}
            powers = {e for term in inside for b, e in term if b == base}
            # Powers descend: no a + b*(c + b*d).
            if 2 <= len(inside) < len(polynomial) and (len(powers) == 1 or max(powers) < 0):
                outside = [(term, c) for term, c in polynomial.items() if term not in inside]
                factored_terms = self.algebra.collect(inside)
                yield self.algebra.collect(total([*outside, (factored_terms.term, factored_terms.coefficient)]))

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
                        regrouped = self.algebra.multiply(product, inside, Product(1, ((base, step),)))
                        if magnitude(exponent + step) <= magnitude(exponent) or len(regrouped.term) < len(product.term):
                            yield regrouped

    def _by_entries(self, product: Product) -> Iterator[Product]:
        """Yield the product multiplied out, with single entries for vectors that stand beside one-hot vectors."""
        expanded = self.algebra.expanded({product.term: product.coefficient})
        terms = [Product(c, t) for t, c in expanded.items()] if expanded else [product]
        terms_of_entries = [structures.entries_of(self.algebra, term) for term in terms]
        if any(terms_of_entries):
            yield self.algebra.add(*(x or term for x, term in zip(terms_of_entries, terms, strict=True)))

    def _by_expansion(self, product: Product) -> Iterator[Product]:
        """Yield the product with all brackets multiplied out, and with two that have the same power."""
        sums = [(b, e) for b, e in product.term if isinstance(self.algebra.bases[b], Sum)]
        if len(sums) > 1 or any(e > 1 for _, e in sums):
            expanded = self.algebra.expanded({product.term: product.coefficient})
            if expanded is not None:
                yield self.algebra.collect(expanded)
        for base, e in sums:
            expanded = self.algebra.expanded({((base, 2),): 1}) if e == -2 else None
            if expanded is not None:
                rest = self.algebra.multiply(product, Product(1, ((base, 2),)))
                for form in (self.algebra.collect(expanded), *self.sum_forms(expanded)):
                    yield self.algebra.multiply(rest, self.algebra.power(form, -1))
        for (base_a, e), (base_b, f) in combinations(sums, 2):
            if e == f:
                expanded = self.algebra.expanded({tuple(sorted(((base_a, 1), (base_b, 1)))): 1})
                if expanded is not None:
                    inverse_sums = Product(1, ((base_a, -e), (base_b, -e)))
                    form = self.algebra.power(self.algebra.collect(expanded), e)
                    yield self.algebra.multiply(product, inverse_sums, form)

    def _by_division(self, product: Product) -> Iterator[Product]:
        """Yield `1 - 1/(x - 1)**2` for `x*(x - 2)/(x - 1)**2`: what stands above divided by all that stands below.

        Also `a/(a + 1) - y` for `(a - y*a - y)/(a + 1)`.
        """
        algebra, term = self.algebra, product.term
        below = tuple((base, -e) for base, e in term if e < 0)
        above = tuple(power for power in term if power[1] > 0)
        bracket = algebra.bases[below[0][0]] if above and len(below) == 1 else None
        if not isinstance(bracket, Sum):
            return
        kinds = {type(algebra.bases[base]) for dividend_term in bracket.polynomial for base, _ in dividend_term}
        is_of_letters = kinds == {Atom}
        if not kinds <= {Atom, Exponential}:
            return
        dividend, divisor = algebra.expanded({above: 1}) or {above: 1}, algebra.expanded({below: 1})
        if divisor is None:
            return
        lead = max(divisor, key=lambda term: sum(e for _, e in term))
        for dividend_term, coefficient in dividend.items():
            times = algebra.over({dividend_term: ratio(coefficient, divisor[lead])}, Product(1, lead))
            ((front, number),) = times.items()
            if not front and not is_of_letters:
                continue  # (a - 1)/(a + 1) is a tanh
            multiple = algebra.times(divisor, Product(number, front))
            if not dividend.keys() >= multiple.keys() - {()}:
                continue
            remainder = total([*dividend.items(), *((divisor_term, -c) for divisor_term, c in multiple.items())])
            if len(remainder) < len(dividend):
                fraction = algebra.multiply(algebra.collect(remainder), Product(1, tuple((b, -e) for b, e in below)))
                quotient = total([(front, number), (fraction.term, fraction.coefficient)])
                yield scaled(algebra.primitive(quotient, 1), product.coefficient)

    def _in_parts(self, product: Product) -> Iterator[Product]:
        return in_parts(self.algebra, product)

    # Identities that are about sums, such as `sin(a)**2 + cos(a)**2 = 1`.

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
