"""Numbers that a program gives: in rows, of which the ends may be filled."""

from __future__ import annotations

from typing import Any

import numpy as np


def flat(value: Any) -> Any:
    """Return numbers in a row; none for anything else, which a program may leave in their place."""
    return np.ravel(value) if getattr(value, "dtype", np.dtype(object)).kind in "fiub" else np.empty(0)


def rows(table: Any, count: int, width: int) -> list[Any]:
    """Return the rows of a table without what fills them; empty ones for anything else that stands in its place."""
    if flat(table).size != count * width:
        return [np.empty(0)] * count
    return [unfilled(row) for row in flat(table).reshape(count, width)]


def unfilled(row: Any) -> Any:
    return row[: np.flatnonzero(row != np.inf)[-1:].sum() + 1]


def shape_of(entries: Any) -> tuple[int, ...]:
    """Return the shape that stands before the entries of a result."""
    axes = int(entries[0]) if np.all(np.isfinite(entries[:1])) and entries.size else 0
    shape = entries[1 : axes + 1]
    return tuple(map(int, shape)) if np.all(np.isfinite(shape)) else ()
