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
from gradcli.language.simplify.trees import CostedTree
from gradcli.language.tree import Expression, Name, Number

LONGEST = 600  # operators and calls of what is written
ENDLESS_INTEGER = 2**63  # a power of whole numbers from here on overflows, one of floats does not


class Quotients:
    """Writes products; `best` writes what stands inside other formulas, `add` the terms of a sum."""

    def __init__(
        self, algebra: Builder, best: Callable[[Product], CostedTree], add: Callable[[Polynomial], CostedTree]
    ) -> None:
        self.algebra = algebra
        self.best = best
        self.add = add
        self._brackets: dict[tuple[int, bool], CostedTree] = {}

    def write(
        self, product: Product, instead: Mapping[int, Polynomial], *, below: Sequence[CostedTree] = ()
    ) -> CostedTree:
        """Write a product, with other polynomials for some of its sums, and with more factors below.

        Raises UnsimplifiedError if it is too long.
        """
        powers = dict(product.term)
        coefficient, factors = self._raised(product.coefficient, powers, instead)
        coefficient, brackets = self._signed(Product(coefficient, term_of(powers)), instead)
        coefficient, turned = self._turned_call(coefficient, powers)
        coefficient, powers_written = self._powers(coefficient, powers, brackets, turned)
        factors = in_order([*factors, *powers_written], self.algebra.products)
        above = [factor.formula for factor in factors if not factor.below]
        below = [*(factor.formula for factor in factors if factor.below), *below]
        top, bottom = self._number(magnitude(coefficient))
        names = [factor.formula for factor in factors if factor.kind == LETTER and factor.below]
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
            return trees.multiply_matrix(trees.negate(scale) if coefficient < 0 else scale, above[0])
        numerator = trees.product([top, *above] if top.tree != Number(1) or not above else above)
        if coefficient < 0:
            numerator = trees.negate(numerator)
        quotient = trees.over(numerator, [*bottom, *below])
        if quotient.cost > LONGEST:
            raise UnsimplifiedError
        return quotient

    # Numbers and signs.

    def _number(self, value: Rational) -> tuple[CostedTree, list[CostedTree]]:
        """Write a number as numerator and denominator, if it has one: of decimals as in `0.76/3` and `2/0.49`."""
        divisor = self.divisor(value)
        if not (is_short(divisor) and is_short(value * divisor)):
            divisor = value.denominator
        return trees.number(value * divisor), [trees.number(divisor)] if divisor != 1 else []

    def divisor(self, value: Rational) -> Rational:
        """Return the denominator under which a number is written: one that was typed, where that is no longer."""
        above, below = value.numerator, value.denominator
        not_tens = tens_in(below)[1] if self.algebra.decimals else below
        if not_tens == 1 or not self.algebra.decimals:
            return 1 if not_tens == 1 else below
        zeros = len(str(above)) - len(str(above).rstrip("0"))
        round_part = above if tens_in(above)[1] == 1 and below != 3 else 10**zeros  # thirds are seldom 1/1.5
        usual = below if above == 1 else Fraction(below, round_part) if round_part > 1 else not_tens
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
        first, second = ((d != 1, digits(x * d)) for x in (value, other) for d in [self.divisor(magnitude(x))])
        return first < second

    def _signed(self, product: Product, instead: Mapping[int, Polynomial]) -> tuple[Rational, dict[int, CostedTree]]:
        """Write each sum of a product with the sign it first came with, and return the number.

        A sum is turned to take up a minus in front.
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
                turned_bracket = self._bracket(base, instead.get(base), turned=not turned)
                if turned_bracket.cost <= brackets[base].cost:
                    coefficient, brackets[base] = -coefficient, turned_bracket
        return coefficient, brackets

    def _turned_call(
        self, coefficient: Rational, powers: Mapping[int, Rational]
    ) -> tuple[Rational, dict[int, CostedTree]]:
        """Let a difference in a linear function take up a minus in front: `X.T @ (p - y)`, not `-X.T @ (y - p)`."""
        for base, exponent in powers.items() if coefficient < 0 else ():
            function = self.algebra.bases[base]
            if not isinstance(function, Function) or exponent != 1:
                continue
            parts = [self.argument(argument) for argument in function.arguments]
            for place in LINEAR.get(function.name, ()):
                value = function.arguments[place].value if place < len(parts) else None
                inner = self.algebra.only(value, Sum) if isinstance(value, Product) else None
                if isinstance(value, Product) and inner is not None and any(c < 0 for c in inner.polynomial.values()):
                    bracket = value.term[0][0]
                    turned = self._bracket(bracket, None, turned=not self.algebra.is_turned(bracket))
                    if turned.cost <= parts[place].cost:
                        parts[place] = turned
                        return -coefficient, {base: self._call(function, parts)}
        return coefficient, {}

    def _bracket(self, base: int, instead: Polynomial | None, *, turned: bool) -> CostedTree:
        """Write a sum, perhaps with all signs turned."""
        key = (base, turned)
        if instead is None and key in self._brackets:
            return self._brackets[key]
        bracket = self.algebra.bases[base]
        assert isinstance(bracket, Sum)
        polynomial = bracket.polynomial if instead is None else instead
        formula = self.add({term: -c if turned else c for term, c in polynomial.items()})
        if instead is None:
            self._brackets[key] = formula
        return formula

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
            entry = self.algebra.bases[base]
            if isinstance(entry, Exponential):
                exponents.append(Product(powers.pop(base), entry.term))
            elif isinstance(entry, Power):
                raised.setdefault(entry.base, []).append(Product(powers.pop(base), entry.term))
        factors = []
        if exponents:
            formula = trees.call("exp", [self.best(self.algebra.add(*exponents))])
            factors.append(Factor(EXPONENTIAL, formula, False, formula))
        for of, parts in raised.items():
            count = 0 if any(base in instead for base, _ in of.term) else contained(of, powers)
            if count:
                coefficient = exact(coefficient / Fraction(to_power(of.coefficient, count)))
                for base, exponent in of.term:
                    powers[base] -= count * exponent
                    if not powers[base]:
                        del powers[base]
                parts.append(Product(count))
            below = all(x.coefficient <= 0 for x in parts)
            power = self.best(self.algebra.add(*(scaled(x, -1 if below else 1) for x in parts)))
            formula = self.best(of)
            factors.append(Factor(RAISED, trees.raise_to(formula, power), below, formula))
        return coefficient, factors

    def _powers(
        self,
        coefficient: Rational,
        powers: Mapping[int, Rational],
        brackets: Mapping[int, CostedTree],
        turned: Mapping[int, CostedTree],
    ) -> tuple[Rational, list[Factor]]:
        """Write the factors that have numbers for exponents, and return the number that is left."""
        roots: dict[bool, list[Product]] = {False: [], True: []}
        factors = []
        for base, exponent in powers.items():
            entry = self.algebra.bases[base]
            if isinstance(entry, Integer) and Fraction(coefficient).denominator == entry.value:
                coefficient, exponent = exact(coefficient * entry.value), exponent - 1  # 1/sqrt(2), not sqrt(2)/2
            if isinstance(entry, Constant) and magnitude(exponent) == Fraction(1, 2):
                value = coefficient * Fraction(entry.value) ** (1 if exponent > 0 else -1)
                if is_short(value) and self._is_shorter(value, coefficient):  # sqrt(9.81/x)/2, not 4.905/sqrt(9.81*x)
                    coefficient, exponent = exact(value), exponent - (1 if exponent > 0 else -1)
            if magnitude(exponent) == Fraction(1, 2):
                roots[exponent < 0].append(self._inside(base))
                continue
            kind, bare = (BRACKET, brackets[base]) if base in brackets else self._base(base)
            bare = turned.get(base, bare)
            if isinstance(entry, Constant) and entry.value ** magnitude(exponent) >= ENDLESS_INTEGER:
                bare = CostedTree(Number(float(entry.value)), bare.cost)
            formula = bare if magnitude(exponent) == 1 else trees.raise_to(bare, self._exponent(magnitude(exponent)))
            factors.append(Factor(kind, formula, exponent < 0, bare))
        factors.extend(self._roots(roots[False], roots[True]))
        return coefficient, factors

    def _roots(self, above: Sequence[Product], below: Sequence[Product]) -> Iterator[Factor]:
        """Write square roots as one root; the root of a sum that has roots in it stands alone."""
        alone = [x for x in (*above, *below) if len(above) + len(below) > 1 and self._has_roots(x)]
        for inside in alone:
            root = trees.call("sqrt", [self.best(inside)])
            yield Factor(BRACKET, root, inside in below, root)
        above, below = ([x for x in side if x not in alone] for side in (above, below))
        if above or below:
            inside = self.algebra.multiply(*above or below, *(self.algebra.power(x, -1) for x in below if above))
            root = trees.call("sqrt", [self.best(inside)])
            yield Factor(NUMBER if inside.is_number else CALL, root, not above, root)

    def _has_roots(self, product: Product) -> bool:
        sums = (bracket for base, _ in product.term if isinstance(bracket := self.algebra.bases[base], Sum))
        return any(not is_whole(e) for bracket in sums for term in bracket.polynomial for _, e in term)

    def _inside(self, base: int) -> Product:
        """Return what stands under a root."""
        entry = self.algebra.bases[base]
        return entry.product if isinstance(entry, Group) else self.algebra.multiply(Product(1, ((base, 1),)))

    def _exponent(self, exponent: Rational) -> CostedTree:
        """Write halves as decimals, which is shorter, and other fractions as the formula does."""
        if is_whole(exponent) or exponent.denominator == 2 or (self.algebra.decimals and is_decimal(exponent)):
            return trees.number(exponent)
        return trees.fraction(exponent)

    # Bases.

    def _base(self, base: int) -> tuple[int, CostedTree]:
        entry = self.algebra.bases[base]
        match entry:
            case Atom():
                return LETTER if isinstance(entry.tree, Name) else CALL, CostedTree(entry.tree, entry.weight)
            case Constant():
                return NUMBER, trees.number(entry.value)
            case Integer():
                return LETTER, trees.number(entry.value)
            case Sum():
                return BRACKET, self._bracket(base, None, turned=False)
            case Group():
                return BRACKET, self.best(entry.product)
            case Function():
                parts = [self.argument(x) for x in entry.arguments]
                return MATRIX if entry.name == "@" else CALL, self._call(entry, parts)
        raise UnsimplifiedError

    def _call(self, function: Function, parts: Sequence[CostedTree]) -> CostedTree:
        if function.template is None:
            return trees.call(function.name, parts, [x.keyword for x in function.arguments])
        return trees.fill(function.template, parts)

    def argument(self, argument: Argument) -> CostedTree:
        if isinstance(argument.value, Expression):
            return CostedTree(argument.value, trees.length(argument.value))
        return self.best(argument.value)


def digits(value: Rational) -> int:
    """Return how many digits there are in a whole number or a decimal."""
    return len(str(abs(value.numerator) * tens_in(value.denominator)[0] // value.denominator).strip("0"))


def contained(divisor: Product, powers: Mapping[int, Rational]) -> Rational:
    """Return how often a product divides another, negative where its inverse does; a fraction only of a single base."""
    counts = [ratio(powers.get(base, 0), exponent) for base, exponent in divisor.term]
    signs = {(count > 0) - (count < 0) for count in counts}
    if not counts or len(signs) > 1 or signs == {0}:
        return 0
    smallest = min(map(magnitude, counts))
    is_plain = divisor.coefficient == 1 and divisor.term[0][1] == len(counts) == 1
    return exact((smallest if is_plain else smallest // 1) * signs.pop())
