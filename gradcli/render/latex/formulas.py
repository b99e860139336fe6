"""From syntax tree to LaTeX, with the least parentheses; the counterpart of `language.unparser`.

A formula is put together from its parts upwards, so a tree that nobody would read is refused first: `written` gives
dots for one of more than `MOST` nodes, or that nests deeper than TeX or a reader can follow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import chain, count, islice

from gradcli.facts import dataclass
from gradcli.language.catalogue import operations_that_are
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Literal,
    Method,
    Name,
    Number,
    Slice,
    Tuple,
    Unary,
    fold,
    postorder,
)
from gradcli.language.unparser import Precedence
from gradcli.render.latex.pieces import Piece, fraction, in_brackets, letters, listed, number, shown
from gradcli.source import visible

# Functions as mathematicians write them: roots, logarithms, cases; of any other its name and arguments.


# Names as mathematicians write them, and any text such that LaTeX reads it as text and runs nothing.
#
# `x1` is x_{1}, `theta` is \theta, `W_hidden` is W_{\text{hidden}}. No two names become the same symbol.
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
    "’": "'", "–": "--", "\n": " ", "↦": r"$\mapsto$", "⊙": r"$\odot$", "⊗": r"$\otimes$",
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
            latex = next(choice for choice in choices if choice not in self._taken)
            self._symbols[name] = latex
            self._taken.add(latex)
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
    base = _base(part) if part.isalpha() else None
    return f"\\text{{{escaped(part)}}}" if base is None or base.startswith("\\mathit") else base


_NAMED = {name: f"\\{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "max", "min", "det", "log")} | {
    "asin": r"\arcsin", "arcsin": r"\arcsin", "acos": r"\arccos", "arccos": r"\arccos",
    "atan": r"\arctan", "arctan": r"\arctan", "log2": r"\log_{2}", "log10": r"\log_{10}",
    "erf": r"\operatorname{erf}", "trace": r"\operatorname{tr}", "sign": r"\operatorname{sign}",
}  # fmt: skip


def operator(name: str) -> str:
    """Return the name of a function, upright."""
    return f"\\operatorname{{{escaped(name)}}}"


def applied(name: str, parts: Sequence[Piece], keywords: Sequence[str | None], symbols: Symbols) -> Piece:
    """Return a function of its arguments, some of them by keyword."""
    special = _SPECIAL.get(name)
    if special is not None and not any(keywords) and not (name == "exp" and symbols.has("e")):
        count, write = special
        if count == len(parts):
            return write(*parts)
    is_sigma = name == "sigmoid" and not symbols.has(r"\sigma")
    written = r"\sigma" if is_sigma else _NAMED.get(name) or operator(name)
    texts = [
        part.text if keyword is None else f"\\text{{{escaped(keyword)}}}={part.text}"
        for part, keyword in zip(parts, keywords, strict=True)
    ]
    argument = in_brackets(", ".join(texts), parts)
    if name in operations_that_are("reducing"):
        rank = 0 if len(parts) == 1 else None
    else:
        rank = max((part.rank for part in parts if part.rank is not None), default=None) if parts else None
    piece = argument.joined(f"{written}{argument.text}", [argument], rank=rank)
    if not argument.is_tall and len(texts) > 1:  # the lines of a long one end after a comma
        terms = [f"{text}," for text in texts[:-1]]
        piece = replace(piece, terms=(f"{written}({terms[0]}", *terms[1:], f"{texts[-1]})"))
    width = piece.width + len(name) + sum(len(keyword) + 1 for keyword in keywords if keyword)
    return replace(piece, width=width, function=(written, argument.text))


def _around(opening: str, closing: str, *, rank: int | None = -1) -> Callable[[Piece], Piece]:
    def write(part: Piece) -> Piece:
        stretch = (r"\left", r"\right") if part.is_tall else ("", "")
        return part.joined(f"{stretch[0]}{opening} {part.text} {stretch[1]}{closing}", [part], rank=rank)

    return write


def _exponential(power: Piece) -> Piece:
    if power.fractions > 1 or power.width > 16:
        argument = in_brackets(power.text, [power])
        piece = argument.joined(f"\\exp{argument.text}", [argument])
        return replace(piece, function=(r"\exp", argument.text))
    return power.joined(f"\\mathrm{{e}}^{{{power.text}}}", [power]).raised()


def _root(part: Piece) -> Piece:
    return part.joined(f"\\sqrt{{{part.text}}}", [part])


def _cases(condition: Piece, then: Piece, otherwise: Piece) -> Piece:
    text = (
        f"\\begin{{cases}} {then.text} & \\text{{if }} {condition.text} \\\\"
        f" {otherwise.text} & \\text{{otherwise}} \\end{{cases}}"
    )
    piece = then.joined(text, [condition, then, otherwise])
    return replace(piece, is_tall=True, width=piece.width + 9, level=Precedence.COMPARISON)


def _raised(exponent: str) -> Callable[[Piece], Piece]:
    def write(part: Piece) -> Piece:
        base = part.at(Precedence.PRIMARY)
        base = base.bracketed() if base.is_raised else base
        return base.joined(f"{base.text}^{{{exponent}}}", [base]).raised()

    return write


_ABSOLUTE = _around(r"\lvert", r"\rvert")
_SPECIAL: Mapping[str, tuple[int, Callable[..., Piece]]] = {
    "exp": (1, _exponential),
    "sqrt": (1, _root),
    "abs": (1, _ABSOLUTE),
    "absolute": (1, _ABSOLUTE),
    "norm": (1, _around(r"\lVert", r"\rVert", rank=0)),
    "floor": (1, _around(r"\lfloor", r"\rfloor")),
    "ceil": (1, _around(r"\lceil", r"\rceil")),
    "where": (3, _cases),
    "t": (1, _raised(r"\top")),
    "inv": (1, _raised("-1")),
    "inverse": (1, _raised("-1")),
}


MOST = 400  # nodes of a formula
DEEPEST = 24  # groups of TeX within each other, which allows 255 in all
FRACTIONS = 2  # fractions within each other; below these a slash divides
DOTS = r"\cdots"
_LETTERED = (r"\sin", r"\cos", r"\tan", r"\log", r"\sigma")  # whose powers are written sin²(x)
_RELATIONS = {"<": "<", "<=": r"\le", ">": ">", ">=": r"\ge", "==": "=", "!=": r"\neq"}


@dataclass(frozen=True)
class Writer:
    """Writes formulas with the symbols of a document; `ranks` are the dimensions of the tensors that have names."""

    symbols: Symbols
    ranks: Mapping[str, int]

    def name(self, name: str) -> Piece:
        symbol = self.symbols[name]
        return Piece(symbol, width=letters(symbol), rank=self.ranks.get(name, 0))

    def formula(self, tree: Expression, rename: Mapping[str, Piece] | None = None) -> Piece:
        """Return a formula; `rename` gives other formulas for some names."""
        if sum(1 for _ in islice(postorder(tree), MOST + 1)) > MOST:
            return Piece(DOTS, width=3)
        piece = fold(tree, lambda node, parts: self._combined(node, parts, rename or {}))
        return Piece(DOTS, width=3) if piece.depth > DEEPEST else piece

    def _combined(self, node: Expression, parts: Sequence[Piece], rename: Mapping[str, Piece]) -> Piece:
        if any(part.depth > DEEPEST for part in parts):
            return parts[0] if parts[0].depth > DEEPEST else next(part for part in parts if part.depth > DEEPEST)
        match node:
            case Name():
                return rename[node.id] if node.id in rename else self.name(node.id)
            case Number():
                return number(node.value)
            case Literal():
                return Piece(r"\ldots" if node.value is ... else f"\\text{{{escaped(str(node.value))}}}", width=4)
            case Unary():
                return _prefixed(node.operator, parts[0])
            case Binary():
                return _BINARY[node.operator](*parts)
            case Compare():
                text = f"{parts[0].text} {_RELATIONS[node.operator]} {parts[1].text}"
                return parts[0].joined(text, parts, Precedence.COMPARISON)
            case Call():
                return applied(node.function, parts, _keywords(node.arguments), self.symbols)
            case Method():
                return applied(node.name, parts, (None, *_keywords(node.arguments)), self.symbols)
            case Attribute():
                return _attribute(node.name, parts[0])
            case Index():
                inside = ", ".join(part.text for part in parts[1:])
                return parts[0].joined(f"{parts[0].at(Precedence.PRIMARY).text}[{inside}]", parts)
            case Slice():
                return _slice(node, parts)
            case List():
                return listed([None if place is None else parts[place] for place in shown(len(parts))])
            case Tuple():
                return in_brackets(", ".join(part.text for part in parts), parts)
        raise TypeError(f"not an expression: {type(node).__name__}")


def _keywords(arguments: Sequence[Argument]) -> tuple[str | None, ...]:
    return tuple(argument.keyword for argument in arguments)


def _prefixed(sign: str, operand: Piece) -> Piece:
    inner = operand.at(Precedence.SIGNED if not operand.text.startswith(("-", "+")) else Precedence.PRIMARY)
    return inner.joined(f"{sign}{inner.text}", [inner], Precedence.SIGNED)


def _sum(sign: str, left: Piece, right: Piece) -> Piece:
    """Return a sum; the breaks of a long one are after its terms."""
    right = right.at(Precedence.PRODUCT)
    if right.text.startswith(("-", "+")):
        right = right.at(Precedence.PRIMARY)
    terms = (
        (*left.terms, f"{sign} {right.text}") if left.level == Precedence.SUM else (left.text, f"{sign} {right.text}")
    )
    piece = left.joined(f"{left.text} {sign} {right.text}", [left, right], Precedence.SUM)
    return replace(piece, terms=terms).ungrouped()


def _product(left: Piece, right: Piece) -> Piece:
    """Return a product: side by side, with a dot before a number, a circled dot between tensors."""
    left, right = left.at(Precedence.PRODUCT), right.at(Precedence.POWER)
    if left.rank and right.rank:
        joint = r" \odot "
    elif right.is_number or left.is_word or right.is_word or right.text.startswith("(-"):
        joint = r" \cdot "
    else:
        joint = r"\,"
    return multiplied([left, right], joint)


def multiplied(factors: Sequence[Piece], joint: str = r" \cdot ") -> Piece:
    """Return a product of factors with a sign between."""
    factors = [factors[0].at(Precedence.PRODUCT), *(factor.at(Precedence.POWER) for factor in factors[1:])]
    if len(factors) == 1:
        return factors[0]
    piece = factors[0].joined(joint.join(x.text for x in factors), factors, Precedence.PRODUCT).ungrouped()
    sign = r"\cdot" if joint == r"\," else joint.strip()  # at the beginning of a line there is one
    first = factors[0].terms if factors[0].level == Precedence.PRODUCT else ()
    return replace(piece, terms=(*(first or [factors[0].text]), *(f"{sign} {x.text}" for x in factors[1:])))


def added(terms: Sequence[Piece]) -> Piece:
    """Return a sum; a negative term after the first stands in brackets."""
    return reduce(lambda left, right: _sum("+", left, right), terms)


def _matrix_product(left: Piece, right: Piece) -> Piece:
    left, right = left.at(Precedence.PRODUCT), right.at(Precedence.POWER)
    if left.rank == right.rank == 1:
        base = left.at(Precedence.PRIMARY)
        base = base.bracketed() if base.is_raised else base
        return base.joined(f"{base.text}^{{\\top}} {right.text}", [left, right], Precedence.PRODUCT, rank=0)
    rank = None if left.rank is None or right.rank is None else max(left.rank + right.rank - 2, 0)
    joint = r" \cdot " if left.is_word or right.is_word else r"\,"
    return left.joined(f"{left.text}{joint}{right.text}", [left, right], Precedence.PRODUCT, rank=rank)


def _quotient(above: Piece, below: Piece) -> Piece:
    """Return a fraction; inside other fractions one on a line."""
    if max(above.fractions, below.fractions) < FRACTIONS:
        return fraction(above, below)
    above, below = above.at(Precedence.PRODUCT), below.at(Precedence.POWER)
    return above.joined(f"{above.text} / {below.text}", [above, below], Precedence.PRODUCT)


def _power(base: Piece, exponent: Piece) -> Piece:
    is_lettered = base.function is not None and base.text.startswith(_LETTERED)
    if base.function is not None and is_lettered and exponent.is_number and not exponent.text.startswith("-"):
        name, argument = base.function
        text = f"{name}^{{{exponent.text}}}{argument}"
    else:
        base = base.at(Precedence.PRIMARY)
        base = base.bracketed() if base.is_raised or is_lettered else base
        each = r"\circ " if (base.rank or 0) > 1 else ""  # of each entry, not of the matrix
        text = f"{base.text}^{{{each}{exponent.text}}}"
    return base.joined(text, [base, exponent], Precedence.POWER).raised()


def _floor(left: Piece, right: Piece) -> Piece:
    inner = _quotient(left, right)
    return inner.joined(f"\\left\\lfloor {inner.text} \\right\\rfloor", [inner])


def _remainder(left: Piece, right: Piece) -> Piece:
    left, right = left.at(Precedence.PRODUCT), right.at(Precedence.POWER)
    return left.joined(f"{left.text} \\bmod {right.text}", [left, right], Precedence.PRODUCT)


_BINARY = {
    "+": lambda left, right: _sum("+", left, right),
    "-": lambda left, right: _sum("-", left, right),
    "*": _product,
    "/": _quotient,
    "**": _power,
    "@": _matrix_product,
    "//": _floor,
    "%": _remainder,
}


def _attribute(name: str, of: Piece) -> Piece:
    of = of.at(Precedence.PRIMARY)
    if name in ("T", "mT", "H", "mH"):
        of = of.bracketed() if of.is_raised else of
        return of.joined(f"{of.text}^{{\\top}}", [of]).raised()
    return of.joined(f"{of.text}.{operator(name)}", [of])


def _slice(node: Slice, parts: Sequence[Piece]) -> Piece:
    waiting = iter(parts)
    bounds = (node.start, node.stop) if node.step is None else (node.start, node.stop, node.step)
    return Piece("{:}".join("" if bound is None else next(waiting).text for bound in bounds), width=3)
