r"""Tensors: as numpy and torch print them, as MATLAB, Mathematica, LaTeX and Python write them.

`[[1. 2.]\n [3. 4.]]`, `[1 2; 3 4]`, `{{1,2},{3,4}}`, `[[1 & 2 ; 3 & 4]]`, `np.array([1, 2])`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from json import JSONDecoder
from typing import Any

import numpy as np

from gradcli.homework.submission.answers import checked, read_number
from gradcli.homework.submission.numerals import Typed, read_numeral
from gradcli.homework.submission.plain.numbers import numerals

MODULE = r"(?:(?:torch|np|numpy|jnp|tf|jax\.numpy)\s*\.\s*)?"
KIND = (
    r"(?:[tT]ensor|[aA]rray|asarray|[mM]atrix|[vV]ector|[sS]ize|(?:Float|Double|Long|Int|Half)Tensor|constant|as_tensor"
    r"|Parameter|[fF]loat|float(?:16|32|64|_)|int(?:32|64|_)?)"
)
MAKER = re.compile(rf"(?<![\w.]){MODULE}{KIND}\s*(?=\()|^c(?=\([^()]*,[^()]*\)$)")  # c(1, 2) is R's
QUOTED = re.compile(rf"{MODULE}matrix\s*\(\s*(['\"])(?P<inner>[^'\"]*)\1\s*\)")  # np.matrix("1 2; 3 4")
EMPTY = re.compile(r"\[[ \t]*\][ \t]*(?:\n|$)")
KEYWORDS = re.compile(
    r",\s*(?:dtype|device|requires_grad|grad_fn|shape|order|copy|ndmin|weak_type|size)\s*=\s*"
    r"(?:<[^<>]*>|\([^()]*\)|'[^']*'|\"[^\"]*\"|[^,()\[\]{}<>]+)"
    r"|\bParameter containing:"
)
NUMBER = r"\d+\.?\d*(?:[eE][-+]?\d{1,4})?|\.\d+(?:[eE][-+]?\d{1,4})?"
DECIMAL = r"\d+,\d+(?:[eE][-+]?\d{1,4})?"
RAISED = r"(?:\s*(?:\*|·|⋅|×)\s*10\s*(?:(?:\^|\*\*)\s*\(?\s*[-+]?\d{1,3}\s*\)?|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))?"
WORD = r"nan|inf|NaN|Inf|[Tt]rue|[Ff]alse"
DEEPEST = 64
PYTHON = re.compile(r"\[[-\d., \[\]]*\]")  # lists that JSON has, too
DECODER = JSONDecoder(parse_float=str, parse_int=str)  # every number as it was typed


@dataclass(slots=True)
class Frame:
    """An open bracket: its rows, and the mark that separates them, if there is one."""

    bracket: str
    rows: list[list[Any]] = field(default_factory=lambda: [[]])
    is_list: bool = False

    def closed(self) -> Any:
        rows = [row for row in self.rows if row]
        if self.bracket == "(" and not self.is_list and len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        if len(self.rows) == 1:
            return self.rows[0]
        if all(len(row) == 1 and isinstance(row[0], list) for row in rows):  # [[1 2]; [3 4]]
            return [row[0] for row in rows]
        return rows


def pattern(comma: str) -> re.Pattern[str]:
    number = f"{DECIMAL}|{NUMBER}" if comma == "decimal" else NUMBER
    signed = rf"(?:[-+]\s*)?(?:(?:{number}){RAISED}(?:\s*/\s*\d+)?|{WORD})(?![\w.])"
    return re.compile(
        rf"(?P<entry>{signed})|(?P<open>[\[({{])|(?P<close>[\])}}])"
        r"|(?P<row>;)|(?P<comma>[,&|])|(?P<line>\r?\n|\r)|(?P<gap>[ \t]+)"
    )


PATTERNS = {comma: pattern(comma) for comma in ("separator", "decimal")}
PRODUCT = re.compile(r"\)\(")  # (2)(3)
MINUS = re.compile(r"[-+]\s")  # `1 - 2` is one entry, `1 -2` two


def bare(text: str) -> str:
    """Return a text without the names of functions that make tensors, and without their keyword arguments."""
    if "(" in text or ":" in text:
        text = KEYWORDS.sub("", text)
        text = MAKER.sub("", QUOTED.sub(r"[\g<inner>]", text))
    text = text.replace(";", " , ").replace("|", ";") if "|" in text and is_ruled(text) else text
    text = EMPTY.sub("", text) if "]\n" in text else text
    text = f"[{text[1:-1]}]" if re.fullmatch(r"<[^<>]*\d[^<>]*>", text) else text
    return re.sub(r"(?<=[\])}])\s*(?:\^\s*(?:\(T\)|T)\b|\.T\b|')$", "ᵀ", text.strip())


def is_ruled(text: str) -> bool:
    """Whether bars stand between the rows, and semicolons between the entries: `[1,5; 2,5 | 3,5; 4,5]`."""
    counts = {row.count(";") for row in text.split("|")}
    return len(counts) == 1 and counts != {0}


def arrays(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the nested lists of entries that a text may stand for, the most usual first, each with its commas' use.

    None where it holds anything else than numbers.
    """
    text, is_turned = (text[:-1].strip(), True) if text.endswith("ᵀ") else (text, False)
    has_decimals = re.search(r"\d,\d", text) is not None
    commas = ("separator", "decimal") if has_decimals else ("separator",)
    lines = ("gap", "row") if "\n" in text or "\r" in text else ("gap",)
    seen: list[Any] = []
    for comma, newline in product(commas, lines):
        found = nested(text, comma, newline)
        if found is not None and found not in seen:
            seen.append(found)
            yield comma, turned(found) if is_turned else found


