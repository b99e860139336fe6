"""Results of many records as text: a line of JSON each, or a row of CSV each."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from gradcli.dialects import COMMAS, Dialect
from gradcli.stream import digits
from gradcli.stream.plan import Result
from gradcli.stream.records import Columns, Record
from gradcli.stream.values import dump, plain

Document = dict[str, Any]

QUOTED = {text: f'"{name}"' for text, name in digits.NAMES.items()}
NULLS, EMPTY = dict.fromkeys(digits.NAMES, "null"), dict.fromkeys(digits.NAMES, "")
MARK = "\x1f"  # where a number goes in the pattern of a line, and between the records of a list


class Writer(Protocol):
    """Writes results and errors as whole lines, below a header, which may be empty."""

    header: str
    void: bytes | None  # what stands after a row that failed, where nothing says why

    def columns(self, result: Result, columns: Columns) -> bytes:
        """Return the lines of many results, as `record` gives each."""

    def record(self, result: Result, record: Record) -> str:
        """Return the line of one result."""

    def error(self, record: Record) -> str:
        """Return the line of a record that failed."""


class JsonLinesWriter:
    """`{"ok": true, "value": 49.0, "gradients": {"x": 14.0}, "record": {"id": 7}}`."""

    header = ""
    void: bytes | None = None

    def __init__(self, *, has_gradients: bool, has_nulls: bool = False) -> None:
        self.has_gradients, self.has_nulls = has_gradients, has_nulls

    def columns(self, result: Result, columns: Columns) -> bytes:
        holes = {name: gradient if gradient is None else holed(gradient) for name, gradient in result.gradients.items()}
        *gaps, tail = dump(self._document(holed(result.value), holes)).split(json.dumps(MARK))
        arrays = [result.value, *(gradient for gradient in result.gradients.values() if gradient is not None)]
        numbers = [entries for array in arrays for entries in array.reshape(columns.count, array[0].size).T]
        step = 2 * len(gaps) + 1
        pieces = [""] * (columns.count * step)
        for position, gap in enumerate(gaps):
            pieces[2 * position :: step] = [gap] * columns.count
            pieces[2 * position + 1 :: step] = digits.spell(numbers[position], NULLS if self.has_nulls else QUOTED)
        tails = [f"{tail}\n"] * columns.count
        if columns.rests is not None:
            tails = [
                f'{tail[:-1]}, "record": {text}}}\n' if fields else f"{tail}\n"
                for fields, text in zip(columns.rests, dumped(columns.rests), strict=True)
            ]
        pieces[step - 1 :: step] = tails
        return "".join(pieces).encode()

    def record(self, result: Result, record: Record) -> str:
        numbers = without_names if self.has_nulls else plain
        gradients = {name: numbers(gradient) for name, gradient in result.gradients.items()}
        return dump(self._document(numbers(result.value), gradients) | _record_field(record)) + "\n"

    def error(self, record: Record) -> str:
        return dump({"ok": False, "error": error_facts(record)} | _record_field(record)) + "\n"

    def _document(self, value: Any, gradients: Document) -> Document:
        return {"ok": True, "value": value} | ({"gradients": gradients} if self.has_gradients else {})


class TableWriter:
    """The row as it was read, then the value, then each gradient, in the same dialect.

    A row that failed has these cells empty, and if the table `has_errors` a cell that says why.
    """

    def __init__(
        self,
        header: Sequence[str],
        differentiated: Sequence[str],
        dialect: Dialect = COMMAS,
        *,
        has_errors: bool = False,
        has_nulls: bool = False,
        prefix: str = "",
    ) -> None:
        self.names = list(differentiated)
        added = ["value", *(f"d_{name}" for name in self.names), *(["error"] if has_errors else [])]
        self.added = [f"{prefix}{name}" for name in added]
        self.dialect, self.has_errors = dialect, has_errors
        self.nonfinite = EMPTY if has_nulls else digits.NAMES
        self.header = dialect.row([*header, *self.added]) + "\n"
        blank = self.dialect.delimiter * len(self.added)
        self.void: bytes | None = None if has_errors else f"{blank}\n".encode()  # after a row that failed
        self.local = bytes.maketrans(b",.", f"{dialect.delimiter}{dialect.decimal}".encode())

    def columns(self, result: Result, columns: Columns) -> bytes:
        numbers = [result.value, *(result.gradients.get(name) for name in self.names)]
        present = [column for column in numbers if column is not None]
        if any(column.ndim > 1 for column in present):
            blank = [None] * columns.count
            points = zip(*(blank if column is None else column for column in numbers), strict=True)
            return "".join(map(self._row, map(bytes.decode, columns.texts), points)).encode()
        if len({column.dtype for column in present}) == 1 and len(present) == len(numbers):
            rows = digits.spell_rows(np.stack(present, axis=1), self.nonfinite)
        else:
            empty = [""] * columns.count
            spelled = [empty if column is None else digits.spell(column, self.nonfinite) for column in numbers]
            rows = [f",{','.join(row)}\n".encode() for row in zip(*spelled, strict=True)]
        if self.has_errors:
            rows = [b"%b,\n" % row[:-1] for row in rows]
        if self.dialect != COMMAS:
            rows = [row.translate(self.local) for row in rows]
        pieces = [b""] * (2 * columns.count)
        pieces[::2], pieces[1::2] = columns.texts, rows
        return b"".join(pieces)

    def record(self, result: Result, record: Record) -> str:
        return self._row(record.text, [result.value, *(result.gradients.get(name) for name in self.names)])

    def error(self, record: Record) -> str:
        facts = error_facts(record) if self.has_errors else {}
        cells = [f"{facts['code']}: {facts['message']}"] if facts else []
        return self._with_cells(record.text, [""] * (len(self.added) - len(cells)) + cells)

    def _row(self, text: str, numbers: Sequence[Any]) -> str:
        return self._with_cells(text, [*map(self._cell, numbers), *([""] if self.has_errors else [])])

    def _with_cells(self, text: str, cells: Sequence[str]) -> str:
        added = self.dialect.row(cells) if any(cells) else self.dialect.delimiter * (len(cells) - 1)
        return f"{text}{self.dialect.delimiter}{added}\n"

    def _cell(self, value: Any) -> str:
        """Return a number, or nested lists as JSON has them; nothing where there is no gradient."""
        numbers = without_names(value) if self.nonfinite is EMPTY else plain(value)
        if isinstance(numbers, list):
            return json.dumps(numbers)
        return "" if numbers is None else str(numbers).replace(".", self.dialect.decimal)


def holed(column: Any) -> Any:
    """Return a row of a column with a hole for each number."""
    return np.full(column.shape[1:], MARK).tolist()


def dumped(rests: Sequence[Any]) -> list[str]:
    """Return the text of each, made at once: a mark goes between each two, for which no string in them is mistaken."""
    marked: list[Any] = [MARK] * (2 * len(rests))
    marked[::2] = rests
    texts = dump(marked)[1:-1].split(f", {json.dumps(MARK)}")
    if len(texts) != len(rests) + 1:
        return list(map(dump, rests))
    return [text.removeprefix(", ") for text in texts[:-1]]


def without_names(value: Any) -> Any:
    """Return numbers as `plain` does, with None in place of the strings."""
    waiting = [result := [plain(value)]]
    for numbers in waiting:
        for place, entry in enumerate(numbers):
            if isinstance(entry, list):
                waiting.append(entry)
            elif isinstance(entry, str):
                numbers[place] = None
    return result[0]


def error_facts(record: Record) -> Document:
    """Return the facts of the error of a record, with the line of the record."""
    assert record.error is not None
    if record.facts is None:
        record.facts = record.error.facts() | {"line": record.line, "column": record.column}
    return record.facts


def _record_field(record: Record) -> Document:
    return {"record": record.rest} if record.rest else {}
