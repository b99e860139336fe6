"""Equations below each other with their equals signs aligned; one that is too wide goes on below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from gradcli.facts import dataclass
from gradcli.render.latex.pieces import WIDEST, Piece, letters

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
        return self.left.width + sum(side.width + 2 for side in self.told)

    @property
    def told(self) -> list[Piece]:
        """The sides that are written."""
        return told_once(self.left, self.sides)

    @property
    def is_high(self) -> bool:
        """Whether its left side stands above the others, as there is no room beside it."""
        return bool(self.told) and self.left.width + min(self.told[0].width, WIDEST // 2) > WIDEST

    @property
    def columns(self) -> tuple[int, int]:
        """About how wide it is before and after its equals signs, in letters."""
        right = [min(side.width, WIDEST) + 2 for side in self.told]
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
        sides = self.told
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


def told_once(left: Piece, sides: Sequence[Piece | None]) -> list[Piece]:
    """Return the sides that fit a line, without one that repeats the first quantity, or the side before it.

    Where none fits, dots stand for them.
    """
    found = [left]
    for side in sides:
        if side is not None and side.text not in ("", found[-1].text) and not is_too_wide(side):
            found.append(side)
    if len(found) == 1 and any(side is not None and is_too_wide(side) for side in sides):
        return [Piece(r"\cdots", width=3)]
    return found[1:]


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
    widest = min(max(one.width for one in equations), WIDEST)
    has_room = widest + max(len(one.remark) for one in equations) <= LINE
    lines = [line for equation in equations for line in equation.lines(has_room=has_room)]
    apart = (r" \\[3pt]" if "frac" in line else r" \\" for line in lines)  # fractions touch each other
    body = "\n".join(f"  {line}{end}" for line, end in zip(lines, (*list(apart)[:-1], ""), strict=True))
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
