"""CSV and JSON Lines as batches of columns.

The cells of the variables of CSV are numbers, all others stay the texts that they are.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import suppress
from csv import reader
from io import BufferedReader, StringIO, TextIOWrapper
from typing import Any

from gradcli.dialects import COMMAS, Dialect, normal_name
from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.source import visible
from gradcli.stream.arrow.library import pyarrow
from gradcli.stream.inputs import compression
from gradcli.stream.table import refuse_twice, value_of

MOST = 100_000  # columns, for which pyarrow takes 10 to 20 KB of memory each
HEAD = 2**16  # characters that show how a file is written
HEADER = 2**24  # characters that its line may have


class Table:
    """A file of CSV, compressed where its name says so. Raises what pyarrow raises."""

    def __init__(
        self, path: str, numbers: Sequence[str], delimiter: str | None = None, decimal: str | None = None
    ) -> None:
        if compression(path) == ".xz":
            help = "decompress it first, or write the results as CSV"
            raise UsageError("E014", f"{visible(path)}: CSV in xz is not read as columns", help=help)
        pa, csv = pyarrow(), pyarrow("csv")
        with BufferedReader(pa.input_stream(path)) as file:
            encoding = "utf-16" if file.peek(2)[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
            text = TextIOWrapper(file, encoding, "surrogateescape", newline="")
            head = text.read(HEAD)
            self.dialect = Dialect.of(head, numbers, delimiter, decimal)
            rows = reader(StringIO(head + text.readline(HEADER), newline=""), delimiter=self.dialect.delimiter)
            names = list(map(normal_name, next((row for row in rows if row and not row[0].startswith("sep=")), ())))
            lines = rows.line_num
        "".join(names).encode(errors="surrogateescape").decode()
        refuse_many(visible(path), len(names))
        refuse_twice(names)
        self.schema = pa.schema([(name, pa.float64() if name in numbers else pa.string()) for name in names])
        texts = csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
        encoding = encoding.removesuffix("-sig")
        reading = csv.ReadOptions(column_names=names, skip_rows=lines, block_size=2**22, encoding=encoding)
        quoted = csv.ParseOptions(newlines_in_values=True, delimiter=self.dialect.delimiter)
        self.reader = csv.open_csv(path, read_options=reading, parse_options=quoted, convert_options=texts)

    def __iter__(self) -> Iterator[Any]:
        pa = pyarrow()
        for batch in self.reader:
            columns = zip(self.schema, batch.columns, strict=True)
            cells = [
                numbers_of(column, self.dialect) if pa.types.is_floating(field.type) else column
                for field, column in columns
            ]
            yield pa.record_batch(cells, schema=self.schema)

    def close(self) -> None:
        self.reader.close()


class Records:
    """A file of JSON Lines as columns, of the types that its first records show. Raises what pyarrow raises."""

    def __init__(self, path: str) -> None:
        reading = pyarrow("json").ReadOptions(block_size=2**22)
        self.reader = pyarrow("json").open_json(path, read_options=reading)
        self.schema = self.reader.schema

    def __iter__(self) -> Iterator[Any]:
        yield from self.reader

    def close(self) -> None:
        self.reader.close()


def refuse_many(name: str, count: int) -> None:
    """Refuse more columns than the memory may have room for; EvaluationError."""
    if count > MOST:
        raise EvaluationError(
            "E228",
            f"{name} has {count:,} columns, more than {MOST:,}",
            help="keep the columns that the program takes, and one to join by; or write the results of CSV as CSV",
        )


def numbers_of(column: Any, dialect: Dialect = COMMAS) -> Any:
    """Return texts as numbers; null where there is none, for which the row then is an error."""
    pa, compute = pyarrow(), pyarrow("compute")
    trimmed = column
    if dialect.points:
        trimmed = compute.replace_substring(compute.replace_substring(column, ".", "?"), ",", ".")
    with suppress(pa.ArrowInvalid):
        return trimmed.cast(pa.float64())
    trimmed = compute.utf8_trim_whitespace(trimmed)
    trimmed = compute.if_else(compute.equal(trimmed, ""), None, trimmed)
    with suppress(pa.ArrowInvalid):
        return trimmed.cast(pa.float64())
    return pa.array(map(number_of, trimmed.to_pylist()), pa.float64())


def number_of(cell: str | None) -> float | None:
    """Return a text as a number; None where it is none."""
    with suppress(GradcliError, TypeError):
        return float(value_of("", cell or ""))
    return None
