"""A part of a formula in LaTeX, with what decides how it may stand in a larger one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from gradcli.facts import dataclass
from gradcli.language.unparser import Precedence

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
