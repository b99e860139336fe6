"""The algebra of products: how powers of bases multiply, and what a root of a product is.

Every law holds wherever the formula before it is finite: `sqrt(x)**2` is x, but `sqrt(x**2)` is abs(x), and `sqrt(x*y)`
stays together, for both factors may be negative.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from gradcli.language.simplify.algebra.bases import (
    Argument,
    Constant,
    Exponential,
    Function,
    Group,
    Integer,
    Power,
    Sum,
)
from gradcli.language.simplify.algebra.registry import MOST_STEPS, Registry
from gradcli.language.simplify.algebra.terms import (
    LARGEST,
    ONE,
    ZERO,
    Product,
    Rational,
    Term,
    UnsimplifiedError,
    exact,
    is_decimal,
    is_short,
    is_whole,
    magnitude,
    term_of,
)
from gradcli.language.simplify.extents import SCALAR, joined

HIGHEST = 64  # the exponent of a number that is computed
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


class Products(Registry):
    """Products over the bases of one formula."""

    def multiply(self, *factors: Product) -> Product:
        """Return a product; UnsimplifiedError where a formula has taken too many steps."""
        self.steps += 1 + sum(len(factor.term) for factor in factors)
        if self.steps > MOST_STEPS:
            raise UnsimplifiedError
        coefficient: Rational = 1
        powers: dict[int, Rational] = {}
        for factor in factors:
            number = coefficient * factor.coefficient
            if not is_short(number):
                number, value, times = split_constant(coefficient, factor.coefficient)
                ((base, _),) = self.constant(value).term
                powers[base] = powers.get(base, 0) + times
            coefficient = number
            for base, exponent in factor.term:
                powers[base] = powers.get(base, 0) + exponent
        return self._normal(exact(coefficient), powers) if coefficient else ZERO

    def constant(self, value: Rational) -> Product:
        """Return a positive number as a base, because multiplied out it would have too many digits."""
        if not (is_whole(value) or is_decimal(value)) or value > LARGEST:
            raise UnsimplifiedError
        return self.register(("constant", value), Constant(SCALAR, 1, value))

    def _normal(self, coefficient: Rational, powers: Mapping[int, Rational]) -> Product:
        """Return a product in which no base has a power that is something simpler."""
        if self.reducible.isdisjoint(powers):
            return Product(coefficient, term_of(powers))
        exponents = {base: exponent for base, exponent in powers.items() if exponent}
        factors: list[Product] = []
        for number, exponent in powers.items():
            base = self.bases[number]
            if isinstance(base, Integer) and not 0 < exponent < 1:
                whole_power = exponent // 1
                exponents[number] = exponent - whole_power
                coefficient = exact(coefficient * to_power(base.value, whole_power))
            elif isinstance(base, Constant) and exponent and is_whole(exponent):
                multiplied = coefficient * to_power(base.value, exponent)
                if is_short(multiplied):
                    coefficient = exact(multiplied)
                    del exponents[number]
                while exponent > 0 and number in exponents and is_whole(coefficient) and coefficient % base.value == 0:
                    coefficient, exponents[number] = exact(coefficient // base.value), exponents[number] + 1
            elif isinstance(base, Group) and exponent and is_whole(exponent):
                factors.append(self.power(base.product, exponents.pop(number)))
            elif isinstance(base, Function) and base.name == "abs" and exponent and exponent % 2 == 0:
                (x,) = base.arguments
                assert isinstance(x.value, Product)
                factors.append(self.power(x.value, exponents.pop(number)))
            elif isinstance(base, Sum) and base.turned and exponent:
                ((usual, _),) = self.turned(base).term
                if is_whole(exponent):
                    factors.append(Product(-1 if exponent % 2 else 1, ((usual, exponents.pop(number)),)))
                elif is_whole(exponents.get(usual, Fraction(1, 2))):
                    turned = exponents.pop(usual)
                    exponents[number] += turned
                    coefficient *= -1 if turned % 2 else 1
        product = Product(exact(coefficient), term_of(exponents))
        return self.multiply(product, *factors) if factors else product

    def power(self, base: Product, exponent: Rational) -> Product:
        """Return a product to the power of a number; UnsimplifiedError where that is never finite."""
        coefficient, term = base
        if exponent in (0, 1):
            return base if exponent else ONE
        if coefficient == 0:
            if exponent < 0:
                raise UnsimplifiedError
            return ZERO
        if is_whole(exponent):
            powers = {b: e * exponent for b, e in term}
            number = to_power(coefficient, exponent)
            if not is_short(number):
                ((constant, _),) = self.constant(magnitude(coefficient)).term
                powers[constant] = powers.get(constant, 0) + exponent
                number = -1 if number < 0 else 1
            return self._normal(exact(number), powers)
        return self._root(coefficient, term, exponent)

    def _root(self, coefficient: Rational, term: Term, exponent: Rational) -> Product:
        """Take a product to the power of a fraction; the factors that cannot be negative are taken apart."""
        number = self._number_root(magnitude(coefficient), exponent)
        if coefficient < 0:
            lone = self.bases[term[0][0]] if len(term) == 1 and term[0][1] % 2 == 1 else None
            if not isinstance(lone, Sum):
                return self.multiply(number, self._group(Product(-1, term), exponent))
            term = ((self.turned(lone).term[0][0], term[0][1]),)
        if len(term) > 1 and not (self.is_nonnegative(term) and all(is_whole(e) for _, e in term)):
            return self.multiply(number, self._group(Product(1, term), exponent))
        return self.multiply(number, *(self._base_root(b, e, exponent) for b, e in term))

    def _base_root(self, base: int, inner: Rational, outer: Rational) -> Product:
        """Return `(base**inner)**outer`, where an even power hides the sign."""
        factor = Product(1, ((base, 1),))
        entry = self.bases[base]
        if not self.is_nonnegative_base(entry):
            if inner % 2 == 0:
                factor = self.function("abs", [Argument(factor)], entry.extent)
            elif isinstance(entry, Power):  # y**x may be positive where y is not
                return self._group(Product(1, ((base, inner),)), outer)
        return self.multiply(*(Product(1, ((b, e * inner * outer),)) for b, e in factor.term))

    def _group(self, inside: Product, exponent: Rational) -> Product:
        if ("group", inside) not in self.numbers and ("group", self.power(inside, -1)) in self.numbers:
            inside, exponent = self.power(inside, -1), -exponent  # sqrt(x/y) and 1/sqrt(y/x) are one
        group = Group(self.extent(inside), self.weight(inside) + (inside.coefficient < 0), inside)
        return Product(1, ((self.register(("group", inside), group).term[0][0], exponent),))

    def _number_root(self, value: Rational, exponent: Rational) -> Product:
        value = Fraction(value)
        if self.decimals and is_decimal(1 / value):  # sqrt(x/9.81)
            value, exponent = 1 / value, -exponent
        if self.decimals and is_decimal(value):
            root = root_of(value, exponent.denominator)
            if root is not None:
                return self.power(Product(exact(root)), exponent.numerator)
            return Product(1, ((self.constant(value).term[0][0], exponent),))
        for number in self.typed if self.decimals and not is_whole(value) else ():
            if is_decimal(value * number):  # sqrt(8.314*x/0.02896)
                return self.multiply(self._number_root(value * number, exponent), self._number_root(number, -exponent))
        factors = [*_factors(value.numerator, exponent), *_factors(value.denominator, -exponent)]
        powers_of_primes = [(self.register(n, Integer(SCALAR, 0, n)).term[0][0], e) for n, e in factors]
        return self.multiply(*(Product(1, ((base, e),)) for base, e in powers_of_primes))

    # Exponentials, and powers with letters in the exponent: what stands above is taken apart.

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


def to_power(value: Rational, exponent: Rational) -> Rational:
    """Return a number to a whole power; UnsimplifiedError where it is near the end of floats."""
    if value in (1, -1):
        return value if exponent % 2 else 1
    number = Fraction(value) ** int(exponent) if magnitude(exponent) <= HIGHEST else LARGEST + 1
    if not Fraction(1, LARGEST) <= magnitude(number) <= LARGEST:
        raise UnsimplifiedError
    return number


def root_of(value: Fraction, degree: int) -> Fraction | None:
    """Return the root of a number that is not negative if it is a fraction, too."""
    above, below = (round(value_part ** (1 / degree)) for value_part in (value.numerator, value.denominator))
    root = Fraction(above, below)
    return root if root**degree == value else None


def split_constant(first: Rational, second: Rational) -> tuple[Rational, Rational, int]:
    """Return a number, a constant and the constant's exponent, whose product is that of two numbers of many digits.

    `2**60`, a square as of `299792458*(2*299792458)`, or the shorter one first.
    """
    product = first * second
    if is_whole(product) and abs(int(product)).bit_count() == 1:
        return (-1 if product < 0 else 1), 2, abs(int(product)).bit_length() - 1
    short_factor, long_factor = sorted((first, second), key=_digits)
    times = Fraction(long_factor) / Fraction(short_factor)
    if times.denominator == 1 and magnitude(times) < magnitude(short_factor):
        return int(times), magnitude(short_factor), 2
    return (-short_factor if long_factor < 0 else short_factor), magnitude(long_factor), 1


def _digits(value: Rational) -> tuple[int, Rational]:
    return max(abs(value.numerator), value.denominator), magnitude(value)


def _factors(value: int, exponent: Rational) -> Iterator[tuple[int, Rational]]:
    """Yield the powers of small primes in a whole number, and the rest."""
    for prime in PRIMES:
        count = 0
        while value % prime == 0:
            value //= prime
            count += 1
        if count:
            yield prime, count * exponent
    if value > 1:
        yield value, exponent
