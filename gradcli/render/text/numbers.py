"""Numbers as people read them: a few digits, of an array what fits on a line, and small matrices as grids."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.explanation.model import Unkept
from gradcli.render.text.looks import Looks

PRECISION = 6  # significant digits
WIDTH = 60  # characters of a value on a line
ENDLESS = 10_000  # entries of an array, however many are asked for
MOST = 6  # rows and columns of a matrix that is written whole
WHOLE = 1e12  # below this, whole numbers keep all their digits


def number(value: Any, precision: int = PRECISION) -> str:
    """One number: `14`, `0.333333`, `1e-07`, `nan`, `-inf`, `True`; whole numbers are not rounded below `WHOLE`."""
    if isinstance(value, bool | int | np.bool_ | np.integer):
        return str(value)
    if isinstance(value, np.floating) and value.itemsize < 8:
        value = str(value)  # numpy's shortest digits; as a double, 0.1 would be 0.10000000149011612
    value = float(value) + 0.0  # a zero without its sign, which means nothing to a reader
    if abs(value) < WHOLE and value.is_integer():
        return f"{value:.0f}"
    if precision > 15 and math.isfinite(value):
        return repr(value).removesuffix(".0")  # never digits that are not there: 0.1 and not 0.10000000000000001
    return f"{value:.{precision}g}"


def short(value: Any, precision: int = PRECISION, *, ascii: bool = False, width: int = WIDTH) -> str:
    """A value on a line: a number, a small array in full, or the first entries and the shape of a large one.

    `[[1, 2], [3, 4]]` and `[[0.1, 0.2, 0.3, …], …] shape (100, 200)`. The time does not depend on the size.
    """
    if isinstance(value, Unkept):
        return f"shape {value.shape}" if value.ndim else "not kept"
    if np.ndim(value) == 0:
        return number(value[()] if isinstance(value, np.ndarray) else value, precision)
    array = np.asarray(value)
    if array.size == 0:
        return "[]" if array.ndim == 1 else f"[] shape {array.shape}"
    if array.size <= width // 3:  # an entry takes a digit, a comma and a space
        text = _whole(array, precision)
        if len(text) <= width:
            return text
    return _beginning(array, precision, "..." if ascii else "…", width)


def grid(value: Any, looks: Looks, width: int = WIDTH) -> str:
    """A value on a line where it fits, a matrix else in aligned rows; of a large one the corners and the shape.

    Every entry of it where the whole is asked for, up to `ENDLESS` of them.
    """
    if isinstance(value, Unkept) or not np.ndim(value) or not np.size(value):
        return short(value, looks.precision, ascii=looks.ascii, width=width)
    array = np.asarray(value)
    if (looks.whole and array.size <= ENDLESS) or (array.ndim < 3 and max(array.shape) <= MOST):
        text = _whole(array, looks.precision)
        half = width if looks.width is None else min(width, looks.width // 2)
        return text if array.ndim == 1 or len(text) <= half else _rows(array, looks.precision)
    if array.ndim != 2:
        return short(array, looks.precision, ascii=looks.ascii, width=width)
    rows, columns = (np.r_[:2, -1] if length > MOST else np.r_[:length] for length in array.shape)
    return f"{_rows(array[np.ix_(rows, columns)], looks.precision, looks.ellipsis, array.shape)} shape {array.shape}"


def _rows(array: Any, precision: int, dots: str = "", shape: Sequence[int] = ()) -> str:
    """Return a row on each line, with as many brackets as begin and end there, and dots where the shape has more."""
    lines = array.reshape(-1, array.shape[-1])
    columns = [_aligned([number(entry, precision) for entry in column]) for column in lines.T]
    is_wide = shape and shape[-1] > len(columns)
    heads = [1 + _turns(place, array.shape[:-1]) for place in range(len(lines) + 1)]
    written = []
    for place, entries in enumerate(zip(*columns, strict=True)):
        parts = [*(f"{entry.rstrip()},{entry[len(entry.rstrip()) :]}" for entry in entries[:-1]), entries[-1].rstrip()]
        if is_wide:
            parts.insert(-1, f"{dots},")
        opening = "[" * heads[place]
        written.append(f"{opening:>{array.ndim}}{' '.join(parts)}{']' * heads[place + 1]}")
    if shape and shape[0] > len(lines):
        written.insert(-1, f" {dots}")
    return ",\n".join(written)


def _turns(place: int, shape: Sequence[int]) -> int:
    """Return how many of the lists with rows begin at a row: all at the first, and all end before the last."""
    count, size = 0, 1
    for length in reversed(shape):
        size *= length
        count += place % size == 0
    return count


def _aligned(texts: Sequence[str]) -> list[str]:
    """Return numbers with their points below each other."""
    wholes = [re.match(r"-?\d+|.*", text)[0] for text in texts]  # type: ignore[index]  # it matches everything
    left = max(map(len, wholes))
    placed = [" " * (left - len(whole)) + text for whole, text in zip(wholes, texts, strict=True)]
    right = max(map(len, placed))
    return [text.ljust(right) for text in placed]


def _whole(array: Any, precision: int) -> str:
    if array.ndim == 0:
        return number(array[()], precision)
    return f"[{', '.join(_whole(row, precision) for row in array)}]"


def _beginning(array: Any, precision: int, dots: str, width: int) -> str:
    """Return as many entries of the first row as fit."""
    row = array[(0,) * (array.ndim - 1)]
    entries = [number(entry, precision) for entry in row[: width // 3]]
    opening = "[" * array.ndim
    closing = "".join(f", {dots}]" if size > 1 else "]" for size in reversed(array.shape[:-1]))
    for count in range(len(entries), 0, -1):
        end = "]" if count == row.size else f", {dots}]"
        text = f"{opening}{', '.join(entries[:count])}{end}{closing} shape {array.shape}"
        if len(text) <= width:
            return text
    return f"{array.size} entries, {array.ndim} dimensions"
