"""Products written as quotients: signs, numbers, roots and powers, each factor in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from gradcli.language.simplify import trees
from gradcli.language.simplify.algebra.bases import (
    Argument,
    Atom,
    Constant,
    Exponential,
    Function,
    Group,
    Integer,
    Power,
    Sum,
)
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.products import to_power
from gradcli.language.simplify.algebra.terms import (
    Polynomial,
    Product,
    Rational,
    UnsimplifiedError,
    exact,
    is_decimal,
    is_short,
    is_whole,
    magnitude,
    ratio,
    scaled,
    tens_in,
    term_of,
)
from gradcli.language.simplify.extents import SCALAR
from gradcli.language.simplify.facts.functions import LINEAR
from gradcli.language.simplify.numbers import LARGEST_DENOMINATOR
from gradcli.language.simplify.ordering import (
    BRACKET,
    CALL,
    EXPONENTIAL,
    LETTER,
    MATRIX,
    NUMBER,
    RAISED,
    Factor,
    in_order,
)
from gradcli.language.simplify.trees import Written
from gradcli.language.tree import Expression, Name, Number

LONGEST = 600  # operators and calls of what is written
ENDLESS_INTEGER = 2**63  # a power of whole numbers from here on overflows, one of floats does not


class Quotients:
    """Writes products; `best` writes what stands inside of others, `add` the terms of a sum."""

    def __init__(
        self, algebra: Builder, best: Callable[[Product], Written], add: Callable[[Polynomial], Written]
    ) -> None:
        self.algebra = algebra
        self.best = best
        self.add = add
        self._brackets: dict[tuple[int, bool], Written] = {}

    def write(self, product: Product, instead: Mapping[int, Polynomial], *, below: Sequence[Written] = ()) -> Written:
        """Write a product, with other polynomials for some of its sums, and with more factors below.

        Raises UnsimplifiedError if it is too long.
        """
        powers = dict(product.term)
        coefficient, factors = self._raised(product.coefficient, powers, instead)
        coefficient, brackets = self._signed(Product(coefficient, term_of(powers)), instead)
        coefficient, turned = self._turned_call(coefficient, powers)
        coefficient, others = self._powers(coefficient, powers, brackets, turned)
        factors = in_order([*factors, *others], self.algebra.products)
        above = [factor.written for factor in factors if not factor.below]
        below = [*(factor.written for factor in factors if factor.below), *below]
        top, bottom = self._number(magnitude(coefficient))
        names = [factor.written for factor in factors if factor.kind == LETTER and factor.below]
        if (
            len(above) == 1
            and len(names) == len(below)
            and any(factor.kind == MATRIX and not factor.below for factor in factors)
            and all(
                x.extent == SCALAR or getattr(x, "name", "") == "@"
                for x in (self.algebra.bases[base] for base, _ in product.term)
            )
            and top.tree != Number(1)
        ):
            scale = trees.over(top, [*bottom, *below])
            return trees.multiplied(trees.negated(scale) if coefficient < 0 else scale, above[0])
        whole = trees.product([top, *above] if top.tree != Number(1) or not above else above)
        if coefficient < 0:
            whole = trees.negated(whole)
        written = trees.over(whole, [*bottom, *below])
        if written.cost > LONGEST:
            raise UnsimplifiedError
        return written

    # Numbers and signs.

    def _number(self, value: Rational) -> tuple[Written, list[Written]]:
        """Write a number as numerator and denominator, if it has one: of decimals as in `0.76/3` and `2/0.49`."""
        divisor = self.divisor(value)
        if not (is_short(divisor) and is_short(value * divisor)):
            divisor = value.denominator
        return trees.number(value * divisor), [trees.number(divisor)] if divisor != 1 else []

    def divisor(self, value: Rational) -> Rational:
        """Return what a number is written over: one that was typed, where that is no longer."""
        above, below = value.numerator, value.denominator
        rest = tens_in(below)[1] if self.algebra.decimals else below
        if rest == 1 or not self.algebra.decimals:
            return 1 if rest == 1 else below
        zeros = len(str(above)) - len(str(above).rstrip("0"))
        part = above if tens_in(above)[1] == 1 and below != 3 else 10**zeros  # thirds are seldom 1/1.5
        usual = below if above == 1 else Fraction(below, part) if part > 1 else rest
        if value * usual == 1 and below <= LARGEST_DENOMINATOR:
            return usual
        for number in (*self.algebra.typed, *(a * b for a, b in combinations(self.algebra.typed, 2))):
            if is_short(value * number) and tens_in((value * number).denominator)[1] == 1:
                shorter = digits(value * number) + digits(number) <= digits(value * usual) + digits(usual)
                if below > LARGEST_DENOMINATOR or shorter:
                    return number  # `8.314/0.02896`, not `51962.5/181`
        return usual

    def _is_shorter(self, value: Rational, other: Rational) -> bool:
        """Tell whether a number has fewer digits, or needs no divisor where the other does."""
        divisors = [self.divisor(magnitude(x)) for x in (value, other)]
        first, second = ((one != 1, digits(x * one)) for x, one in zip((value, other), divisors, strict=True))
        return first < second

    def _signed(self, product: Product, instead: Mapping[int, Polynomial]) -> tuple[Rational, dict[int, Written]]:
        """Write the sums of a product with the signs with which they first came, and return the number.

        One is turned to take up a minus in front.
        """
        coefficient, brackets = product.coefficient, {}
        odd: list[tuple[int, bool]] = []
        for base, exponent in sorted(product.term, key=lambda power: (power[1] < 0, -power[0])):
            if isinstance(self.algebra.bases[base], Sum) and is_whole(exponent):
                turned = self.algebra.is_turned(base)
                brackets[base] = self._bracket(base, instead.get(base), turned=turned)
                if exponent % 2:
                    coefficient = -coefficient if turned else coefficient
                    odd.append((base, turned))
        for base, turned in odd:
            if coefficient < 0:
                other = self._bracket(base, instead.get(base), turned=not turned)
                if other.cost <= brackets[base].cost:
                    coefficient, brackets[base] = -coefficient, other
        return coefficient, brackets

    def _turned_call(
        self, coefficient: Rational, powers: Mapping[int, Rational]
    ) -> tuple[Rational, dict[int, Written]]:
        """Let a difference in a linear function take up a minus in front: `X.T @ (p - y)`, not `-X.T @ (y - p)`."""
        for base, exponent in powers.items() if coefficient < 0 else ():
            found = self.algebra.bases[base]
            if not isinstance(found, Function) or exponent != 1:
                continue
            parts = [self.argument(argument) for argument in found.arguments]
            for place in LINEAR.get(found.name, ()):
                value = found.arguments[place].value if place < len(parts) else None
                inner = self.algebra.only(value, Sum) if isinstance(value, Product) else None
                if isinstance(value, Product) and inner is not None and any(c < 0 for c in inner.polynomial.values()):
                    other = self._bracket(value.term[0][0], None, turned=not self.algebra.is_turned(value.term[0][0]))
                    if other.cost <= parts[place].cost:
                        parts[place] = other
                        return -coefficient, {base: self._call(found, parts)}
        return coefficient, {}

    def _bracket(self, base: int, instead: Polynomial | None, *, turned: bool) -> Written:
        """Write a sum, perhaps with all signs turned."""
        key = (base, turned)
        if instead is None and key in self._brackets:
            return self._brackets[key]
        found = self.algebra.bases[base]
        assert isinstance(found, Sum)
        polynomial = found.polynomial if instead is None else instead
        written = self.add({term: -c if turned else c for term, c in polynomial.items()})
        if instead is None:
            self._brackets[key] = written
        return written

    # Powers.

    def _raised(
        self, coefficient: Rational, powers: dict[int, Rational], instead: Mapping[int, Polynomial]
    ) -> tuple[Rational, list[Factor]]:
        """Write and take out the factors with a formula for an exponent; powers of one base come together.

        A base is another one where something else is written `instead` of it.
        """
        exponents: list[Product] = []
        raised: dict[Product, list[Product]] = {}
        for base in [*powers]:
            found = self.algebra.bases[base]
            if isinstance(found, Exponential):
                exponents.append(Product(powers.pop(base), found.term))
            elif isinstance(found, Power):
                raised.setdefault(found.base, []).append(Product(powers.pop(base), found.term))
        factors = []
        if exponents:
            written = trees.called("exp", [self.best(self.algebra.add(*exponents))])
            factors.append(Factor(EXPONENTIAL, written, False, written))
        for of, parts in raised.items():
            count = 0 if any(base in instead for base, _ in of.term) else contained(of, powers)
            if count:
                coefficient = exact(coefficient / Fraction(to_power(of.coefficient, count)))
                for base, exponent in of.term:
                    powers[base] -= count * exponent
                    if not powers[base]:
                        del powers[base]
                parts.append(Product(count))
            below = all(part.coefficient <= 0 for part in parts)
            exponent_of = self.best(self.algebra.add(*(scaled(part, -1 if below else 1) for part in parts)))
            written = self.best(of)
            factors.append(Factor(RAISED, trees.powered(written, exponent_of), below, written))
        return coefficient, factors

    def _powers(
        self,
        coefficient: Rational,
        powers: Mapping[int, Rational],
        brackets: Mapping[int, Written],
        turned: Mapping[int, Written],
    ) -> tuple[Rational, list[Factor]]:
        """Write the factors that have numbers for exponents, and return the number that is left."""
        roots: dict[bool, list[Product]] = {False: [], True: []}
        factors = []
        for base, exponent in powers.items():
            found = self.algebra.bases[base]
            if isinstance(found, Integer) and Fraction(coefficient).denominator == found.value:
                coefficient, exponent = exact(coefficient * found.value), exponent - 1  # 1/sqrt(2), not sqrt(2)/2
            if isinstance(found, Constant) and magnitude(exponent) == Fraction(1, 2):
                other = coefficient * Fraction(found.value) ** (1 if exponent > 0 else -1)
                if is_short(other) and self._is_shorter(other, coefficient):  # sqrt(9.81/x)/2, not 4.905/sqrt(9.81*x)
                    coefficient, exponent = exact(other), exponent - (1 if exponent > 0 else -1)
            if magnitude(exponent) == Fraction(1, 2):
                roots[exponent < 0].append(self._inside(base))
                continue
            kind, bare = (BRACKET, brackets[base]) if base in brackets else self._base(base)
            bare = turned.get(base, bare)
            if isinstance(found, Constant) and found.value ** magnitude(exponent) >= ENDLESS_INTEGER:
                bare = Written(Number(float(found.value)), bare.cost)
            written = bare if magnitude(exponent) == 1 else trees.powered(bare, self._exponent(magnitude(exponent)))
            factors.append(Factor(kind, written, exponent < 0, bare))
        factors.extend(self._roots(roots[False], roots[True]))
        return coefficient, factors

    def _roots(self, above: Sequence[Product], below: Sequence[Product]) -> Iterator[Factor]:
        """Write square roots as one; one of a sum with roots in it stands alone."""
        alone = [x for x in (*above, *below) if len(above) + len(below) > 1 and self._has_roots(x)]
        for inside in alone:
            root = trees.called("sqrt", [self.best(inside)])
            yield Factor(BRACKET, root, inside in below, root)
        above, below = ([x for x in side if x not in alone] for side in (above, below))
        if above or below:
            inside = self.algebra.multiply(*above or below, *(self.algebra.power(x, -1) for x in below if above))
            root = trees.called("sqrt", [self.best(inside)])
            yield Factor(NUMBER if inside.is_number else CALL, root, not above, root)

    def _has_roots(self, product: Product) -> bool:
        sums = (found for base, _ in product.term if isinstance(found := self.algebra.bases[base], Sum))
        return any(not is_whole(e) for found in sums for term in found.polynomial for _, e in term)

    def _inside(self, base: int) -> Product:
        """Return what stands under a root."""
        found = self.algebra.bases[base]
        return found.product if isinstance(found, Group) else self.algebra.multiply(Product(1, ((base, 1),)))

    def _exponent(self, exponent: Rational) -> Written:
        """Write halves as decimals, which is shorter, and other fractions as the formula does."""
        if is_whole(exponent) or exponent.denominator == 2 or (self.algebra.decimals and is_decimal(exponent)):
            return trees.number(exponent)
        return trees.fraction(exponent)

    # Bases.

    def _base(self, base: int) -> tuple[int, Written]:
        found = self.algebra.bases[base]
        match found:
            case Atom():
                return LETTER if isinstance(found.tree, Name) else CALL, Written(found.tree, found.weight)
            case Constant():
                return NUMBER, trees.number(found.value)
            case Integer():
                return LETTER, trees.number(found.value)
            case Sum():
                return BRACKET, self._bracket(base, None, turned=False)
            case Group():
                return BRACKET, self.best(found.product)
            case Function():
                parts = [self.argument(x) for x in found.arguments]
                return MATRIX if found.name == "@" else CALL, self._call(found, parts)
        raise UnsimplifiedError

    def _call(self, found: Function, parts: Sequence[Written]) -> Written:
        if found.template is None:
            return trees.called(found.name, parts, [x.keyword for x in found.arguments])
        return trees.filled(found.template, parts)

    def argument(self, argument: Argument) -> Written:
        if isinstance(argument.value, Expression):
            return Written(argument.value, trees.length(argument.value))
        return self.best(argument.value)


def digits(value: Rational) -> int:
    """Return how many digits there are in a whole number or a decimal."""
    return len(str(abs(value.numerator) * tens_in(value.denominator)[0] // value.denominator).strip("0"))


def contained(part: Product, powers: Mapping[int, Rational]) -> Rational:
    """Return how often a product divides another, negative where its inverse does; a part only of a plain base."""
    counts = [ratio(powers.get(base, 0), exponent) for base, exponent in part.term]
    signs = {(count > 0) - (count < 0) for count in counts}
    if not counts or len(signs) > 1 or signs == {0}:
        return 0
    least = min(map(magnitude, counts))
    is_plain = part.coefficient == 1 and part.term[0][1] == len(counts) == 1
    return exact((least if is_plain else least // 1) * signs.pop())
