"""A part of a formula in LaTeX, with what decides how it may stand in a larger one."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    found = above.joined(f"\\frac{{{above.text}}}{{{below.text}}}", [above, below], Precedence.POWER)
    width = max(above.width, below.width) + 1
    return replace(found, fractions=found.fractions + 1, is_tall=True, is_raised=True, width=width)


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
        return Piece(f"\\text{{an array of }} {sizes}", width=20)
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
    found = Piece("").joined(f"{opening}{inside}{closing}", items)
    rank = None if any(item.rank is None for item in items) else found.rank + 1 if found.rank is not None else None
    return replace(found, rank=rank, cells=None if columns or not items else tuple(item.text for item in items))


def _matrix(items: Sequence[Piece], columns: int) -> Piece:
    dots = " & ".join([r"\vdots"] * columns)
    lines = [dots if item.cells is None else " & ".join(item.cells) for item in items]
    inside = r" \\ ".join(lines)
    found = Piece("").joined(f"\\begin{{bmatrix}} {inside} \\end{{bmatrix}}", items)
    widest = max(item.width for item in items)
    return replace(found, rank=2, is_tall=True, width=widest + 2)
