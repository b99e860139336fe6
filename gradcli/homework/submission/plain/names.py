"""Names in formulas: spellings of the program's names and of functions, and products of names without a sign."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import name as name_of

from gradcli.language.catalogue import FAMILY_OF

SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
ALIASES = {
    "ln": "log",
    "tg": "tan",
    "arctg": "arctan",
    "cosec": "csc",
    "lg": "log10",
    "sgn": "sign",
}
SIGMOIDS = ("σ", "sigma", "sig", "logistic")
UNARY = frozenset(  # may be written without brackets
    ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "asin", "acos",
     "atan", "sigmoid", "relu", "abs", "log10", "log2")
)  # fmt: skip


def is_function(name: str) -> bool:
    return name in FAMILY_OF


@lru_cache(2**12)
def spelled(name: str, names: frozenset[str], *, calls: bool) -> list[str]:
    """Return the names of the language that a word is made of; the word itself where it is none of them."""
    function = function_of(name)
    if function and (calls or function in UNARY):
        return [function]
    if name in ("e", "pi"):
        return [name]
    close = [known for known in names if folded(known) == folded(name)]
    if len(close) == 1 and not calls:
        return close
    for start in range(len(name) - 1, 0, -1) if len(name) <= 24 else ():
        last = function_of(name[start:])
        if last and (calls or last in UNARY):
            parts = split(name[:start], names)
            if parts:
                return [*parts, last]
    return split(name, names) or [name]


def function_of(name: str) -> str:
    for known in (name, name.lower()):
        known = ALIASES.get(known, known)
        if known in SIGMOIDS:
            return "sigmoid"
        if is_function(known):
            return known
    return ""


def split(name: str, names: frozenset[str]) -> list[str]:
    """Return the names of the program that a word consists of, if that is so in one way alone; else nothing."""
    known = names | {"e"} if len(name) > 1 else names
    ways: list[list[list[str]]] = [[[]]]
    for end in range(1, len(name) + 1 if len(name) <= 24 else 1):
        ways.append(
            [[*way, name[start:end]] for start in range(end) if name[start:end] in known for way in ways[start]][:2]
        )
    return ways[-1][0] if len(ways) > 1 and len(ways[-1]) == 1 else []


@lru_cache(2**12)
def folded(name: str) -> str:
    """Return the form that spellings of a name share: `x₁`, `x_1` and `x1`; `θ` and `theta`; `W` and `w`."""
    letters = [spelling(letter) for letter in name.translate(SUBSCRIPTS).replace("_", "")]
    return "".join(letters).lower()


def spelling(letter: str) -> str:
    words = name_of(letter, "").split() if not letter.isascii() else []
    return words[-1].lower() if len(words) == 4 and words[0] == "GREEK" else letter
