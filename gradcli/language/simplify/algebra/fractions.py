"""Partial fractions: `-1/(x - 2)**2 - 1/(x - 3)**2` for a quotient of polynomials in one letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import gcd, lcm

from gradcli.language.simplify.algebra.bases import Atom, Sum
from gradcli.language.simplify.algebra.factors import split
from gradcli.language.simplify.algebra.functions import Builder
from gradcli.language.simplify.algebra.terms import (
    Polynomial,
    Product,
    UnsimplifiedError,
    exact,
    is_whole,
    magnitude,
    scaled,
    total,
)

HIGHEST = 8  # the degree of the divisor
MOST_PARTS = 4  # of a sum that is worth reading

Numbers = list[Fraction]  # the coefficients of a polynomial, from the constant on
Factor = tuple[Numbers, int]  # with its exponent


def in_parts(algebra: Builder, product: Product) -> Iterator[Product]:
    """Yield a quotient of polynomials as a sum of fractions over powers of the factors of its divisor."""
    letter = _letter(algebra, product)
    if letter is None:
        return
    above: Numbers = [Fraction(1)]
    below: list[Factor] = []
    for base, exponent in product.term:
        numbers = _numbers(algebra, base, letter)
        if numbers is None or not is_whole(exponent):
            return
        if magnitude(exponent) * (len(numbers) - 1) > 2 * HIGHEST:
            return
        if exponent > 0:
            for _ in range(int(exponent)):
                above = _times(above, numbers)
        else:
            below.append((numbers, -int(exponent)))
    if sum((len(numbers) - 1) * exponent for numbers, exponent in below) > HIGHEST or len(above) > 2 * HIGHEST:
        return
    factors, number = _factors(below)
    terms = total(_parts(algebra, letter, [x / number for x in above], factors))
    if 1 < len(terms) <= MOST_PARTS:
        yield scaled(algebra.primitive(terms, 1), product.coefficient)


def _letter(algebra: Builder, product: Product) -> int | None:
    """Return the one letter of a quotient; None where there are several, or nothing is divided by a sum."""
    sums = [algebra.bases[base] for base, exponent in product.term if exponent < 0]
    letters = {base for base, _ in product.term if isinstance(algebra.bases[base], Atom)}
    for base, _ in product.term:
        if isinstance(inner := algebra.bases[base], Sum):
            letters.update(letter for term in inner.polynomial for letter, _ in term)
    is_quotient = any(isinstance(base, Sum) for base in sums)
    return letters.pop() if is_quotient and len(letters) == 1 else None


def _numbers(algebra: Builder, base: int, letter: int) -> Numbers | None:
    """Return the coefficients of a base as a polynomial in the letter; None where it is none."""
    if base == letter:
        return [Fraction(0), Fraction(1)]
    bracket = algebra.bases[base]
    if not isinstance(bracket, Sum) or not isinstance(algebra.bases[letter], Atom):
        return None
    powers = {sum(e for _, e in term): c for term, c in bracket.polynomial.items()}
    if not all(is_whole(e) and 0 <= e <= HIGHEST for e in powers):
        return None
    return [Fraction(powers.get(degree, 0)) for degree in range(int(max(powers)) + 1)]


def _factors(below: Sequence[Factor]) -> tuple[list[Factor], Fraction]:
    """Return the different factors of a divisor, split as far as they have rational roots, and a number."""
    exponents: dict[tuple[Fraction, ...], int] = {}
    number = Fraction(1)
    for numbers, exponent in below:
        divisor = lcm(*(x.denominator for x in numbers))
        integers = [int(x * divisor) for x in numbers]
        number /= Fraction(divisor) ** exponent
        linear, cofactor = split(integers) if integers[0] else ([], integers)
        for factor in [*linear, cofactor]:
            lead = Fraction(gcd(*factor) if factor[-1] > 0 else -gcd(*factor))
            number *= lead**exponent
            key = tuple(x / lead for x in factor)
            if len(factor) > 1:
                exponents[key] = exponents.get(key, 0) + exponent
    return [([*numbers], exponent) for numbers, exponent in exponents.items()], number


def _parts(
    algebra: Builder, letter: int, above: Numbers, factors: Sequence[Factor]
) -> Iterator[tuple[tuple[tuple[int, int | Fraction], ...], int | Fraction]]:
    """Yield the terms of the sum: the whole part, and the fractions."""
    divisor: Numbers = [Fraction(1)]
    for numbers, exponent in factors:
        for _ in range(exponent):
            divisor = _times(divisor, numbers)
    integral_part, remainder = _divided(above, divisor)
    yield from _polynomial(integral_part, letter).items()
    powers = [(numbers, power) for numbers, exponent in factors for power in range(1, exponent + 1)]
    columns = [_times([Fraction(0)] * degree + [Fraction(1)], _divided(divisor, _power(numbers, power))[0])
               for numbers, power in powers for degree in range(len(numbers) - 1)]  # fmt: skip
    solution = iter(_solved(columns, remainder))
    for numbers, power in powers:
        numerator = [next(solution) for _ in numbers[1:]]
        if any(numerator):
            top = algebra.collect(_polynomial(numerator, letter))
            bottom = algebra.power(algebra.collect(_polynomial(numbers, letter)), -power)
            fraction = algebra.multiply(top, bottom)
            yield fraction.term, fraction.coefficient


def _polynomial(numbers: Numbers, letter: int) -> Polynomial:
    descending = [(degree, x) for degree, x in enumerate(numbers) if x][::-1]
    return {((letter, degree),) if degree else (): exact(x) for degree, x in descending}


def _times(first: Numbers, second: Numbers) -> Numbers:
    coefficients = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            coefficients[i + j] += a * b
    return coefficients


def _power(numbers: Numbers, exponent: int) -> Numbers:
    return _times(_power(numbers, exponent - 1), numbers) if exponent else [Fraction(1)]


def _divided(above: Numbers, below: Numbers) -> tuple[Numbers, Numbers]:
    """Return the quotient of two polynomials and the remainder."""
    remainder, quotient = [*above], [Fraction(0)] * max(1, len(above) - len(below) + 1)
    for place in range(len(above) - len(below), -1, -1):
        factor = quotient[place] = remainder[place + len(below) - 1] / below[-1]
        for n, x in enumerate(below):
            remainder[place + n] -= factor * x
    return quotient, remainder[: len(below) - 1]


def _solved(columns: Sequence[Numbers], right: Numbers) -> Numbers:
    """Return how many of each column make the right side; UnsimplifiedError where that is not certain."""
    size = len(columns)
    rows = [[numbers[n] if n < len(numbers) else Fraction(0) for numbers in (*columns, right)] for n in range(size)]
    for place in range(size):
        lead = next((n for n in range(place, size) if rows[n][place]), None)
        if lead is None:  # factors that have a factor in common
            raise UnsimplifiedError
        rows[place], rows[lead] = rows[lead], rows[place]
        rows[place] = [x / rows[place][place] for x in rows[place]]
        for n in range(size):
            if n != place and (factor := rows[n][place]):
                rows[n] = [x - factor * y for x, y in zip(rows[n], rows[place], strict=True)]
    return [row[-1] for row in rows]
