"""Numbers as people read them: a few digits, and of an array no more than fits on a line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.explanation.missing_values import Unkept

PRECISION = 6  # significant digits
WIDTH = 60  # characters of a value on a line
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