def turned(rows: Any) -> Any:
    """Return the transpose; of a row, a column."""
    try:
        array = np.array(rows, dtype=object)
    except ValueError:
        return rows
    return (array.reshape(-1, 1) if array.ndim == 1 else array.T).tolist()


def nested(text: str, comma: str, newline: str) -> Any:
    """Return the lists of a text, None where it is no tensor of numbers."""
    if comma == "separator" and PYTHON.fullmatch(text) and text.count("[") <= DEEPEST:  # as most are
        with suppress(ValueError):
            return DECODER.decode(text)
    if PRODUCT.search(text) and not re.search("[,;]", text):
        return None
    frames = [Frame("")]
    place, gap, fresh = 0, True, True
    matcher = PATTERNS[comma]
    while place < len(text):
        found = matcher.match(text, place)
        if found is None:
            return None
        place, kind, piece = found.end(), found.lastgroup, found[0]
        top = frames[-1]
        if kind == "entry":
            if not gap or (not fresh and MINUS.match(piece)):
                return None
            top.rows[-1].append(plain(piece, comma))
            gap = fresh = False
        elif kind == "open":
            if not gap:
                return None
            frames.append(Frame(piece))
            if len(frames) > DEEPEST:
                return None
            gap = fresh = True
        elif kind == "close":
            if len(frames) < 2 or piece != {"[": "]", "(": ")", "{": "}"}[top.bracket]:
                return None
            frames.pop()
            frames[-1].rows[-1].append(top.closed())
            gap, fresh = True, False
        else:
            gap, fresh = True, fresh or kind in ("row", "comma")
            if kind == "row" or (kind == "line" and newline == "row" and is_of_entries(top)):
                top.rows.append([])
            top.is_list |= kind in ("row", "comma")
    if len(frames) != 1:
        return None
    (bottom,) = frames
    if len(bottom.rows) == 1 and len(bottom.rows[0]) == 1 and not bottom.is_list:
        return bottom.rows[0][0]
    return bottom.closed()


def is_of_entries(frame: Frame) -> bool:
    return bool(frame.rows[-1]) and not any(isinstance(entry, list) for entry in frame.rows[-1])


def plain(entry: str, comma: str) -> str:
    if comma == "decimal":
        entry = entry.replace(",", ".")
    found = numerals(entry)
    return found.get("", entry) if found else entry


def shape_of(rows: Any) -> tuple[int, ...] | None:
    """Return the shape of nested lists, None where rows have different lengths."""
    if not isinstance(rows, list):
        return ()
    shapes = {shape_of(row) for row in rows}
    if len(shapes) > 1 or None in shapes:
        return None
    (inner,) = shapes or {()}
    assert inner is not None
    return (len(rows), *inner)


def fits(shape: tuple[int, ...] | None, asked: tuple[int, ...]) -> bool:
    """Whether a shape is the one asked for, up to ones."""
    return shape is not None and [n for n in shape if n != 1] == [n for n in asked if n != 1]


def reshaped(rows: Any, asked: tuple[int, ...]) -> Any:
    """Return the entries in the shape asked for, which fits."""
    if shape_of(rows) == asked:
        return rows
    entries, waiting = [], [rows]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting.extend(reversed(one))
        else:
            entries.append(one)
    array = np.empty(len(entries), dtype=object)
    array[:] = entries
    return array.reshape(asked).tolist() if asked else entries[0]


def written(rows: Any) -> str:
    """Write nested lists as Python does."""
    return f"[{', '.join(map(written, rows))}]" if isinstance(rows, list) else rows


def entries(rows: Any) -> Typed:
    """Return nested lists of entries, which are numbers or fractions, as one array with the digits of each."""
    texts = np.array(rows, dtype=object) if isinstance(rows, list) else np.array(rows, dtype=object).reshape(())
    typed = [read_numeral(one) or exact(one) for one in texts.ravel()]
    parts = [[getattr(one, part) for one in typed] for part in ("value", "unit", "digits", "zeros")]
    return checked(Typed(*np.array(parts, np.float64).reshape(4, *texts.shape)))


def exact(text: str) -> Typed:
    read = read_number({"true": "1", "false": "0"}.get(text.lower(), text))
    assert isinstance(read, Typed)
    return read
