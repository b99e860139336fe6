"""From products back to trees, each in the shortest form that is found."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, starmap

from gradcli.language.simplify import trees
from gradcli.language.simplify.algebra.bases import Atom, Exponential, Power, Sum
from gradcli.language.simplify.algebra.exponents import NOTHING, Way
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import Polynomial, Product, is_short, is_whole, magnitude, scaled, term_of
from gradcli.language.simplify.cases import cases
from gradcli.language.simplify.ordering import ordered
from gradcli.language.simplify.quotients import Quotients
from gradcli.language.simplify.rewriting import Rewriter
from gradcli.language.simplify.trees import CostedTree

DEPTH = 2
SLACK = 1  # by which a form may seem longer than the best
MOST_TERMS = 8  # of a sum that is divided by the exponentials of each
MOST = 20  # forms to try for all inner products together, and then for the formula itself
MOST_SEARCHED = 800  # steps of the algebra after which no other forms are sought: the rest is for writing


class Writer:
    """Writes the products of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        self.algebra = algebra
        self.rewriter = Rewriter(algebra)
        self._best: dict[tuple[Product, bool], CostedTree] = {}
        self._products_written: dict[Product, CostedTree] = {}
        self.quotients = Quotients(algebra, self.best, self.sum)
        self._by_degree = False
        self._forms_left = MOST

    def write_formula(self, product: Product) -> CostedTree:
        """Write a whole formula: of its terms the long ones come first."""
        self._by_degree = True
        first = self._shortest(product, as_sum=True)
        self._forms_left = MOST  # whatever its parts have taken
        return self._search(product, first, as_sum=True)

    def best(self, product: Product, *, as_sum: bool = True) -> CostedTree:
        """Return the shortest form of a product; it may be a sum unless the caller says no."""
        key = (product, as_sum)
        if key not in self._best:
            outer, self._by_degree = self._by_degree, False
            self._best[key] = self._search(product, self._shortest(product, as_sum=as_sum), as_sum=as_sum)
            self._by_degree = outer
        return self._best[key]

    def _search(self, product: Product, shortest: CostedTree, *, as_sum: bool) -> CostedTree:
        """Return the shortest of the forms that a rewriting leads to, and another rewriting of the best of them."""
        forms_seen, form = {product}, product
        for _ in range(DEPTH if shortest.cost > 1 and self.algebra.steps <= MOST_SEARCHED else 0):
            costs_of_forms: list[tuple[int, Product]] = []
            for alternative in islice(self.rewriter.alternatives(form), self._forms_left):
                if self.algebra.steps > MOST_SEARCHED:
                    break
                if alternative not in forms_seen and self.algebra.weight(alternative) <= shortest.cost + SLACK:
                    forms_seen.add(alternative)
                    formula = self._shortest(alternative, as_sum=as_sum)
                    costs_of_forms.append((formula.cost, alternative))
                    shortest = min(shortest, formula, key=lambda form: form.cost)
            self._forms_left = max(0, self._forms_left - len(costs_of_forms))
            cost, form = min(costs_of_forms, key=lambda pair: pair[0], default=(0, product))
            if form is product or cost > shortest.cost + SLACK:
                break
        return shortest

    def _shortest(self, product: Product, *, as_sum: bool) -> CostedTree:
        """Return a product as it is, or as a sum; which of equally long ones is a matter of taste."""
        quotient = self.write_product(product)
        allowed = quotient.cost + SLACK
        forms = [self.sum(x) for x in self._sum_forms(product) if self.algebra.weigh(x) <= allowed] if as_sum else []
        forms.insert(len(forms) if self._is_rather_sum(product) else 0, quotient)
        return min(forms, key=lambda form: form.cost)

    def _is_rather_sum(self, product: Product) -> bool:
        """Tell whether `1 - 1/x` is better than `(x - 1)/x`: not for `p*(1 - p)`, nor where there are functions.

        Nor for `1.8*(y - 0.9*x)`: decimals are not multiplied through.
        """
        bases = [self.algebra.bases[base] for base, _ in product.term]
        fraction = not is_whole(product.coefficient) and not self.algebra.decimals
        if len(bases) == 1 and (product.coefficient in (1, -1) or fraction):
            return True
        sums = [base for base in bases if isinstance(base, Sum)]
        numbers = [product.coefficient, *(c for base in sums for c in base.polynomial.values())]
        if product.coefficient not in (1, -1) and self.algebra.decimals and not all(map(is_whole, numbers)):
            return False
        inner = [self.algebra.bases[b] for x in sums for term in x.polynomial for b, _ in term]
        return all(isinstance(base, Atom) for base in inner) and all(
            isinstance(base, Sum) or (isinstance(base, Atom) and exponent < 0)
            for base, (_, exponent) in zip(bases, product.term, strict=True)
        )

    def _sum_forms(self, product: Product) -> Iterator[Polynomial]:
        """Yield the product with its one sum multiplied out, and with all brackets multiplied out."""
        split = list(self.algebra.split(product))
        if len(split) > 1:
            yield {term.term: term.coefficient for term in split}
        expanded = self.algebra.expanded({product.term: product.coefficient})
        if expanded is not None and len(expanded) > 1:
            yield expanded

    def sum(self, polynomial: Polynomial) -> CostedTree:
        """Write the terms of a sum, each with the sign that it has when its own sums stand as they first came."""
        formula: CostedTree | None = None
        signed_terms = [(term, self.algebra.shown_coefficient(Product(c, term))) for term, c in polynomial.items()]
        for term, sign in ordered(signed_terms, by_degree=self._by_degree):
            product = Product(polynomial[term], term)
            if formula is None:
                formula = self.best(product, as_sum=False)
            else:
                term_formula = self.best(product if sign > 0 else scaled(product, -1), as_sum=False)
                formula = trees.add(formula, "+" if sign > 0 else "-", term_formula)
        assert formula is not None
        return formula

    # Products.

    def write_product(self, product: Product) -> CostedTree:
        """Write a product as a quotient of products."""
        if product not in self._products_written:
            outer, self._by_degree = self._by_degree, False
            ways = [(product, NOTHING), *self._without_exponentials(product), *self._divided(product)]
            ways.extend(self._multiplied(product))
            ways_within = [way for way in ways if self.algebra.is_within(*way)] or self._as_it_came(product)
            by_cases = list(self._cases(product))
            forms = [*starmap(self.quotients.write, ways_within), *self._over_a_sum(product)]
            forms = [*by_cases, *forms] if is_whole(product.coefficient) else [*forms, *by_cases]
            self._products_written[product] = min(forms, key=lambda form: form.cost)
            self._by_degree = outer
        return self._products_written[product]

    def _as_it_came(self, product: Product) -> list[Way]:
        """Return the product with its sums as they were read, and other sums divided: it overflows no earlier."""
        as_read, instead = self.algebra.as_it_came(product)
        divided = [
            (divided_product, {**instead, **sums})
            for divided_product, sums in self._without_exponentials(as_read)
            if instead.keys().isdisjoint(sums)
        ]
        return [way for way in divided if self.algebra.is_within(*way)] or [(as_read, instead)]

    def _cases(self, product: Product) -> Iterator[CostedTree]:
        """Write a product with a `where` as cases: `where(x > 0, -y, 0)`."""
        number = product.coefficient
        split = cases(self.algebra, product) if len(product.term) > 1 or number < 0 or not is_whole(number) else None
        if split is not None:
            parts = [self.quotients.argument(split.condition), self.best(split.first), self.best(split.second)]
            yield trees.call("where", parts, (None, None, None))

    def _over_a_sum(self, product: Product) -> Iterator[CostedTree]:
        """Write the product with its denominator multiplied out: `1/(x + sqrt(x))`."""
        bases = self.algebra.bases
        below = {base: -e for base, e in product.term if e < 0 and not isinstance(bases[base], Exponential | Power)}
        if len(below) < 2 or [e for base, e in below.items() if isinstance(bases[base], Sum)] != [1]:
            return
        expanded = self.algebra.expanded({term_of(below): 1})
        if expanded is not None:
            rest = tuple(power for power in product.term if power[0] not in below)
            yield self.quotients.write(Product(product.coefficient, rest), {}, below=[self.sum(expanded)])

    def _without_exponentials(self, product: Product) -> Iterator[Way]:
        """Yield the product with a sum divided by the exponentials of one term: `(1 - exp(-x))*exp(x)`."""
        if not any(isinstance(self.algebra.bases[base], Exponential) for base, _ in product.term):
            return
        for base, exponent in product.term:
            bracket = self.algebra.bases[base]
            if isinstance(bracket, Sum) and is_whole(exponent) and len(bracket.polynomial) <= MOST_TERMS:
                for term in bracket.polynomial:
                    factor = Product(1, tuple(x for x in term if isinstance(self.algebra.bases[x[0]], Exponential)))
                    if factor.term:
                        rest = self.algebra.multiply(product, self.algebra.power(factor, exponent))
                        yield rest, {base: self.algebra.over(bracket.polynomial, factor)}

    def _multiplied(self, product: Product) -> Iterator[Way]:
        """Yield the product with a decimal below it in the sum there: `1/(x + 3.47)` for `1/(3.47*(x/3.47 + 1))`."""
        below = [base for base, e in product.term if e == -1 and isinstance(self.algebra.bases[base], Sum)]
        numbers = (*self.algebra.typed, self.quotients.divisor(magnitude(product.coefficient)))
        for number in dict.fromkeys(numbers) if len(below) == 1 and self.algebra.decimals else ():
            bracket = self.algebra.bases[below[0]]
            assert isinstance(bracket, Sum)
            if is_short(product.coefficient * number) and number != 1:
                instead = {term: c * number for term, c in bracket.polynomial.items()}
                yield scaled(product, number), {below[0]: instead}

    def _divided(self, product: Product) -> Iterator[Way]:
        """Yield the product with its sum divided by what stands below it: by a factor of a power, or by roots.

        So `x**n*(log(x) + 1/x)` is found for `x**(n - 1)*(x*log(x) + 1)`, `1 + 1/sqrt(x)` for `(sqrt(x) + 1)/sqrt(x)`.
        """
        bases = self.algebra.bases
        sums = [(b, bracket) for b, e in product.term if e == 1 and isinstance(bracket := bases[b], Sum)]
        below = [(b, e) for b, e in product.term if e < 0 and not isinstance(bases[b], Sum | Exponential)]
        is_above = all(e > 0 or b in dict(below) for b, e in product.term)
        if len(sums) != 1 or not below or not is_above:
            return
        ((base, bracket),) = sums
        raised = {power_base.base for b, _ in product.term if isinstance(power_base := bases[b], Power)}
        of_powers = [power for power in below if Product(1, ((power[0], 1),)) in raised]
        roots = below if not all(is_whole(e) for _, e in below) else []
        for number, powers in ((1, of_powers), (Fraction(1, product.coefficient.denominator), roots)):
            factor = Product(number, tuple(powers))
            if powers:
                divided = self.algebra.times(bracket.polynomial, factor)
                rest = self.algebra.multiply(product, self.algebra.power(factor, -1))
                longest = bracket.weight + self.algebra.weight(product)
                if self.algebra.weigh(divided) + self.algebra.weight(rest) <= longest:
                    yield rest, {base: divided}
