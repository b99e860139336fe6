"""Equations below each other with their equals signs aligned; one that is too wide goes on below."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradcli.render.latex.pieces import Piece, letters

WIDEST = 52  # letters of an equation on one line
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
        return self.left.width + sum(side.width + 2 for side in told_once(self.left, self.sides))

    def lines(self, *, has_room: bool = True) -> Iterator[str]:
        """Yield its lines; without room for remarks they stand below."""
        if self.remark and not has_room:
            yield from replace(self, remark="").lines()
            yield rf"& \quad {self.remark}"
            return
        sides = told_once(self.left, self.sides)
        if not sides:
            yield f"& {self.left.text}"
            return
        width = self.width
        remark = f" && {self.remark}" if self.remark else ""
        if width <= WIDEST and not self.stacked:
            joined = " = ".join(side.text for side in sides)
            yield f"{self.left.text} &{self.sign} {joined}{remark}"
            return
        for number, side in enumerate(sides):
            start = f"{self.left.text if number == 0 else ''} &{self.sign if number == 0 else '='} ".lstrip()
            first, *more = broken(side)
            yield f"{start}{first}{remark if number == 0 else ''}"
            yield from (rf"&\quad {line}" for line in more)


def told_once(left: Piece, sides: Sequence[Piece | None]) -> list[Piece]:
    """Return the sides that fit a line, without one that repeats the first quantity, or the side before it."""
    found = [left]
    for side in sides:
        if side is not None and side.text not in ("", found[-1].text) and not is_too_wide(side):
            found.append(side)
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
    """Return an `align*`; nothing where there is no equation."""
    found = list(equations)
    widest = min(max((one.width for one in found), default=0), WIDEST)
    has_room = widest + max((len(one.remark) for one in found), default=0) <= LINE
    lines = [line for equation in found for line in equation.lines(has_room=has_room)]
    if not lines:
        return ""
    apart = (r" \\[3pt]" if "frac" in line else r" \\" for line in lines)  # fractions touch each other
    body = "\n".join(f"  {line}{end}" for line, end in zip(lines, (*list(apart)[:-1], ""), strict=True))
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
