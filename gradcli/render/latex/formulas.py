"""From syntax tree to LaTeX, with the least parentheses; the counterpart of `language.unparser`.

A formula is put together from its parts upwards, so a tree that nobody would read is refused first: `written` gives
dots for one of more than `MOST` nodes, or that nests deeper than TeX or a reader can follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import islice

from gradcli.facts import dataclass
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
from gradcli.render.latex.functions import Symbols, applied, escaped, operator
from gradcli.render.latex.pieces import Piece, fraction, in_brackets, letters, listed, number, shown

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
        found = fold(tree, lambda node, parts: self._combined(node, parts, rename or {}))
        return Piece(DOTS, width=3) if found.depth > DEEPEST else found

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
    found = left.joined(f"{left.text} {sign} {right.text}", [left, right], Precedence.SUM)
    return replace(found, terms=terms).ungrouped()


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
    found = factors[0].joined(joint.join(x.text for x in factors), factors, Precedence.PRODUCT).ungrouped()
    sign = r"\cdot" if joint == r"\," else joint.strip()  # at the beginning of a line there is one
    first = factors[0].terms if factors[0].level == Precedence.PRODUCT else ()
    return replace(found, terms=(*(first or [factors[0].text]), *(f"{sign} {x.text}" for x in factors[1:])))


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
