"""Rows into aligned columns: wrapped to the terminal's width, coloured where colour helps."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Generic, TypeVar, overload

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gradcli.render.text.looks import Looks

T = TypeVar("T")
GAP = 2  # columns between columns
WIDEST = 160  # columns of a table where nothing says how wide a line may be: one long formula would pad all rows
INDENT = 2  # columns before a row below a title
NUMBER = r"(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?\b"
MADE_BY = r"Backward\d$|^ ?(constant|no graph)$"
STYLES = {"title": "bold", "result": "", "note": "magenta", "aside": "dim", "": ""}
STYLES |= {"right": "", "partly": "", "wrong": "", "below": "", "why": "italic"}
FIRST = {"result": "bold", "right": "green", "partly": "yellow", "wrong": "red"}  # of a row's first cell; else cyan


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one line, and its kind (a key of `STYLES`).

    Rows of the kind `below` belong to the row before them, and are aligned with one another alone; those of the kind
    `why` stand between rows that are aligned across them.
    """

    cells: tuple[str, ...]
    kind: str = ""


class Rows(Sequence[Row], Generic[T]):
    """Rows that are written when they are looked at: a page shows only the first of a long program."""

    def __init__(self, items: Sequence[T], write: Callable[[T], Row]) -> None:
        self.items = items
        self.write = write

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> list[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | list[Row]:
        if isinstance(index, slice):
            return [self.write(item) for item in self.items[index]]
        return self.write(self.items[index])


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: Sequence[Row]


def lay_out(sections: Sequence[Section], looks: Looks) -> str:
    """The sections one below the other, without trailing spaces."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=looks.width or max(map(_width, sections), default=1),
        color_system="standard" if looks.color else None,
        force_terminal=looks.color,
        no_color=not looks.color,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    for section in sections:
        if section.title:
            console.print(Text(section.title, style="bold"))
        across = _columns([row for row in section.rows if len(row.cells) > 1]) if _is_explained(section) else None
        for (alone, _), rows in groupby(section.rows, lambda row: (len(row.cells) == 1, row.kind == "below")):
            indent = INDENT if section.title else 0
            available, found = console.width - indent, list(rows)
            if looks.width is None and not alone:
                available = min(available, WIDEST)
            columns = across if across and not alone else _columns(found)
            if looks.color or _total(columns) > available:
                console.print(Padding(_table(found, columns, available, alone=alone), (0, 0, 0, indent)))
            else:  # rich takes its time over a table, and timelines have tens of thousands of rows
                stream.writelines(f"{' ' * indent}{_line(row, columns)}\n" for row in found)
        if not section.title:
            console.print()
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().split("\n"))


def _is_explained(section: Section) -> bool:
    return any(row.kind == "why" for row in section.rows)


def _width(section: Section) -> int:
    """The columns that a section takes when nothing wraps."""
    columns = _columns([row for row in section.rows if len(row.cells) > 1])
    alone = (cell_len(row.cells[0]) for row in section.rows if len(row.cells) == 1)
    return max(
        cell_len(section.title), INDENT + sum(columns.values()) + GAP * len(columns), *(INDENT + n for n in alone)
    )


def _columns(rows: Sequence[Row]) -> dict[int, int]:
    """The width of each column; those that are empty in every row are left out."""
    widths: dict[int, int] = {}
    for row in rows:
        for column, text in enumerate(row.cells):
            widths[column] = max(widths.get(column, 0), cell_len(text))
    return {column: width for column, width in widths.items() if width or column == 0}


def _total(columns: dict[int, int]) -> int:
    return sum(columns.values()) + GAP * (len(columns) - 1)


def _line(row: Row, columns: dict[int, int]) -> str:
    """A row without colour whose cells fit: one space after the first, and two after each of the others."""
    texts = [row.cells[column] if column < len(row.cells) else "" for column in columns]
    first, *others = (
        text + " " * (width - cell_len(text)) for text, width in zip(texts, columns.values(), strict=True)
    )
    return f"{first} {(' ' * GAP).join(others)}"


def _table(rows: Sequence[Row], columns: dict[int, int], available: int, *, alone: bool) -> Table:
    """Aligned columns where they fit; else the cells of a row one after the other, below each other's equals signs."""
    rows = [Row(tuple(row.cells[c] if c < len(row.cells) else "" for c in columns), row.kind) for row in rows]
    if not alone and _total(columns) > available:
        rows = [line for row in rows for line in _flowed(row, available - columns[0] - 1)]
    table = Table.grid(padding=(0, 1, 0, 0))
    for column in range(max(len(row.cells) for row in rows)):
        least = columns[0] if column == 0 and not alone else None
        table.add_column(overflow="fold", no_wrap=least is not None, min_width=least)
    for row in rows:
        cells = (_cell(f" {text}" if column > 1 else text, column, row.kind) for column, text in enumerate(row.cells))
        table.add_row(*cells)
    return table


def _flowed(row: Row, width: int) -> list[Row]:
    """The row in two columns: its name, and its other cells on as few lines as fit."""
    lines: list[str] = []
    for text in filter(None, row.cells[1:]):
        if lines and cell_len(lines[-1]) + GAP + cell_len(text) <= width:
            lines[-1] += " " * GAP + text
        else:
            lines.append(text)
    return [Row((row.cells[0] if n == 0 else "", line), row.kind) for n, line in enumerate(lines or [""])]


def _cell(text: str, column: int, kind: str) -> Text:
    """Names stand out a little, numbers in colour, torch's names of nodes step back."""
    cell = Text(text, style=STYLES[kind])
    if kind in ("note", "aside", "title"):
        return cell
    if column == 0:
        cell.stylize(FIRST.get(kind, "cyan"))
    elif re.search(MADE_BY, text):
        cell.stylize("dim")
    else:
        cell.highlight_regex(NUMBER, "bold green" if kind == "result" else "green")
    return cell
