"""The values that a program writes out: numbers, strings, and the constants that are words."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

CONSTANTS = {"True": True, "False": False, "None": None, "...": ...}

ROUND = 10**7  # multiples of it are written with a power of ten
LARGEST_INTEGER = 2**63 - 1  # torch's int64
LARGEST_EXACT = 10**15  # beyond, floats do not hold all digits: numbers in formulas are not multiplied out
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_ESCAPES = {"n": "\n", "t": "\t"}


def read_number(text: str) -> int | float:
    """The value of a number as written; ValueError when it has none (`0123`, an integer beyond 64 bits)."""
    digits = text.replace("_", "")
    if digits.isdigit():
        if len(digits.lstrip("0")) > len(str(LARGEST_INTEGER)):  # before int(), which refuses thousands of digits
            raise ValueError("too large")
    elif digits[:2].lower() not in ("0x", "0b", "0o"):
        return float(digits)
    value = int(digits, 0)
    if value > LARGEST_INTEGER:
        raise ValueError("too large")
    return value


def writable(number: int | float) -> int | float:
    """Return a number as a program can write it: an integer beyond 64 bits, which formulas may have, is a float."""
    if not isinstance(number, int) or abs(number) <= LARGEST_INTEGER:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def is_round(number: float | Fraction) -> bool:
    """Tell whether a number is written with a power of ten: `3e8`, but `1000000`."""
    return number != 0 and number % ROUND == 0


def spelled(number: int | float) -> str:
    """Return the shortest text that reads back as the number, the powers of ten as people type them: `3e8`, `1e-9`."""
    text = repr(number).removesuffix(".0") if isinstance(number, float) else repr(number)
    if isinstance(number, float) and "e" not in text and is_round(number):
        digits = text.rstrip("0")
        sign, digits = ("-", digits[1:]) if digits[0] == "-" else ("", digits)
        point = "." if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{point}{digits[1:]}e{len(text.lstrip('-')) - 1}"
    if "e" in text:
        mantissa, _, power = text.partition("e")
        return f"{mantissa}e{int(power)}"
    return repr(number)


def read_superscript(text: str) -> int | float:
    """The value of superscript digits; ValueError as for a number."""
    return read_number(text.translate(_SUPERSCRIPTS))


def read_string(text: str) -> str:
    """The text between the quotes; a backslash takes the next character as it is, save `n` and `t`."""
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), text[1:-1])
