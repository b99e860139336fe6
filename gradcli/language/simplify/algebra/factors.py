"""Factors of sums: the rational roots of a polynomial in one base, or in the ratio of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, lcm, prod

from gradcli.language.simplify.algebra.sums import Algebra
from gradcli.language.simplify.algebra.terms import Polynomial, Product, Rational, Term, exact, is_decimal, is_whole

HIGHEST = 8  # the degree of a polynomial whose roots are sought
LARGEST = 10_000  # the coefficient whose divisors are tried

Coefficients = list[int]  # from the constant on


def factored(algebra: Algebra, polynomial: Polynomial) -> Iterator[Product]:
    """Yield the sum as products of sums: `x**2 - 2*x + 1` is `(x - 1)**2`."""
    bases = sorted({base for term in polynomial for base, _ in term})
    if not 1 <= len(bases) <= 2:
        return
    powers = [dict(term) for term in polynomial]
    exponents = [[power.get(base, 0) for base in bases] for power in powers]
    if not all(is_whole(e) and 0 <= e <= HIGHEST for pair in exponents for e in pair):
        return
    if len(bases) == 2 and len({sum(pair) for pair in exponents}) != 1:
        return
    degrees = [int(pair[0]) for pair in exponents]
    step = reduce(gcd, degrees)
    for stride in sorted({1, step} - {0}):
        coefficients: list[Rational] = [0] * (max(degrees) // stride + 1)
        for degree, value in zip(degrees, polynomial.values(), strict=True):
            coefficients[degree // stride] = value
        linear, cofactor, number = _split(coefficients)
        if linear:
            parts = [*linear, *([cofactor] if len(cofactor) > 1 else [])]
            yield algebra.multiply(
                Product(exact(number * cofactor[0] if len(cofactor) == 1 else number)),
                *(algebra.collect(_polynomial(factor, bases, stride)) for factor in parts),
            )


def _split(coefficients: Sequence[Rational]) -> tuple[list[Sequence[Rational]], Sequence[Rational], Rational]:
    """Return the linear factors of a polynomial, the cofactor, and a number; beside decimals a factor is x - root."""
    divisor = lcm(*(x.denominator for x in coefficients))
    linear, cofactor = split([int(x * divisor) for x in coefficients])
    if divisor == 1:
        return [*linear], cofactor, 1
    roots = [Fraction(-constant, lead) for constant, lead in linear]
    if not all(is_whole(root) or is_decimal(root) for root in roots):
        return [], cofactor, 1
    return [[-root, 1] for root in roots], cofactor, Fraction(prod(lead for _, lead in linear), divisor)


def _polynomial(coefficients: Sequence[Rational], bases: list[int], stride: int) -> Polynomial:
    degree = len(coefficients) - 1
    polynomial: Polynomial = {}
    for power in range(degree, -1, -1):
        if coefficients[power]:
            powers: list[tuple[int, Rational]] = [(bases[0], power * stride)]
            if len(bases) == 2:
                powers.append((bases[1], (degree - power) * stride))
            term: Term = tuple((base, exponent) for base, exponent in powers if exponent)
            polynomial[term] = coefficients[power]
    return polynomial


def split(coefficients: Coefficients) -> tuple[list[Coefficients], Coefficients]:
    """Return the linear factors of a polynomial, and the cofactor."""
    linear: list[Coefficients] = []
    while len(coefficients) > 2:
        root = _root(coefficients)
        if root is None:
            break
        linear.append([-root.numerator, root.denominator])
        coefficients = _without(coefficients, root)
    if linear and len(coefficients) == 2:
        sign = 1 if coefficients[-1] > 0 else -1
        linear.append([sign * x for x in coefficients])
        coefficients = [sign]
    return linear, coefficients


def _root(coefficients: Coefficients) -> Fraction | None:
    if coefficients[0] == 0 or max(abs(coefficients[0]), abs(coefficients[-1])) > LARGEST:
        return None
    for numerator in _divisors(coefficients[0]):
        for denominator in _divisors(coefficients[-1]):
            for root in (numerator, -numerator):
                if _value(coefficients, root, denominator) == 0:
                    return Fraction(root, denominator)
    return None


def _value(coefficients: Coefficients, above: int, below: int) -> int:
    """Return the value at a fraction, times the power of its denominator."""
    value, power = 0, 1
    for c in reversed(coefficients):
        value = value * above + c * power
        power *= below
    return value


def _divisors(value: int) -> list[int]:
    return [n for n in range(1, min(abs(value), 100) + 1) if value % n == 0]


def _without(coefficients: Coefficients, root: Fraction) -> Coefficients:
    """Divide by `denominator*x - numerator`."""
    value, quotient = Fraction(0), []
    for c in reversed(coefficients):
        value = value * root + c
        quotient.append(value / root.denominator)
    return [c.numerator for c in reversed(quotient[:-1])]  # whole, as those of the product are
