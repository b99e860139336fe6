"""Numbers and lists as LaTeX: exponents as powers of ten, lists of equal rows as matrices of up to six by six."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradcli.explanation.missing_values import Unkept
from gradcli.language.literals import spelled
from gradcli.language.unparser import Precedence
from gradcli.render.latex.pieces import Piece
from gradcli.render.text.numbers import PRECISION, short
from gradcli.render.text.numbers import number as rounded

MOST = 6  # rows and columns
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
    return _entries(array, precision)


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
