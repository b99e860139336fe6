"""The error texts of later Pythons in the words of Python 3.11, so that a snippet prints the same under each."""

from __future__ import annotations

import re
import sys


def _abstract(match: re.Match[str]) -> str:
    return f" with abstract {match[1]} {match[2].replace(chr(39), '')}"


def _empty_range(match: re.Match[str]) -> str:
    return f"empty range for randrange() ({match[1]}, {match[2]}, {int(match[2]) - int(match[1])})"


LATER = [
    (r" without an implementation for abstract (methods?) ('[\w', ]+')", _abstract),
    (r"empty range in randrange\((-?\d+), (-?\d+)\)", _empty_range),
    (r"method resolution order \(MRO\)", "method resolution\norder (MRO)"),
    (r"(max|min)\(\) iterable argument is empty", r"\1() arg is an empty sequence"),
    (r"(int|print)\(\) got an unexpected keyword argument ('\w+')", r"\2 is an invalid keyword argument for \1()"),
    (r" and no __dict__ for setting new attributes", ""),
]


def worded(text: str) -> str:
    """Return a text with the errors of a later Python as 3.11 words them."""
    if sys.version_info >= (3, 12):
        for pattern, words in LATER:
            text = re.sub(pattern, words, text)
    return text
