"""Names as mathematicians write them, and any text such that LaTeX reads it as text and runs nothing.

`x1` is x_{1}, `theta` is \\theta, `W_hidden` is W_{\\text{hidden}}. No two names become the same symbol.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import chain, count

from gradcli.source import visible

_NAMES = """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi
    psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"""
_LETTERS = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", re.split(r"\s+", _NAMES), strict=True))
LONGEST = 24  # characters of a name
GREEK = frozenset(_LETTERS.values())
_LETTERS |= {"ς": "varsigma", "∂": "partial", "∇": "nabla", "ℓ": "ell"}

# What LaTeX and KaTeX both know, and in every font that a plain article has.
_ACCENTS = {"\u0300": "grave", "\u0301": "acute", "\u0302": "hat", "\u0303": "tilde", "\u0304": "bar",
            "\u0306": "breve", "\u0307": "dot", "\u0308": "ddot", "\u030a": "mathring", "\u030c": "check"}  # fmt: skip
_IN_TEXT = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
    "|": "$|$", '"': r"{''}", "-": "{-}", "'": "{'}", "`": "{`}", "·": r"$\cdot$", "→": r"$\to$", "…": r"$\ldots$",
    "←": r"$\gets$", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "×": r"$\times$", "−": "$-$", "≤": r"$\le$",
    "≥": r"$\ge$", "≠": r"$\neq$", "∞": r"$\infty$", "±": r"$\pm$", "²": "$^2$", "³": "$^3$", "“": "``", "”": "''",
    "’": "'", "–": "--", "\n": " ", "↦": r"$\mapsto$",
} | {c: f"\\{c}" for c in "%_#$&{}"}  # fmt: skip
_IN_TEXT |= {c: f"$_{n}$" for n, c in zip("0123456789", "₀₁₂₃₄₅₆₇₈₉", strict=True)}
_LATIN = re.compile("[À-ÏÑ-ÖØ-Ýß-ïñ-öø-ýÿ]")
_PARTS = re.compile(r"(?P<base>[^\W\d_₀-₉]+)(?P<index>[0-9₀-₉]*)(?P<rest>(?:_[^\W_]+)*)_?")


def escaped(text: str) -> str:
    """Return a text for LaTeX's text mode: in each of its characters nothing but that character."""
    return "".join(map(_character, visible(text)))


def _character(character: str) -> str:
    if character in _IN_TEXT:
        return _IN_TEXT[character]
    if character.isascii() or _LATIN.match(character):
        return character
    if character in _LETTERS:
        return f"$\\{_LETTERS[character]}$"
    base, *marks = list(unicodedata.normalize("NFD", character))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        return f"${_accented(base, marks)}$"
    return f"[U+{ord(character):04X}]"  # a letter of a script that a plain article cannot set


def _accented(base: str, marks: Iterable[str]) -> str:
    for mark in marks:
        base = f"\\{_ACCENTS[mark]}{{{base}}}"
    return base


class Symbols:
    """The symbols of the names of one document: each name keeps its own, the first come the plainest."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._symbols: dict[str, str] = {}
        self._taken: set[str] = set()
        for name in names:
            self[name]

    def __getitem__(self, name: str) -> str:
        if name not in self._symbols:
            choices = chain([symbol(name), in_text(name)], (in_text(name, f" no. {n}") for n in count(2)))
            found = next(choice for choice in choices if choice not in self._taken)
            self._symbols[name] = found
            self._taken.add(found)
        return self._symbols[name]

    def has(self, symbol: str) -> bool:
        """Return whether a name has this symbol."""
        return symbol in self._taken


def in_text(name: str, more: str = "") -> str:
    """Return a name in upright letters, as it is spelled, and more text; of a long name the beginning."""
    spelled = escaped(name) if len(name) <= LONGEST else f"{escaped(name[:LONGEST])}\\ldots"
    return f"\\text{{{spelled}{more}}}"


def symbol(name: str) -> str:
    """Return the symbol for a name; a name that has none is its own text."""
    parts = _PARTS.fullmatch(name)
    base = _base(parts["base"]) if parts else None
    if parts is None or base is None or len(name) > LONGEST:
        return in_text(name)
    index = "".join(str(unicodedata.digit(digit)) for digit in parts["index"])
    below = [index] if index else []
    below.extend(_below(part) for part in parts["rest"].split("_")[1:])
    return f"{base}_{{{','.join(below)}}}" if below else base


def _base(letters: str) -> str | None:
    """Return the symbol of a word without digits: a letter, a Greek one, or the word."""
    if letters in GREEK:
        return f"\\{letters}"
    if letters in _LETTERS:
        return f"\\{_LETTERS[letters]}"
    base, *marks = list(unicodedata.normalize("NFD", letters))
    if base.isascii() and all(mark in _ACCENTS for mark in marks):  # one letter, with or without accents
        return _accented(base, marks)
    return f"\\mathit{{{letters}}}" if letters.isascii() else None


def _below(part: str) -> str:
    """Return a subscript: a number, a letter, or several indices as they are, a word as text."""
    if re.fullmatch("[0-9]+|[ijklmn]{2,3}", part):
        return part
    found = _base(part) if part.isalpha() else None
    return f"\\text{{{escaped(part)}}}" if found is None or found.startswith("\\mathit") else found
