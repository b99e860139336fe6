"""numpy values as JSON has them, and the text of a document.

Strict JSON has no nan and no infinity: they are the strings "NaN", "Infinity" and "-Infinity". A float is written with
the shortest digits that give it back in its own precision: a float32 of a tenth is `0.1`, not `0.10000000149011612`.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import Any

import numpy as np

from gradcli.explanation.model import Unkept
from gradcli.stream.digits import widened

Json = Any  # None, bool, int, float, str, list, dict


def plain(value: Any) -> Json:
    """Return a number, an array or a sequence of numbers as numbers and nested lists; None stays None."""
    if type(value) is np.float64:  # most values of a large program
        number = value.item()
        return number if math.isfinite(number) else _name(number)
    if isinstance(value, np.ndarray):
        return None if isinstance(value, Unkept) else _listed(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.floating) and value.itemsize < 8:
        value = float(str(value))
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return _name(value)
    return value


def _listed(array: Any) -> Json:
    if array.dtype.kind != "f":
        return array.tolist()
    array = widened(array)
    if np.isfinite(array).all():
        return array.tolist()
    return _with_names(array.tolist())


def _with_names(value: Json) -> Json:
    """Put names in place of nan and infinity; the nesting is that of an array, so shallow."""
    if isinstance(value, list):
        return [_with_names(item) for item in value]
    return value if math.isfinite(value) else _name(value)


def _name(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def dump(document: Json, *, indent: int | None = None, ascii: bool = False) -> str:
    """Return the text of a document, strict JSON; `ascii` is for streams that are not UTF-8."""
    text = json.dumps(document, indent=indent, ensure_ascii=ascii, allow_nan=False)
    if text.isascii() and "\x7f" not in text:
        return text
    return unsafe().sub(lambda match: json.dumps(match[0])[1:-1], text)


@cache
def unsafe() -> re.Pattern[str]:
    """Match delete and C1 controls, invisible characters, line separators, lone surrogates and private characters.

    Some of them reorder text, some act on a terminal, some cannot be encoded. JSON may escape any character, and none
    occurs outside a string.
    """
    return re.compile(
        "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
        "\ud800-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\ufffb\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f"
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
    )
