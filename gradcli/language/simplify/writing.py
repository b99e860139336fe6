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
from gradcli.language.simplify.trees import Written

DEPTH = 2
SLACK = 1  # by which a form may seem longer than the best
MOST_TERMS = 8  # of a sum that is divided by the exponentials of each
MOST = 20  # forms that are looked at of all parts, and then of the whole formula


class Writer:
    """Writes the products of one algebra."""

    def __init__(self, algebra: Builder) -> None:
        self.algebra = algebra
        self.rewriter = Rewriter(algebra)
        self._best: dict[tuple[Product, bool], Written] = {}
        self._plain: dict[Product, Written] = {}
        self.quotients = Quotients(algebra, self.best, self.sum)
        self._by_degree = False
        self._left = MOST

    def whole(self, product: Product) -> Written:
        """Write a whole formula: of its terms the long ones come first."""
        self._by_degree = True
        first = self._shortest(product, flat=True)
        self._left = MOST  # whatever its parts have taken
        return self._search(product, first, flat=True)

    def best(self, product: Product, *, flat: bool = True) -> Written:
        """Return the shortest form of a product; if `flat`, it may be a sum."""
        key = (product, flat)
        if key not in self._best:
            outer, self._by_degree = self._by_degree, False
            self._best[key] = self._search(product, self._shortest(product, flat=flat), flat=flat)
            self._by_degree = outer
        return self._best[key]

    def _search(self, product: Product, best: Written, *, flat: bool) -> Written:
        """Return the shortest of the forms that a rewriting leads to, and another rewriting of the best of them."""
        seen, form = {product}, product
        for _ in range(DEPTH if best.cost > 1 else 0):
            found: list[tuple[int, Product]] = []
            for other in islice(self.rewriter.alternatives(form), self._left):
                if other not in seen and self.algebra.weight(other) <= best.cost + SLACK:
                    seen.add(other)
                    written = self._shortest(other, flat=flat)
                    found.append((written.cost, other))
                    best = min(best, written, key=lambda form: form.cost)
            self._left = max(0, self._left - len(found))
            cost, form = min(found, key=lambda pair: pair[0], default=(0, product))
            if form is product or cost > best.cost + SLACK:
                break
        return best

    def _shortest(self, product: Product, *, flat: bool) -> Written:
        """Return a product as it is, or as a sum; which of equally long ones is a matter of taste."""
        plain = self.plain(product)
        most = plain.cost + SLACK
        forms = [self.sum(x) for x in self._flat(product) if self.algebra.weigh(x) <= most] if flat else []
        forms.insert(len(forms) if self._is_rather_sum(product) else 0, plain)
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

    def _flat(self, product: Product) -> Iterator[Polynomial]:
        """Yield the product with its one sum multiplied out, or all of them, or divided."""
        split = list(self.algebra.split(product))
        if len(split) > 1:
            yield {part.term: part.coefficient for part in split}
        flat = self.algebra.expanded({product.term: product.coefficient})
        if flat is not None and len(flat) > 1:
            yield flat

    def sum(self, polynomial: Polynomial) -> Written:
        """Write the terms of a sum, each with the sign that it has when its own sums stand as they first came."""
        found: Written | None = None
        shown = [(term, self.algebra.shown(Product(c, term))) for term, c in polynomial.items()]
        for term, sign in ordered(shown, by_degree=self._by_degree):
            product = Product(polynomial[term], term)
            if found is None:
                found = self.best(product, flat=False)
            else:
                part = self.best(product if sign > 0 else scaled(product, -1), flat=False)
                found = trees.added(found, "+" if sign > 0 else "-", part)
        assert found is not None
        return found

    # Products.

    def plain(self, product: Product) -> Written:
        """Write a product as a quotient of products."""
        if product not in self._plain:
            outer, self._by_degree = self._by_degree, False
            ways = [(product, NOTHING), *self._without_exponentials(product), *self._divided(product)]
            ways.extend(self._multiplied(product))
            within = [way for way in ways if self.algebra.is_within(*way)] or self._as_it_came(product)
            by_cases = list(self._cases(product))
            forms = [*starmap(self.quotients.write, within), *self._over_a_sum(product)]
            forms = [*by_cases, *forms] if is_whole(product.coefficient) else [*forms, *by_cases]
            self._plain[product] = min(forms, key=lambda form: form.cost)
            self._by_degree = outer
        return self._plain[product]

    def _as_it_came(self, product: Product) -> list[Way]:
        """Return the product with its sums as they came, and others divided, so that it overflows no earlier."""
        moved, instead = self.algebra.as_it_came(product)
        divided = [
            (other, {**instead, **sums})
            for other, sums in self._without_exponentials(moved)
            if instead.keys().isdisjoint(sums)
        ]
        return [way for way in divided if self.algebra.is_within(*way)] or [(moved, instead)]

    def _cases(self, product: Product) -> Iterator[Written]:
        """Write a product with a `where` as cases: `where(x > 0, -y, 0)`."""
        number = product.coefficient
        found = cases(self.algebra, product) if len(product.term) > 1 or number < 0 or not is_whole(number) else None
        if found is not None:
            parts = [self.quotients.argument(found.condition), self.best(found.first), self.best(found.second)]
            yield trees.called("where", parts, (None, None, None))

    def _over_a_sum(self, product: Product) -> Iterator[Written]:
        """Write the product with its denominator multiplied out: `1/(x + sqrt(x))`."""
        bases = self.algebra.bases
        below = {base: -e for base, e in product.term if e < 0 and not isinstance(bases[base], Exponential | Power)}
        if len(below) < 2 or [e for base, e in below.items() if isinstance(bases[base], Sum)] != [1]:
            return
        flat = self.algebra.expanded({term_of(below): 1})
        if flat is not None:
            rest = tuple(power for power in product.term if power[0] not in below)
            yield self.quotients.write(Product(product.coefficient, rest), {}, below=[self.sum(flat)])

    def _without_exponentials(self, product: Product) -> Iterator[Way]:
        """Yield the product with a sum divided by the exponentials of one term: `(1 - exp(-x))*exp(x)`."""
        if not any(isinstance(self.algebra.bases[base], Exponential) for base, _ in product.term):
            return
        for base, exponent in product.term:
            found = self.algebra.bases[base]
            if isinstance(found, Sum) and is_whole(exponent) and len(found.polynomial) <= MOST_TERMS:
                for term in found.polynomial:
                    part = Product(1, tuple(x for x in term if isinstance(self.algebra.bases[x[0]], Exponential)))
                    if part.term:
                        moved = self.algebra.multiply(product, self.algebra.power(part, exponent))
                        yield moved, {base: self.algebra.over(found.polynomial, part)}

    def _multiplied(self, product: Product) -> Iterator[Way]:
        """Yield the product with a decimal below it in the sum there: `1/(x + 3.47)` for `1/(3.47*(x/3.47 + 1))`."""
        below = [base for base, e in product.term if e == -1 and isinstance(self.algebra.bases[base], Sum)]
        numbers = (*self.algebra.typed, self.quotients.divisor(magnitude(product.coefficient)))
        for number in dict.fromkeys(numbers) if len(below) == 1 and self.algebra.decimals else ():
            found = self.algebra.bases[below[0]]
            assert isinstance(found, Sum)
            if is_short(product.coefficient * number) and number != 1:
                instead = {term: c * number for term, c in found.polynomial.items()}
                yield scaled(product, number), {below[0]: instead}

    def _divided(self, product: Product) -> Iterator[Way]:
        """Yield the product with its sum divided by what stands below it: by a factor of a power, or by roots.

        So `x**n*(log(x) + 1/x)` is found for `x**(n - 1)*(x*log(x) + 1)`, `1 + 1/sqrt(x)` for `(sqrt(x) + 1)/sqrt(x)`.
        """
        bases = self.algebra.bases
        sums = [(b, found) for b, e in product.term if e == 1 and isinstance(found := bases[b], Sum)]
        below = [(b, e) for b, e in product.term if e < 0 and not isinstance(bases[b], Sum | Exponential)]
        is_above = all(e > 0 or b in dict(below) for b, e in product.term)
        if len(sums) != 1 or not below or not is_above:
            return
        ((base, found),) = sums
        raised = {other.base for b, _ in product.term if isinstance(other := bases[b], Power)}
        of_powers = [power for power in below if Product(1, ((power[0], 1),)) in raised]
        roots = below if not all(is_whole(e) for _, e in below) else []
        for number, powers in ((1, of_powers), (Fraction(1, product.coefficient.denominator), roots)):
            part = Product(number, tuple(powers))
            if powers:
                divided = self.algebra.times(found.polynomial, part)
                rest = self.algebra.multiply(product, self.algebra.power(part, -1))
                if self.algebra.weigh(divided) + self.algebra.weight(rest) <= found.weight + self.algebra.weight(
                    product
                ):
                    yield rest, {base: divided}
