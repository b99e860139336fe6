"""Results of many records as text: a line of JSON each, or a row of CSV each."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from io import StringIO
from typing import Any, Protocol

import numpy as np

from gradcli.stream import digits
from gradcli.stream.plan import Result
from gradcli.stream.records import Columns, Record
from gradcli.stream.values import dump, plain

Document = dict[str, Any]

QUOTED = {text: f'"{name}"' for text, name in digits.NAMES.items()}
MARK = "\x1f"
HOLE = "\x00"  # where a number goes in the pattern of a line


class Writer(Protocol):
    """Writes results and errors as whole lines."""

    def columns(self, result: Result, columns: Columns) -> bytes:
        """Return the lines of many results, as `record` gives each."""

    def record(self, result: Result, record: Record) -> str:
        """Return the line of one result."""

    def error(self, record: Record) -> str:
        """Return the line of a record that failed."""


class JsonLinesWriter:
    """`{"ok": true, "value": 49.0, "gradients": {"x": 14.0}, "record": {"id": 7}}`."""

    def __init__(self, *, has_gradients: bool) -> None:
        self.has_gradients = has_gradients

    def columns(self, result: Result, columns: Columns) -> bytes:
        numbers = [result.value, *(gradient for gradient in result.gradients.values() if gradient is not None)]
        holes = {name: gradient if gradient is None else HOLE for name, gradient in result.gradients.items()}
        *gaps, tail = dump(self._document(HOLE, holes)).split(json.dumps(HOLE))
        step = 2 * len(gaps) + 1
        pieces = [""] * (columns.count * step)
        for position, gap in enumerate(gaps):
            pieces[2 * position :: step] = [gap] * columns.count
            pieces[2 * position + 1 :: step] = digits.spell(numbers[position], QUOTED)
        tails = [f"{tail}\n"] * columns.count
        if columns.rests is not None:
            tails = [
                f'{tail[:-1]}, "record": {text}}}\n' if rest else f"{tail}\n"
                for rest, text in zip(columns.rests, dumped(columns.rests), strict=True)
            ]
        pieces[step - 1 :: step] = tails
        return "".join(pieces).encode()

    def record(self, result: Result, record: Record) -> str:
        gradients = {name: plain(gradient) for name, gradient in result.gradients.items()}
        return dump(self._document(plain(result.value), gradients) | _rest(record)) + "\n"

    def error(self, record: Record) -> str:
        return dump({"ok": False, "error": error_facts(record)} | _rest(record)) + "\n"

    def _document(self, value: Any, gradients: Document) -> Document:
        return {"ok": True, "value": value} | ({"gradients": gradients} if self.has_gradients else {})


class TableWriter:
    """The row as it was read, then the value, then each gradient; a row that failed has these cells empty."""

    def __init__(self, header: Sequence[str], differentiated: Sequence[str], *, has_gradients: bool) -> None:
        self.names = list(differentiated) if has_gradients else []
        self.header = cells([*header, *self.added]) + "\n"

    @property
    def added(self) -> list[str]:
        return ["value", *(f"d_{name}" for name in self.names)]

    def columns(self, result: Result, columns: Columns) -> bytes:
        numbers = [result.value, *(result.gradients.get(name) for name in self.names)]
        present = [column for column in numbers if column is not None]
        if len({column.dtype for column in present}) == 1 and len(present) == len(numbers):
            rows = digits.spell_rows(np.stack(present, axis=1))
        else:
            spelled = [[""] * columns.count if column is None else digits.spell(column) for column in numbers]
            rows = [f",{','.join(row)}\n".encode() for row in zip(*spelled, strict=True)]
        pieces = [b""] * (2 * columns.count)
        pieces[::2], pieces[1::2] = columns.texts, rows
        return b"".join(pieces)

    def record(self, result: Result, record: Record) -> str:
        numbers = [result.value, *(result.gradients.get(name) for name in self.names)]
        return f"{record.text},{','.join(map(cell, numbers))}\n"

    def error(self, record: Record) -> str:
        return f"{record.text}{',' * len(self.added)}\n"


def dumped(rests: Sequence[Any]) -> list[str]:
    """Return the text of each, made at once: a mark goes between each two, for which no string in them is mistaken."""
    marked: list[Any] = [MARK] * (2 * len(rests))
    marked[::2] = rests
    texts = dump(marked)[1:-1].split(f", {json.dumps(MARK)}")
    if len(texts) != len(rests) + 1:
        return list(map(dump, rests))
    return [text.removeprefix(", ") for text in texts[:-1]]


def cell(value: Any) -> str:
    """A number, or nested lists in quotes; nothing where there is no gradient."""
    written = plain(value)
    if written is None:
        return ""
    return written if isinstance(written, str) else cells([json.dumps(written)])


def cells(texts: Sequence[str]) -> str:
    """Return a row of CSV; a text with commas or quotes in it stands in quotes."""
    row = StringIO()
    csv.writer(row, lineterminator="").writerow(texts)
    return row.getvalue()


def error_facts(record: Record) -> Document:
    """Return the facts of the error of a record, with the line of the record."""
    assert record.error is not None
    if record.facts is None:
        record.facts = record.error.facts() | {"line": record.line, "column": record.column}
    return record.facts


def _rest(record: Record) -> Document:
    return {"record": record.rest} if record.rest else {}
