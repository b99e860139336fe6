"""Many numbers from text and to text at once: as Python writes floats, with orjson where it is installed.

orjson reads numbers as Python does, and writes them with the same shortest digits where Python writes no exponent;
elsewhere (`1e+16` against `1e16`) Python's own text is used. So the output does not depend on the installed packages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

try:
    import orjson as installed
except ImportError:  # pragma: no cover
    orjson: Any = None
else:
    orjson = installed

NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
OTHERS = '"[{us'  # one of these is in everything that JSON has besides numbers
ENDS = bytes.maketrans(b"]", b"\n")
BETWEEN = bytes(set(range(256)) - set(b",\n"))  # all that stands between commas and the ends of lines
LEAST, MOST = 1e-4, 1e16  # between these Python writes no exponent


def spell(values: Any, names: dict[str, str] = NAMES) -> list[str]:
    """Return the shortest text of each float of a flat array, in its own precision; `names` for the others."""
    values = widened(values)
    if orjson is None:
        texts = list(map(repr, values.tolist()))
        odd = np.flatnonzero(~np.isfinite(values)).tolist()
    else:
        if not values.size:
            return []
        texts = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY).decode()[1:-1].split(",")
        odd = with_exponent(values).tolist()
    for position in odd:
        text = repr(values[position].item())
        texts[position] = names.get(text, text)
    return texts


def spell_rows(values: Any, names: dict[str, str] = NAMES) -> list[bytes]:
    """Return each row of a matrix as the end of a row of CSV: a comma before each number, then a line feed."""
    values = widened(values)
    width = values.shape[1]
    if orjson is None or not values.size:
        texts = spell(values.ravel(), names)
        rows = zip(*(texts[column::width] for column in range(width)), strict=True)
        return [f",{','.join(row)}\n".encode() for row in rows]
    text = orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY)  # [[1.0,2.0],[3.0,4.0]]
    lines: list[bytes] = b"".join((b",", text[:-1].translate(ENDS, b"["))).splitlines(keepends=True)
    for row in sorted(set((with_exponent(values.ravel()) // width).tolist())):
        lines[row] = f",{','.join(spell(values[row], names))}\n".encode()
    return lines


def with_exponent(values: Any) -> Any:
    """Return the places in a flat array of numbers that Python writes with an exponent, and of nan and infinity."""
    size = np.abs(values)
    return np.flatnonzero(~((size < MOST) & (size >= LEAST)) & (size != 0))


def widened(values: Any) -> Any:
    """Return the doubles that are written as the given floats are: of the float32 0.1 this is the double 0.1."""
    if values.dtype.itemsize == 8:
        return np.asarray(values, order="C")
    if orjson is None or values.dtype != np.float32:
        return values.astype(str).astype(np.float64)
    values_flat = np.ascontiguousarray(values).ravel()
    doubles = np.array(orjson.loads(orjson.dumps(values_flat, option=orjson.OPT_SERIALIZE_NUMPY)), np.float64)
    return np.where(np.isfinite(values_flat), doubles, values_flat).reshape(values.shape)


def read(text: str, count: int) -> Any:
    """Return the floats that stand in a text with commas between, as an array; ValueError for another text."""
    if orjson is not None and not any(map(text.__contains__, OTHERS)):
        try:
            numbers = orjson.loads(f"[{text}]")
        except ValueError:
            numbers = []
        if len(numbers) == count:
            values = np.array(numbers, np.float64)
            if "-0" not in text or values.all():  # a whole -0 has no sign in JSON
                return values
    if "_" in text:
        raise ValueError("Python reads 1_000")
    texts = text.split(",")
    if len(texts) != count:
        raise ValueError(f"{len(texts)} numbers, not {count}")
    return np.fromiter(map(float, texts), np.float64, count)


def read_rows(data: bytes, width: int) -> Any:
    """Return a matrix of the numbers in rows of CSV that have nothing else; None where it takes more care to read."""
    if orjson is None or not data.endswith(b"\n") or any(map(data.__contains__, b"\r" + OTHERS.encode())):
        return None
    separators = data.translate(None, BETWEEN)
    if separators != (b"," * (width - 1) + b"\n") * (len(separators) // width):
        return None
    try:
        numbers = orjson.loads(b"[%b]" % data[:-1].replace(b"\n", b","))
    except ValueError:
        return None
    values = np.fromiter(numbers, np.float64, len(numbers))
    return values.reshape(-1, width) if values.all() or b"-0" not in data else None  # a whole -0 has no sign in JSON


def are_numbers(values: Sequence[Any]) -> bool:
    """Return whether all are int or float, and none is a boolean."""
    return set(map(type, values)) <= {int, float}


def read_json(text: str) -> Any:
    """Read a JSON value; ValueError where it is none, where a key comes twice, or a number is not finite."""
    return STRICT.decode(text)


def read_list(text: str) -> Any:
    """Read a JSON value as `read_json` does, but of a key that comes twice the last one wins."""
    return QUICK.decode(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise TwiceError(first_twice(name for name, _ in pairs))
    return fields


def first_twice(names: Iterable[str]) -> str | None:
    """Return the first name that comes a second time."""
    names_seen: set[str] = set()
    return next((name for name in names if name in names_seen or names_seen.add(name)), None)  # type: ignore[func-returns-value]


def _refuse(name: str) -> Any:
    raise NotFiniteError(f"{name} is no number of JSON", f'write it in quotes: "{name}"')


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotFiniteError(f"{text[:40]} is beyond all numbers", "JSON has finite numbers only, below 1.8e308")
    return number


class TwiceError(ValueError):
    """A key that an object has twice."""


class NotFiniteError(ValueError):
    """NaN, an infinity, or a number as large as one: what it is, and what to write instead."""


STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_finite)
QUICK = json.JSONDecoder(parse_constant=_refuse)
