"""Rows into aligned columns: wrapped to the terminal's width, coloured where colour helps."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gradcli.render.looks import Looks

GAP = 2  # columns between columns
UNLIMITED = 1_000_000  # columns of a pipe: nothing wraps there
NUMBER = r"(?<![\w.])-?\d+(\.\d+)?(e[+-]?\d+)?\b"
STYLES = {"title": "bold", "result": "", "note": "magenta", "aside": "dim", "": ""}


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one line, and what kind of line it is (a key of `STYLES`)."""

    cells: tuple[str, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    rows: Sequence[Row]


def lay_out(sections: Sequence[Section], looks: Looks) -> str:
    """The sections one below the other, without trailing spaces."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=looks.width or UNLIMITED,
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
        console.print(_table(section, looks))
        if not section.title:
            console.print()
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().split("\n"))


def _table(section: Section, looks: Looks) -> Padding:
    """Aligned columns where they fit; else the cells of a row one after the other, below each other's equals signs."""
    indent = 2 if section.title else 0
    columns = max(len(row.cells) for row in section.rows)
    widths = [max(cell_len(row.cells[c]) for row in section.rows if c < len(row.cells)) for c in range(columns)]
    available = (looks.width or UNLIMITED) - indent
    rows = list(section.rows)
    if sum(widths) + GAP * (columns - 1) > available and columns > 1:
        columns = 2
        rows = [line for row in rows for line in _flowed(row, available - widths[0] - 1)]
    table = Table.grid(padding=(0, 1, 0, 0))
    for column in range(columns):
        table.add_column(overflow="fold", no_wrap=column == 0 and columns > 1)
    for row in rows:
        cells = [_cell(f" {text}" if column > 1 else text, column, row.kind) for column, text in enumerate(row.cells)]
        table.add_row(*cells, *[Text() for _ in range(columns - len(cells))])
    return Padding(table, (0, 0, 0, indent))


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
        cell.stylize("bold" if kind == "result" else "cyan")
    elif text.endswith("Backward0") or text == "constant":
        cell.stylize("dim")
    else:
        cell.highlight_regex(NUMBER, "bold green" if kind == "result" else "green")
    return cell
