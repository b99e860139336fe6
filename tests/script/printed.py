"""What programs print, compared as far as promised: numbers in single precision agree to seven digits."""

from __future__ import annotations

import math
import re

NUMBER = re.compile(r"[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?)")
RELATIVE, ABSOLUTE = 1e-6, 1e-7
SHORT = 4  # digits behind the point of a tensor's text, of which the last may be rounded the other way


class Printed(str):
    """A text; it equals another one of these if their words do, and their fractions to seven digits."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Printed) or str.__eq__(self, other):
            return str.__eq__(self, other)
        if _words(self) != _words(other):
            return False
        return all(map(_agree, NUMBER.findall(self), NUMBER.findall(other)))

    def __ne__(self, other: object) -> bool:
        return not self == other


def _words(text: str) -> str:
    """The text between the numbers; columns may be wider by a sign or a digit."""
    return re.sub(r"\s+", " ", NUMBER.sub(" # ", text))


def _agree(a: str, b: str) -> bool:
    if a == b or not ("." in a and "." in b):
        return a == b
    unit = max(10.0 ** (_power(x) - SHORT) if _digits(x) <= SHORT else 0.0 for x in (a, b))
    return math.isclose(float(a), float(b), rel_tol=RELATIVE, abs_tol=max(ABSOLUTE, 1.01 * unit))


def _digits(number: str) -> int:
    return len(number.partition(".")[2].partition("e")[0])


def _power(number: str) -> int:
    return int(number.partition("e")[2] or 0)
