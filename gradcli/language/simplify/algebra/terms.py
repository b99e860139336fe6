"""Products and sums as plain values: numbers are exact, and the parts of a product are known by the number of a base.

`3*x**2/y` is `Product(3, ((x, 2), (y, -1)))`, where x and y are positions in the list of bases of an algebra.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

Rational = int | Fraction
Term = tuple[tuple[int, Rational], ...]  # bases with their exponents, by base; no exponent is zero
Polynomial = dict[Term, Rational]  # no coefficient is zero

ENDLESS = 10**9
LARGEST_DENOMINATOR = 64  # of a fraction; beyond, a number is written as a decimal
LARGEST = 2**1000  # a number beyond cannot be written as a float


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
    """Return a whole number as an int; UnsimplifiedError where it is beyond all floats."""
    if type(value) is not int:
        if value.denominator == 1:
            value = value.numerator
        elif value.denominator > LARGEST:
            raise UnsimplifiedError
    if magnitude(value) > LARGEST:
        raise UnsimplifiedError
    return value


def ratio(value: Rational, divisor: Rational) -> Rational:
    """Return an exact quotient, a whole number as an int."""
    if type(value) is int and type(divisor) is int and value % divisor == 0:
        return value // divisor
    return exact(Fraction(value) / divisor)


def magnitude(value: Rational) -> Rational:
    return -value if value < 0 else value


def is_whole(value: Rational) -> bool:
    return isinstance(value, int) or value.denominator == 1


def is_decimal(value: Rational, *, plain: bool) -> bool:
    """Tell whether a number is written as a decimal: where it ends, and decimals are `plain` or a fraction too long.

    A fraction that nobody would write comes from a number with all its digits, and is one again.
    """
    denominator = value.denominator
    if denominator > ENDLESS:
        return True
    return denominator > 1 and (plain or denominator > LARGEST_DENOMINATOR) and _terminates(denominator)


def _terminates(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def scaled(product: Product, factor: Rational) -> Product:
    return Product(exact(product.coefficient * factor), product.term if factor else ())


def total(pairs: Iterable[tuple[Term, Rational]]) -> Polynomial:
    """Return the sum of terms with their coefficients: like terms together, in the order in which they first come."""
    found: Polynomial = {}
    for term, coefficient in pairs:
        found[term] = found.get(term, 0) + coefficient
    return {term: exact(coefficient) for term, coefficient in found.items() if coefficient}


def common_number(polynomial: Polynomial) -> Rational:
    """Return the largest positive number that leaves whole coefficients without a common factor; 1 for decimals."""
    if any(x.denominator > LARGEST_DENOMINATOR for x in polynomial.values()):
        return 1
    numerator = gcd(*(x.numerator for x in polynomial.values()))
    return ratio(numerator, lcm(*(x.denominator for x in polynomial.values())))


def common_powers(terms: Iterable[Term]) -> dict[int, Rational]:
    """Return the lowest exponent of each base among the terms; a term without it has exponent 0."""
    first, *others = (dict(term) for term in terms)
    lowest = first
    for powers in others:
        met = {base: min(lowest.get(base, 0), powers.get(base, 0)) for base in {**lowest, **powers}}
        lowest = {base: exponent for base, exponent in met.items() if exponent}
    return lowest


def term_of(powers: Mapping[int, Rational]) -> Term:
    found = [(base, exponent if type(exponent) is int else exact(exponent)) for base, exponent in powers.items()]
    return tuple(sorted(power for power in found if power[1]))
