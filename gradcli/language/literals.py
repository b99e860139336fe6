"""The values that a program writes out: numbers, strings, and the constants that are words."""

from __future__ import annotations

import math
import re

CONSTANTS = {"True": True, "False": False, "None": None, "...": ...}

LARGEST_INTEGER = 2**63 - 1  # torch's int64
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


def written(number: int | float) -> int | float:
    """Return a number as a program can write it: an integer beyond 64 bits, which formulas may have, is a float."""
    if not isinstance(number, int) or abs(number) <= LARGEST_INTEGER:
        return number
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def read_superscript(text: str) -> int | float:
    """The value of superscript digits; ValueError as for a number."""
    return read_number(text.translate(_SUPERSCRIPTS))


def read_string(text: str) -> str:
    """The text between the quotes; a backslash takes the next character as it is, save `n` and `t`."""
    return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), text[1:-1])
