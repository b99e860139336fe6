"""Lists as LaTeX: a row of numbers in square brackets, a list of equal rows as a matrix of up to six by six."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gradcli.render.latex.pieces import Piece

MOST = 6  # rows and columns
DOTS = Piece(r"\cdots")


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
