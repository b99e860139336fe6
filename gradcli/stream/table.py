"""CSV: a header that names the columns, then a point a row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import count, islice, repeat
from typing import Any

import numpy as np

from gradcli.dialects import COMMAS, SEPARATED, Dialect, normal_name
from gradcli.errors import EvaluationError, GradcliError
from gradcli.source import visible
from gradcli.stream import digits
from gradcli.stream.jsonl import parse_line
from gradcli.stream.records import LONGEST, NONFINITE, PLAIN, VOID, Block, Columns, Record, finite, not_text, number
from gradcli.stream.values import plain

NUMBER = r" *[-+]?(?:\d{1,99}%s?\d*|%s\d+)(?:[eE][-+]?\d\d?)? *"  # cells of which many are read at once
BETWEEN = {",": "comma", ";": "semicolon", "\t": "tab"}
FARTHEST = 1000  # lines that a quoted cell may have; a quote that nothing closes costs its own line alone


class Table:
    """Reads points of the variables `names` from the rows below a header.

    `keeps_text` keeps the rows as they were written, otherwise the other columns are fields of a record, and of one
    that `keeps_values` the variables, too.
    """

    def __init__(
        self,
        header: Sequence[str],
        names: Sequence[str],
        dialect: Dialect = COMMAS,
        *,
        keeps_text: bool,
        keeps_values: bool = False,
        required: Sequence[str] = (),
    ) -> None:
        self.header = list(header)
        self.places = {name: self.header.index(name) for name in names if name in self.header}
        self.others = {name: place for place, name in enumerate(self.header) if name not in self.places}
        self.dialect, self.keeps_text, self.keeps_values = dialect, keeps_text, keeps_values
        mark, point, numbers = re.escape(dialect.delimiter), re.escape(dialect.decimal), set(self.places.values())
        number, needed = NUMBER % (point, point), {self.places[name] for name in required if name in self.places}
        plain = [number if at in numbers else f'[^"{mark}\\r]*' for at in range(len(self.header))]
        void = [f"(?:{cell})?" if at in needed else cell for at, cell in enumerate(plain)]
        self.kinds = re.compile(f"(?:(?P<{PLAIN}>{mark.join(plain)})|(?P<{VOID}>{mark.join(void)}))\r?".encode())

    def columns(self, block: Block) -> Columns | None:
        """Read all rows at once; None where one has a mistake or quotes."""
        if block.problem or b'"' in block.data:
            return None
        is_all = not self.others and not self.keeps_values and bool(self.places)
        if is_all and self.dialect == COMMAS:
            data = block.data.replace(b"\r\n", b"\n") if b"\r" in block.data else block.data
            matrix = digits.read_rows(data, len(self.header))
            if matrix is not None and np.isfinite(matrix).all():
                values = {name: np.ascontiguousarray(matrix[:, place]) for name, place in self.places.items()}
                return Columns(len(matrix), values, None, data.splitlines() if self.keeps_text else ())
        try:
            text = block.data.decode()
            if "\r" in text:
                text = text.replace("\r\n", "\n").removesuffix("\r")
            if "\r" in text:
                return None
            rows = [row for row in text.split("\n") if row]
            width, delimiter = len(self.header), self.dialect.delimiter
            if set(map(str.count, rows, repeat(delimiter))) - {width - 1}:
                return None
            joined = delimiter.join(rows)
            cells = [] if is_all and self.dialect == COMMAS else joined.split(delimiter)
            if is_all:
                matrix = digits.read(self.dialect.joined(cells) if cells else joined, width * len(rows)).reshape(
                    -1, width
                )
                values = {name: matrix[:, place] for name, place in self.places.items()}
                rests = None
            else:
                values = {
                    name: digits.read(self.dialect.joined(cells[place::width]), len(rows))
                    for name, place in self.places.items()
                }
                rests = None if self.keeps_text else self._rests(cells, width, values)
        except ValueError:
            return None
        if not all(np.isfinite(column).all() for column in values.values()):
            return None
        values = {name: np.ascontiguousarray(column) for name, column in values.items()}
        return Columns(len(rows), values, rests, [row.encode() for row in rows] if self.keeps_text else ())

    def _rests(self, cells: Sequence[str], width: int, values: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        columns = {name: cells[place::width] for name, place in self.others.items()}
        if self.keeps_values:
            columns = {name: values[name].tolist() if name in values else columns[name] for name in self.header}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)] or None

    def records(self, block: Block) -> list[Record]:
        """Read each row alone; blank lines are none."""
        if block.problem:
            return [Record(block.first, text=self.blank, error=block.problem)]
        return [self.record(row, at) for row, at in self.rows(block)]

    def rows(self, block: Block) -> list[tuple[bytes, int]]:
        """Return the rows that are not blank, with the numbers of their first lines."""
        lines = block.data.removesuffix(b"\n").split(b"\n")
        rows = whole_rows(lines, block.first, self.dialect) if b'"' in block.data else zip(lines, count(block.first))
        return [(row, at) for row, at in rows if row.strip(b"\r")]

    def kind(self, row: bytes) -> str | None:
        """Return what a row without quotes is: a finite number for each variable, or nothing for some, else None."""
        match = self.kinds.fullmatch(row)
        return match.lastgroup if match is not None and not_text(row) is None else None

    @property
    def blank(self) -> str:
        """A row without values."""
        return self.dialect.delimiter * (len(self.header) - 1)

    def record(self, row: bytes, at: int) -> Record:
        record = Record(at, text=self.blank)
        try:
            if problem := not_text(row):
                raise problem
            text = row.decode().removesuffix("\r")
            delimiter = self.dialect.delimiter
            cells = split(text, self.dialect)
            if len(cells) < len(self.header):
                record.text = text + delimiter * (len(self.header) - len(cells))
            elif '"' not in text:
                record.text = delimiter.join(cells[: len(self.header)])
            if len(cells) != len(self.header):
                cells_of_row = "one cell" if len(cells) == 1 else f"{len(cells)} cells"
                counts = f"the row has {cells_of_row}, and the header {len(self.header)}"
                raise EvaluationError(
                    "E226", counts, help=f"a cell with a {BETWEEN.get(delimiter, delimiter)} in it stands in quotes"
                )
            record.text = text
            record.rest = {name: cells[place] for name, place in self.others.items()}
            texts = {name: cells[place].strip() for name, place in self.places.items()}
            record.values = {name: value_of(name, cell, self.dialect) for name, cell in texts.items() if cell}
            if self.keeps_values:
                fields = record.rest | {name: plain(value) for name, value in record.values.items()}
                record.rest = {name: fields[name] for name in self.header if name in fields}
        except GradcliError as error:
            record.fail(error)
        return record


def split(row: str, dialect: Dialect = COMMAS) -> list[str]:
    """Return the cells of a row; EvaluationError where it is not one row."""
    if '"' not in row and "\r" not in row:
        return row.split(dialect.delimiter)
    if dialect.is_open(row.encode()):
        raise EvaluationError("E226", "a quote is never closed", help='write a quote inside a cell twice: ""')
    csv.field_size_limit(LONGEST)
    try:
        rows = list(csv.reader(StringIO(row, newline=""), delimiter=dialect.delimiter))
    except csv.Error as error:
        raise EvaluationError("E226", f"the row cannot be read: {error}") from None
    if len(rows) > 1:
        raise EvaluationError("E226", "a carriage return stands in the row", help="end each row with a line feed")
    return rows[0] if rows else [""]


def value_of(name: str, cell: str, dialect: Dialect = COMMAS) -> Any:
    """Return the value in a cell: a number, as it is written here too, or nested lists as JSON has them."""
    if cell.startswith("["):
        return number(name, parse_line(f'{{"value": {cell}}}')["value"])
    if cell in NONFINITE:
        return NONFINITE[cell]
    try:
        value = dialect.number(cell)
    except ValueError:
        raise dialect.refusal(name, cell) from None
    return finite(name, value)


def with_whole_rows(blocks: Iterable[Block | None], dialect: Dialect = COMMAS) -> Iterator[Block | None]:
    """Yield the blocks with their ends moved, so that a row over several lines is in one of them."""
    unfinished: Block | None = None
    for block in blocks:
        if block is None:
            yield None
            continue
        if unfinished is not None and block.problem:
            yield unfinished
            unfinished = None
        if unfinished is not None:
            block = Block(unfinished.first, unfinished.data + block.data)
            unfinished = None
        if b'"' in block.data:
            lines = with_ends(block.data)
            rows = whole_rows(block.data.split(b"\n"), block.first, dialect)
            start = next((at - block.first for row, at in rows if dialect.is_open(row)), len(lines))
            if len(lines) - start < FARTHEST and start < len(lines):
                unfinished = Block(block.first + start, b"".join(lines[start:]))
                block = Block(block.first, b"".join(lines[:start]))
        if block.data or block.problem:
            yield block
    if unfinished is not None:
        yield unfinished


def with_ends(data: bytes) -> list[bytes]:
    """Return the lines with their ends; a carriage return ends none."""
    *lines, last = data.split(b"\n")
    return [*(line + b"\n" for line in lines), *([last] if last else [])]


def whole_rows(lines: Sequence[bytes], first: int, dialect: Dialect = COMMAS) -> list[tuple[bytes, int]]:
    """Return the rows with the numbers of their first lines: a quoted cell may go on over several."""
    rows = []
    position = 0
    while position < len(lines):
        count = length(lines, position, dialect)
        rows.append((b"\n".join(lines[position : position + count]), first + position))
        position += count
    return rows


def length(lines: Sequence[bytes], position: int, dialect: Dialect) -> int:
    """Return the number of lines of the row that starts there; 1 where its quote is closed nowhere near."""
    if not dialect.is_open(lines[position]):
        return 1
    for size, line in enumerate(islice(lines, position + 1, position + FARTHEST), 2):
        if b'"' in line and not dialect.is_open(b"\n".join(lines[position : position + size])):
            return size
    return 1


def take_header(block: Block, dialect: Dialect = COMMAS) -> tuple[list[str], Block]:
    """Return the names of the columns, and the rows below them; EvaluationError where two are the same."""
    if block.problem:
        raise block.problem
    lines = with_ends(block.data)
    start = next(place for place, line in enumerate(lines) if line.strip())
    start += SEPARATED.match(lines[start].decode("latin-1")) is not None and start + 1 < len(lines)
    end = start + length([line.removesuffix(b"\n") for line in lines[: start + FARTHEST]], start, dialect)
    row = b"".join(lines[start:end]).removesuffix(b"\n").removesuffix(b"\r")
    if problem := not_text(row):
        raise problem
    names = list(map(normal_name, split(row.decode(), dialect)))
    refuse_twice(names)
    return names, Block(block.first + end, b"".join(lines[end:]))


def refuse_twice(names: Sequence[str]) -> None:
    """Refuse a header that has a name twice; EvaluationError."""
    if (name := digits.first_twice(names)) is not None:
        fault = f"{visible(name)} twice" if name else "columns without names"
        raise EvaluationError("E228", f"the header has {fault}", help="give each column a name of its own")
