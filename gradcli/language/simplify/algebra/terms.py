"""Products and sums as plain values: numbers are exact, and the parts of a product are known by the number of a base.

`3*x**2/y` is `Product(3, ((x, 2), (y, -1)))`, where x and y are positions in the list of bases of an algebra.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

from gradcli.language.literals import LARGEST_EXACT as MOST

Rational = int | Fraction
Term = tuple[tuple[int, Rational], ...]  # bases with their exponents, by base; no exponent is zero
Polynomial = dict[Term, Rational]  # no coefficient is zero

MOST_ROUND = 10**22  # the largest power of ten that is a float
LARGEST = 10**100  # a number beyond is not looked at: powers of it are beyond all floats


class UnsimplifiedError(Exception):
    """A formula that has no simple form here: undefined, too large, or of parts that do not fit together."""


class Product(NamedTuple):
    """A number times powers of bases."""

    coefficient: Rational
    term: Term = ()

    @property
    def is_number(self) -> bool:
        return not self.term


ZERO = Product(0)
ONE = Product(1)


def exact(value: Rational) -> Rational:
    """Return a whole number as an int; UnsimplifiedError where a number has too many digits."""
    if type(value) is int and -MOST <= value <= MOST:
        return value
    if value.denominator == 1:
        value = value.numerator
    if not is_short(value):
        raise UnsimplifiedError
    return value


def is_short(value: Rational) -> bool:
    """Tell whether floats hold a number, or its numerator and its denominator, with all digits."""
    if type(value) is int and -MOST <= value <= MOST:
        return True
    above, below = without_zeros(abs(value.numerator)), without_zeros(value.denominator)
    if above > MOST or below > MOST:
        return False
    tens, not_tens = tens_in(value.denominator)
    return not_tens > 1 or without_zeros(abs(value.numerator) * (tens // value.denominator)) <= MOST


def without_zeros(number: int) -> int:
    """Return a whole number without the zeros at its end, as far as floats hold it with them."""
    while number > MOST and number % 10 == 0 and number <= MOST_ROUND:
        number //= 10
    return number


def ratio(value: Rational, divisor: Rational) -> Rational:
    """Return an exact quotient, a whole number as an int."""
    if type(value) is int and type(divisor) is int and value % divisor == 0:
        return value // divisor
    return exact(Fraction(value) / divisor)


def magnitude(value: Rational) -> Rational:
    return -value if value < 0 else value


def is_whole(value: Rational) -> bool:
    return isinstance(value, int) or value.denominator == 1


def is_decimal(value: Rational) -> bool:
    """Tell whether a number is no whole number, and its decimals end."""
    return value.denominator > 1 and tens_in(value.denominator)[1] == 1


@lru_cache(maxsize=1024)
def tens_in(denominator: int) -> tuple[int, int]:
    """Return the least power of ten over which a fraction ends, and what is left of its denominator else."""
    counts = []
    for prime in (2, 5):
        counts.append(0)
        while denominator % prime == 0:
            denominator //= prime
            counts[-1] += 1
    return 10 ** max(counts), denominator


def scaled(product: Product, factor: Rational) -> Product:
    return Product(exact(product.coefficient * factor), product.term if factor else ())


def total(pairs: Iterable[tuple[Term, Rational]]) -> Polynomial:
    """Return the sum of terms with their coefficients: like terms together, in the order in which they first come."""
    sums: Polynomial = {}
    for term, coefficient in pairs:
        sums[term] = sums.get(term, 0) + coefficient
    return {term: exact(coefficient) for term, coefficient in sums.items() if coefficient}


def common_number(polynomial: Polynomial, *, decimals: bool) -> Rational:
    """Return the largest positive number that leaves whole coefficients without a common factor.

    Beside `decimals` fractions have none in common, but where all are the same: `0.7*x + 1.4` stays.
    """
    if decimals and any(type(x) is not int for x in polynomial.values()):
        first, *further = {magnitude(x) for x in polynomial.values()}
        return 1 if further else first
    numerator = gcd(*(x.numerator for x in polynomial.values()))
    return ratio(numerator, lcm(*(x.denominator for x in polynomial.values())))


def common_powers(terms: Iterable[Term]) -> dict[int, Rational]:
    """Return the lowest exponent of each base among the terms; a term without it has exponent 0."""
    first, *further = (dict(term) for term in terms)
    lowest = first
    for powers in further:
        met = {base: min(lowest.get(base, 0), powers.get(base, 0)) for base in {**lowest, **powers}}
        lowest = {base: exponent for base, exponent in met.items() if exponent}
    return lowest


def term_of(powers: Mapping[int, Rational]) -> Term:
    powers_found = [(base, exponent if type(exponent) is int else exact(exponent)) for base, exponent in powers.items()]
    return tuple(sorted(power for power in powers_found if power[1]))
