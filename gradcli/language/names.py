"""The rule for names: Python's, the same in every script, and subscript digits besides (`x₁`)."""

from __future__ import annotations

import re
import unicodedata
from keyword import iskeyword

_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
_WITHOUT_SUBSCRIPTS = re.compile(f"[^{_SUBSCRIPTS}]+")
_AS_DIGITS = str.maketrans(_SUBSCRIPTS, "0123456789")


def read_name(text: str) -> str | None:
    """The name that a text spells, or None when it spells no name.

    As in Python, two spellings of one letter are one name (NFKC). Subscript digits stay as they are written, so `x₁`
    and `x1` are two names. A dot in the middle of a word multiplies, though Python has it for a letter.
    """
    if not text.isascii():
        text = _WITHOUT_SUBSCRIPTS.sub(lambda word: unicodedata.normalize("NFKC", word[0]), text)
        if "·" in text or not text.translate(_AS_DIGITS).isidentifier():
            return None
    elif not text.isidentifier():
        return None
    return None if iskeyword(text) else text


def readable_length(text: str) -> int:
    """Return the number of characters at the start of a text that could stand in a name."""
    for position, character in enumerate(text):
        if character.isascii():
            readable = character.isalnum() or character == "_"
        else:
            readable = read_name("a" + character) is not None
        if not readable:
            return position
    return len(text)
