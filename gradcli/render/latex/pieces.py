"""A part of a formula in LaTeX, with what decides how it may stand in a larger one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.explanation.model import Unkept
from gradcli.facts import dataclass
from gradcli.language.literals import spelled
from gradcli.language.unparser import Precedence
from gradcli.render.text.numbers import PRECISION, short
from gradcli.render.text.numbers import number as rounded

SMALL = 0.6  # of the width of a letter, in a subscript


@dataclass(frozen=True, slots=True)
class Piece:
    """A formula: how tightly it binds, about how many letters wide, how deep its groups nest.

    `rank` is its number of dimensions, None where that is not known. It `is_raised` if an exponent ends it, a number,
    or a word of several letters. A `function` is a name and the argument in brackets; a sum has its `terms`, a
    list its `cells`.
    """

    text: str
    level: Precedence = Precedence.PRIMARY
    width: int = 1
    depth: int = 0
    fractions: int = 0
    rank: int | None = 0
    is_tall: bool = False
    is_raised: bool = False
    is_number: bool = False
    function: tuple[str, str] | None = None
    terms: tuple[str, ...] = ()
    cells: tuple[str, ...] | None = None

    @property
    def is_word(self) -> bool:
        return self.text.startswith((r"\mathit", r"\text"))

    def joined(
        self, text: str, parts: Sequence[Piece], level: Precedence = Precedence.PRIMARY, rank: int | None = -1
    ) -> Piece:
        """Return a larger formula made of parts, with the text given; its rank is the largest unless one is given."""
        if rank == -1:
            ranks = [part.rank for part in parts]
            rank = None if None in ranks else max((rank for rank in ranks if rank is not None), default=0)
        return Piece(
            text,
            level,
            width=sum(part.width for part in parts) + len(parts),
            depth=1 + max((part.depth for part in parts), default=0),
            fractions=max((part.fractions for part in parts), default=0),
            rank=rank,
            is_tall=any(part.is_tall for part in parts),
        )

    def at(self, loosest: Precedence) -> Piece:
        """Return the formula, in brackets where it binds less tightly than its place asks for."""
        return self.bracketed() if self.level < loosest else self

    def bracketed(self) -> Piece:
        return in_brackets(self.text, [self])

    def raised(self) -> Piece:
        return replace(self, is_raised=True)

    def ungrouped(self) -> Piece:
        """Return the formula as one that is written side by side and opens no group of TeX."""
        return replace(self, depth=self.depth - 1)


def letters(text: str) -> int:
    """Return about how many letters wide a symbol is."""
    spelled = re.sub(r"\\[^a-zA-Z]", "x", text)
    plain, *below = re.split(r"_\{((?:[^{}]|\{[^{}]*\})*)\}", re.sub(r"\\(?:mathit|text|operatorname)\b", "", spelled))
    large, small = "".join([plain, *below[1::2]]), "".join(below[::2])
    sizes = [len(re.sub("[{}$_^]", "", re.sub(r"\\[a-zA-Z]+ ?", "x", part))) for part in (large, small)]
    return max(1, round(sizes[0] + SMALL * sizes[1]))


def fraction(above: Piece, below: Piece) -> Piece:
    piece = above.joined(f"\\frac{{{above.text}}}{{{below.text}}}", [above, below], Precedence.POWER)
    width = max(above.width, below.width) + 1
    return replace(piece, fractions=piece.fractions + 1, is_tall=True, is_raised=True, width=width)


def in_brackets(text: str, parts: Sequence[Piece]) -> Piece:
    """Return a text in round brackets as high as it."""
    opening, closing = (r"\left(", r"\right)") if any(part.is_tall for part in parts) else ("(", ")")
    return Piece("").joined(f"{opening}{text}{closing}", parts)


MOST = 6  # rows and columns
WIDEST = 52  # letters of an equation on one line
ENOUGH = 4  # significant digits of the entries of an array that would be wider
DOTS = Piece(r"\cdots")
_WORDS = {"inf": r"\infty", "-inf": r"-\infty", "nan": r"\text{nan}", "True": r"\text{True}", "False": r"\text{False}"}


def number(value: int | float) -> Piece:
    """Return a number of a formula, with the digits that were typed."""
    return _written(spelled(value))


def value(given: Any, precision: int = PRECISION) -> Piece:
    """Return a number or an array with so many digits."""
    if isinstance(given, Unkept):
        return Piece(f"\\text{{{short(given)}}}", width=20)
    array = np.asarray(given)
    if array.ndim == 0:
        return _written(rounded(array[()], precision))
    if array.ndim > 3:
        sizes = r" \times ".join(map(str, array.shape))
        if array.size != math.prod(array.shape[-2:]):
            return Piece(f"\\text{{an array of }} {sizes}", width=20)
        matrix = value(array.reshape(array.shape[-2:]), precision)  # such as an image of one channel
        return replace(matrix, text=f"{matrix.text}_{{{sizes}}}")
    entries = _entries(array, precision)
    return entries if entries.width <= WIDEST or precision <= ENOUGH else _entries(array, ENOUGH)


def _entries(array: Any, precision: int) -> Piece:
    if array.ndim == 0:
        return _written(rounded(array[()], precision))
    return listed([None if i is None else _entries(array[i], precision) for i in shown(len(array))])


def _written(text: str) -> Piece:
    if text in _WORDS:
        level = Precedence.SIGNED if text.startswith("-") else Precedence.PRIMARY
        return Piece(_WORDS[text], level, width=3, is_number=True)
    digits, _, exponent = text.partition("e")
    level = Precedence.SIGNED if text.startswith("-") else Precedence.PRIMARY
    if not exponent:
        return Piece(text, level, width=len(text), is_number=True)
    power = f"10^{{{int(exponent)}}}"
    sign = "-" if digits.startswith("-") else ""
    written = f"{sign}{power}" if digits.removeprefix("-") in ("1", "1.0") else f"{digits} \\cdot {power}"
    if level == Precedence.PRIMARY:
        level = Precedence.PRODUCT if "cdot" in written else Precedence.POWER
    return Piece(written, level, width=len(text) + 1, is_number=True, is_raised=True)


def shown(count: int) -> list[int | None]:
    """Return the positions of a list that are written; None stands for the others."""
    return list(range(count)) if count <= MOST else [0, 1, 2, None, count - 1]


def listed(parts: Sequence[Piece | None]) -> Piece:
    """Return the parts of a list that are written as one; dots stand for None."""
    items = [DOTS if part is None else part for part in parts]
    rows = [item.cells for item in items if item is not DOTS]
    columns = len(rows[0] or ()) if rows else 0
    if columns and all(row is not None and len(row) == columns for row in rows):
        return _matrix(items, columns)
    opening, closing = (r"\left[", r"\right]") if any(item.is_tall for item in items) else ("[", "]")
    inside = r",\, ".join(item.text for item in items)
    piece = Piece("").joined(f"{opening}{inside}{closing}", items)
    rank = None if any(item.rank is None for item in items) else piece.rank + 1 if piece.rank is not None else None
    return replace(piece, rank=rank, cells=None if columns or not items else tuple(item.text for item in items))


def _matrix(items: Sequence[Piece], columns: int) -> Piece:
    dots = " & ".join([r"\vdots"] * columns)
    lines = [dots if item.cells is None else " & ".join(item.cells) for item in items]
    inside = r" \\ ".join(lines)
    piece = Piece("").joined(f"\\begin{{bmatrix}} {inside} \\end{{bmatrix}}", items)
    widest = max(item.width for item in items)
    return replace(piece, rank=2, is_tall=True, width=widest + 2)


# Equations below each other with their equals signs aligned; one that is too wide goes on below.


LINE = 74  # letters of a line with a remark at its end, as it is written


@dataclass(frozen=True)
class Equation:
    """One quantity and the sides of its equation; a remark stands at the right end of the line.

    It is `stacked` if each side stands on its own line.
    """

    left: Piece
    sides: Sequence[Piece | None]
    remark: str = ""
    stacked: bool = False
    sign: str = "="

    @property
    def width(self) -> int:
        """About how wide its first line is, in letters."""
        return self.left.width + sum(side.width + 2 for side in self.shown_sides)

    @property
    def shown_sides(self) -> list[Piece]:
        """The sides that are written."""
        return fitting_sides(self.left, self.sides)

    @property
    def is_high(self) -> bool:
        """Whether its left side stands above the others, as there is no room beside it."""
        return bool(self.shown_sides) and self.left.width + min(self.shown_sides[0].width, WIDEST // 2) > WIDEST

    @property
    def columns(self) -> tuple[int, int]:
        """About how wide it is before and after its equals signs, in letters."""
        right = [min(side.width, WIDEST) + 2 for side in self.shown_sides]
        if self.is_high or not right:
            return 0, max([self.left.width, *right])
        is_one = self.width <= WIDEST and not self.stacked
        return self.left.width, sum(right) if is_one else max(right)

    def lines(self, *, has_room: bool = True) -> Iterator[str]:
        """Yield its lines; without room for remarks they stand below."""
        if self.remark and not has_room:
            yield from replace(self, remark="").lines()
            yield rf"& \quad {self.remark}"
            return
        sides = self.shown_sides
        remark = f" && {self.remark}" if self.remark else ""
        if not sides:
            yield f"& {self.left.text}"
            return
        if self.width <= WIDEST and not self.stacked:
            joined = " = ".join(side.text for side in sides)
            yield f"{self.left.text} &{self.sign} {joined}{remark}"
            return
        starts = [f"{self.left.text} &{self.sign} ", *["&= "] * (len(sides) - 1)]
        if self.is_high:
            yield f"& {self.left.text}{remark}"
            remark = ""
            starts = [rf"&\quad {self.sign} ", *[r"&\quad = "] * (len(sides) - 1)]
        for start, side in zip(starts, sides, strict=True):
            first, *more = broken(side)
            yield f"{start}{first}{remark}"
            remark = ""
            yield from (rf"&\quad {line}" for line in more)


def fitting_sides(left: Piece, sides: Sequence[Piece | None]) -> list[Piece]:
    """Return the sides that fit a line, without one that repeats the first quantity, or the side before it.

    Where none fits, dots stand for them.
    """
    pieces = [left]
    for side in sides:
        if side is not None and side.text not in ("", pieces[-1].text) and not is_too_wide(side):
            pieces.append(side)
    if len(pieces) == 1 and any(side is not None and is_too_wide(side) for side in sides):
        return [Piece(r"\cdots", width=3)]
    return pieces[1:]


def is_too_wide(side: Piece) -> bool:
    """Return whether a formula is wider than a line and has no place to break it."""
    return max(map(letters, side.terms), default=side.width) > WIDEST < side.width


def broken(side: Piece) -> list[str]:
    """Return the lines of a formula: a wide sum is broken before its signs."""
    if side.width <= WIDEST or len(side.terms) < 2:
        return [side.text]
    widest = WIDEST * sum(map(len, side.terms)) // side.width  # in characters of LaTeX
    lines = [""]
    for term in side.terms:
        if lines[-1] and len(lines[-1]) + len(term) > widest:
            lines.append("")
        lines[-1] = f"{lines[-1]} {term}".strip()
    return lines


def aligned(equations: Iterable[Equation]) -> str:
    """Return an `align*`, or several where one would be too wide; nothing where there is no equation."""
    blocks: list[list[Equation]] = []
    widest = (0, 0)
    for equation in equations:
        left, right = map(max, widest, equation.columns)
        if not blocks or left + right > max(WIDEST, sum(equation.columns)):
            blocks.append([])
            left, right = equation.columns
        widest = left, right
        blocks[-1].append(equation)
    return "\n".join(filter(None, map(block, blocks)))


def block(equations: Sequence[Equation]) -> str:
    """Return an `align*`."""
    widest = min(max(equation.width for equation in equations), WIDEST)
    has_room = widest + max(len(equation.remark) for equation in equations) <= LINE
    lines = [line for equation in equations for line in equation.lines(has_room=has_room)]
    apart = (r" \\[3pt]" if "frac" in line else r" \\" for line in lines)  # fractions touch each other
    body = "\n".join(f"  {line}{end}" for line, end in zip(lines, (*list(apart)[:-1], ""), strict=True))
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
