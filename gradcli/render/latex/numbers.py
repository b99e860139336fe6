"""Numbers and arrays as LaTeX: exponents as powers of ten, matrices with up to six rows and columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.language.unparser import Precedence
from gradcli.render.latex.matrices import listed, shown
from gradcli.render.latex.pieces import Piece
from gradcli.render.text.numbers import PRECISION
from gradcli.render.text.numbers import number as rounded

_WORDS = {"inf": r"\infty", "-inf": r"-\infty", "nan": r"\text{nan}", "True": r"\text{True}", "False": r"\text{False}"}


def number(value: int | float) -> Piece:
    """Return a number of a formula, with the digits that were typed."""
    return _written(repr(value))


def value(given: Any, precision: int = PRECISION) -> Piece:
    """Return a number or an array with so many digits."""
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
