"""Names in formulas: spellings of the program's names and of functions, and products of names without a sign."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from unicodedata import name as name_of

import numpy as np

from gradcli.engine.primitive import REGISTRY
from gradcli.engine.symbolic.formula import Formula, as_formula
from gradcli.homework.submission.plain.tokens import SUBSCRIPTS
from gradcli.language.catalogue import FAMILY_OF
from gradcli.language.tree import Expression, Name
from gradcli.ops.support.surface import OPERATIONS

OTHER_NAMES = """
ln=log tg=tan sen=sin senh=sinh arcsen=asin arctg=arctan cosec=csc ctg=cot lg=log10 sgn=sign tr=trace inv=inverse
arcsin=asin arccos=acos arctan=atan determinant=det diagonalmatrix=diag Σ=sum log_2=log2 log_10=log10 identitymatrix=eye
"""  # of functions
ALIASES = dict(pair.split("=") for pair in OTHER_NAMES.split())
EXPANDED = {  # functions that the language does not have
    "sec": "1/cos(z)",
    "csc": "1/sin(z)",
    "cot": "cos(z)/sin(z)",
    "sech": "1/cosh(z)",
    "csch": "1/sinh(z)",
    "coth": "cosh(z)/sinh(z)",
    "vec": "ravel(z.T)",
}
SHORT_FOR = {"lamda": "lambda", "lam": "lambda", "lmbda": "lambda", "eps": "epsilon", "varepsilon": "epsilon"}
INDEX_LETTERS = "ijklmnpqrst"  # of indices
INDEXED = re.compile(rf"(?P<base>[^\W_]\w*?)_(?P<index>[{INDEX_LETTERS}]{{1,3}})")
SUM = re.compile(rf"(?:Σ|sum)_(?P<index>[{INDEX_LETTERS}]{{0,3}})|Σ|sum")
SIGMOIDS = ("σ", "sigma", "sig", "logistic", "logisticsigmoid")
LOST = re.compile(r"(?P<base>[^\W\d]+)(?P<power>[2-9])")  # x2 for x²
UNARY = frozenset(  # may be written without brackets
    ("sin", "cos", "tan", "exp", "log", "sqrt", "sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "asin", "acos",
     "atan", "sigmoid", "relu", "abs", "log10", "log2", "sec", "csc", "cot", "coth", "sech", "csch", "softplus")
)  # fmt: skip


def indexed(name: str, names: Collection[str]) -> tuple[str, str]:
    """Return the name of the program and the indices that a name is made of, `x_ij`; two empty texts for others."""
    match = INDEXED.fullmatch(name)
    if match is None or name in names or matching(name, names):
        return "", ""
    base = match["base"] if match["base"] in names else matching(match["base"], names)
    if not base and match["base"] in ("δ", "delta") and len(match["index"]) == 2:
        base = "δ"
    return (base, match["index"]) if base else ("", "")


def is_function(name: str) -> bool:
    return name in FAMILY_OF or name in EXPANDED


def derivative_of(name: str) -> Expression:
    """Return the derivative of a function of one number at `z`, by its rule: `cos(z)` for `sin`."""
    primitive, z = REGISTRY[OPERATIONS[name].name], Formula(Name("z"), np.float64(0.5))
    (rule,) = filter(None, primitive.rules)
    return rule(as_formula(np.float64(1)), primitive(z), z).tree  # type: ignore[no-any-return]


def matching(name: str, names: Collection[str]) -> str:
    """Return the one name of the program that a name is a spelling of; "" where none or several are."""
    close = [known for known in names if folded(known) == folded(name)]
    return close[0] if len(close) == 1 else ""


@lru_cache(2**12)
def spelled(name: str, names: frozenset[str], *, calls: bool) -> list[str]:
    """Return the names of the language that a word is made of; the word itself where it is none of them."""
    close, function = matching(name, names), function_of(name)
    if close and (not calls or spelling(name[0]) != name[0]) and (name.lower() == name or function not in UNARY):
        return [close]
    if function and (calls or function in UNARY):
        return [function]
    if name in ("e", "pi"):
        return [name]
    for start in range(len(name) - 1, 0, -1) if len(name) <= 24 else ():
        last = function_of(name[start:])
        if last and (calls or last in UNARY):
            parts = split(name[:start], names)
            if parts:
                return [*parts, last]
    lost = LOST.fullmatch(name)
    if lost and lost["base"] in names:
        return [f"{lost['base']}**{lost['power']}"]
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
            [[*way, word] for start in range(end) if (word := part(name[start:end], known)) for way in ways[start]][:2]
        )
    return ways[-1][0] if len(ways) > 1 and len(ways[-1]) == 1 else []


def part(text: str, known: frozenset[str]) -> str:
    """Return the name that a part of a word is, also by the letter for a Greek name; "" for none."""
    return text if text in known else "" if text.isascii() else matching(text, known)


@lru_cache(2**12)
def folded(name: str) -> str:
    """Return the form that spellings of a name share: `x₁`, `x_1` and `x1`; `θ` and `theta`; `W` and `w`."""
    letters = "".join(spelling(letter) for letter in name.translate(SUBSCRIPTS).replace("_", "")).lower()
    return SHORT_FOR.get(letters, letters)


def spelling(letter: str) -> str:
    words = name_of(letter, "").split() if not letter.isascii() else []
    return words[-1].lower() if len(words) == 4 and words[0] == "GREEK" else letter
