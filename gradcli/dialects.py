"""CSV as spreadsheets of any country write it: what stands between cells, and before the decimals of a number."""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from io import StringIO
from itertools import islice
from unicodedata import normalize

from gradcli.errors import EvaluationError, UsageError
from gradcli.facts import dataclass

SEPARATED = re.compile(r'\A"?sep=(.)"?(?:\r\n|\r|\n|$)')  # the first line of some files for spreadsheets
LINES = re.compile(r"\r\n|\r|\n")
DELIMITERS = ",;\t"
TITLES = 8  # lines at the most, before that of a table's header ends
SHOWN = 100  # rows whose numbers show how decimals are written
GROUPED = re.compile(r"[-+]?\d{1,3}(?:[.,'\u2019 \xa0\u202f]\d{3})+(?:[.,]\d*)?")  # thousands, as people read them


@dataclass(frozen=True)
class Dialect:
    """The character between two cells, and that before the decimals of a number."""

    delimiter: str = ","
    decimal: str = "."

    @cached_property
    def points(self) -> dict[int, str]:
        """The translation of numbers to Python's: a comma becomes a point, and a point an unreadable character."""
        return {} if self.decimal == "." else {ord("."): "?", ord(","): "."}

    @cached_property
    def open(self) -> re.Pattern[str]:
        """What a line is that ends inside a quoted cell: whole cells with what is between, then a quote left open."""
        mark = re.escape(self.delimiter)
        return re.compile(rf'(?:(?:"(?:[^"]|"")*+"[^{mark}]*+|[^"{mark}][^{mark}]*+|){mark})*+"(?:[^"]|"")*+')

    def is_open(self, row: bytes) -> bool:
        """Return whether a row ends inside a quoted cell."""
        return b'"' in row and self.open.fullmatch(row.decode("latin-1")) is not None

    def joined(self, cells: Sequence[str]) -> str:
        """Return the numbers in cells as Python writes them, with commas between."""
        return ",".join(cells) if not self.points else "\n".join(cells).translate(self.points).replace("\n", ",")

    def number(self, cell: str) -> float:
        """Return the number in a cell; ValueError where there is none."""
        return float(cell.replace("_", "?").translate(self.points))

    def is_number(self, cell: str) -> bool:
        """Return whether a cell holds a number."""
        with suppress(ValueError):
            return self.number(cell) is not None
        return False

    def is_grouped(self, cell: str) -> bool:
        """Return whether a cell that is no number here would be one without marks between thousands."""
        return GROUPED.fullmatch(cell.strip()) is not None and not self.is_number(cell)

    def refusal(self, name: str, cell: str) -> EvaluationError:
        """Return the error of a cell that is no number."""
        help = "write a number such as 2 or 1e-3"
        if self.is_grouped(cell):
            help = f"write no thousands: decimals begin with {self.decimal!r} here; --decimal says otherwise"
        elif re.fullmatch(r"[-+]?\d*[.,]\d+", cell):
            help = f"decimals begin with {self.decimal!r} here"
            help += (
                ": --decimal says another character" if self.delimiter != "," else ", for commas stand between cells"
            )
        return EvaluationError("E207", f"the value of {name} is no number: {cell[:40]!r}", help=help)

    def row(self, cells: Sequence[str]) -> str:
        """Return a row; a text with what is between cells, or with quotes, stands in quotes."""
        row = StringIO()
        csv.writer(row, lineterminator="", delimiter=self.delimiter).writerow(cells)
        return row.getvalue()

    @classmethod
    def of(
        cls, head: str, names: Sequence[str] = (), delimiter: str | None = None, decimal: str | None = None
    ) -> Dialect:
        """Return how a file is written, by its beginning, or as somebody says.

        Decimals begin with a comma where cells of the columns `names` do, or of all columns if there are none, and no
        cell has a point.
        """
        delimiter = delimiter or delimiter_of(head)
        if delimiter == decimal:
            message = f"{decimal!r} would stand between cells and before decimals"
            raise UsageError("E014", message, help="write --delimiter ';' --decimal , or leave both out")
        if decimal is None and delimiter != ",":
            rows = list(islice(csv.reader(SEPARATED.sub("", head).splitlines(), delimiter=delimiter), SHOWN))
            header = rows[0] if rows else ()
            places = [place for place, name in enumerate(header) if not names or normal_name(name) in names]
            cells = [row[place].strip() for row in rows for place in places if place < len(row)]
            has_comma, has_point = (
                any(re.fullmatch(rf"[-+]?\d*{mark}\d+(?:[eE][-+]?\d+)?", cell) for cell in cells)
                for mark in (",", r"\.")
            )
            decimal = "," if has_comma and not has_point else "."
        return cls(delimiter, decimal or ".")


def decoded(data: bytes) -> str:
    """Return the text of a file in UTF-8 or, by its mark, UTF-16; UnicodeDecodeError for another."""
    return data.decode("utf-16" if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig")


def delimiter_of(text: str) -> str:
    """Return the character between cells: that which the first line names, or has most often outside of quotes.

    Lines of one cell above the others are titles, and do not tell.
    """
    if declaration := SEPARATED.match(text):
        return declaration[1]
    lines = LINES.split(text.lstrip("\r\n"), maxsplit=TITLES)[:TITLES]
    head = next((line for line in lines if any(mark in line for mark in DELIMITERS)), lines[0])
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))  # between others, a long line is one cell
    return max(DELIMITERS, key=lambda delimiter: len(next(csv.reader([head], delimiter=delimiter), ())))


def normal_name(cell: str) -> str:
    """Return the name that a cell of a header spells, in one form for letters that have two."""
    return normalize("NFC", cell.strip())


def delimiter_named(text: str) -> str:
    """Return the character that an option names; UsageError where it is none."""
    delimiter = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(text, text)
    if len(delimiter) != 1 or delimiter in '"\r\n.' or delimiter.isalnum() or not delimiter.isascii():
        raise UsageError("E001", f"--delimiter {text} is no delimiter", help="write ',', ';', '|' or tab")
    return delimiter


COMMAS = Dialect()
