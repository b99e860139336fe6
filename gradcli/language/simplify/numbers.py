"""Numbers as people type them: a decimal is what its digits say, not the float that is nearest to it."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, ulp

from gradcli.language.simplify.algebra.terms import LARGEST, Rational, UnsimplifiedError, is_short

LARGEST_DENOMINATOR = 64  # of a fraction that is seen in a float with all its digits
DIGITS = 12  # of a decimal that is seen there
APART = 4  # units in the last place, of 1 or of the number, by which rounding may have moved it
SMALL = 0.01  # a number below is seldom the difference of an exponent and 1


def as_typed(value: float) -> Rational:
    """Return a number exactly as it is written: `0.1` is a tenth, and a computed `1.3700000000000001` was `1.37`."""
    if not isfinite(value) or abs(value) > LARGEST:
        raise UnsimplifiedError
    if float(value).is_integer():
        return int(value)
    number = float(value)  # numpy has names for its numbers
    decimal = Fraction(repr(number))
    if is_short(decimal):
        return decimal
    near = Fraction(number).limit_denominator(LARGEST_DENOMINATOR), Fraction(f"{number:.{DIGITS}g}")
    margin = APART * ulp(max(number, 1.0) if number > SMALL else number)
    return next((x for x in near if abs(x - decimal) <= margin), decimal)
