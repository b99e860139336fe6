"""The names of students: which spellings are of one student."""

from __future__ import annotations

from unicodedata import category, normalize


def identity(name: str) -> str:
    """Return the form that all spellings of a student's name share.

    They may differ in case, in spaces at the ends and between words, in invisible characters, and in whether an accent
    is a character of its own (NFC and NFD): file systems and forms change all of these. No more is folded: `Weiß` and
    `Weiss`, `x²` and `x2` are two students, whom a full case folding or NFKC would take for one.
    """
    if name.isascii():
        return " ".join(name.lower().split())
    letters = (c for c in normalize("NFD", name) if category(c) != "Cf")
    return " ".join(normalize("NFC", "".join(map(_folded, letters))).split())


def _folded(letter: str) -> str:
    folded = letter.casefold()
    return folded if len(folded) == 1 else letter.lower()
