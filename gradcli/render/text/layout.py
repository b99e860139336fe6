"""Rows into aligned columns no wider than the terminal, coloured where colour helps.

Each cell stands in its column, or begins a line of its own where the row is too long for the columns.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar, overload

from rich.cells import cell_len

from gradcli.facts import dataclass
from gradcli.render.text.looks import Looks
from gradcli.render.text.wrapping import GLUE, HANG, widest, wrapped
from gradcli.source import visible

if TYPE_CHECKING:
    from rich.text import Text

T = TypeVar("T")
GAP = 2  # columns between columns
WIDEST = 160  # columns of a table where nothing says how wide a line may be: one long formula would pad all rows
ENDLESS = 10**9  # columns of a line that need not fit
INDENT = 2  # columns before a row below a title
MADE_BY = r"Backward\d$|^ ?(constant|no graph)$"
STYLES = {"title": "bold", "result": "", "note": "red", "aside": "dim", "": ""}
STYLES |= {"right": "", "partly": "", "wrong": "", "below": "", "why": "italic", "reason": "", "between": "dim"}
STYLES |= {"curve": ""}
BETWEEN = {"reason": 2, "why": 2, "between": 0}  # lines between aligned rows, and how far they stand in
# Of a row's first cell. Of the standard colours magenta and red can be read on black and on white, in most palettes.
FIRST = {"result": "bold magenta", "right": "green", "partly": "magenta", "wrong": "red"}
NAME = "bold"


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
    """Rows below a title; `columns` names their cells where a table has a head."""

    title: str
    rows: Sequence[Row]
    columns: tuple[str, ...] = ()


class Piece(NamedTuple):
    """A part of a cell on a line: the columns before it, the cell, the part, and the place and kind of the cell."""

    at: int
    text: str
    part: slice
    column: int
    kind: str


def lay_out(sections: Sequence[Section], looks: Looks) -> str:
    """The sections one below the other, without trailing spaces."""
    paint = _painter() if looks.color else _plain
    lines = [paint(line) for section in sections for line in section_lines(section, looks.width)]
    return "\n".join(lines).rstrip("\n")


def section_lines(section: Section, width: int | None) -> Iterator[list[Piece]]:
    """Yield the lines of a section: its title, its rows, and an empty one where it has no title."""
    indent = INDENT if section.title else 0
    room = ENDLESS if width is None else width
    if section.title:
        yield from _block(Piece(0, _harmless(section.title), slice(0), 0, "title"), room)
    for is_alone, rows in groupby(
        map(_of_texts, section.rows), lambda row: len(row.cells) == 1 and row.kind not in BETWEEN
    ):
        if is_alone:
            for row in rows:
                yield from _block(Piece(indent, row.cells[0], slice(0), 0, row.kind), room)
        else:
            yield from _table(list(rows), indent, room)
    if not section.title:
        yield []


def _of_texts(row: Row) -> Row:
    """Return a row in which no character acts on a terminal, whatever it holds."""
    if all(map(str.isprintable, row.cells)):
        return row
    return Row(tuple(map(_harmless, row.cells)), row.kind)


def _harmless(text: str) -> str:
    return "\n".join(map(visible, text.split("\n")))


def _block(cell: Piece, room: int) -> Iterator[list[Piece]]:
    """Yield a cell on as many lines as it needs, the second and the following ones a little further in.

    The rows of a matrix stand below each other.
    """
    begin = 0
    for row, line in enumerate(cell.text.split("\n")):
        at = cell.at + max(cell.text.find("[["), 0) * bool(row)
        for number, part in enumerate(wrapped(line, room - at)):
            place = slice(begin + part.start, begin + part.stop)
            yield [cell._replace(at=at + HANG * bool(number), part=place)]
        begin += len(line) + 1


def _breadth(text: str) -> int:
    """Return the columns of a cell with all its lines."""
    if "\n" not in text:
        return cell_len(text)
    first, *rows = text.split("\n")
    return max(cell_len(first), *(max(first.find("[["), 0) + cell_len(row) for row in rows))


def _table(rows: Sequence[Row], indent: int, room: int) -> Iterator[list[Piece]]:
    """Yield rows in columns; the rows below others have columns of their own."""
    most = WIDEST if room == ENDLESS else room
    aligned = [row for row in rows if len(row.cells) > 1]
    starts = {
        is_below: _starts([row for row in aligned if (row.kind == "below") is is_below], indent, most)
        for is_below in (False, True)
    }
    for row in rows:
        if len(row.cells) == 1:
            for line in filter(None, row.cells[0].split("\n")):
                yield from _block(Piece(indent + BETWEEN[row.kind], line, slice(0), 0, row.kind), room)
        else:
            yield from _row(row, starts[row.kind == "below"], indent, room)


def _starts(rows: Sequence[Row], indent: int, most: int) -> dict[int, int]:
    """Return where each column starts: all short names fit, then as many rows as can, then beginnings of the others."""
    sizes = sorted(([_breadth(text) for text in row.cells] for row in rows), key=sum)
    widths: dict[int, int] = {0: max((size[0] for size in sizes if size[0] * 3 <= most), default=0)}
    for is_whole in (True, False):
        for size in sizes:
            for count in [len(size)] if is_whole else range(len(size) - 1, 1, -1):
                wider = widths | {column: max(widths.get(column, 0), n) for column, n in enumerate(size[:count]) if n}
                if indent + sum(wider.values()) + GAP * (len(wider) - 1) - 1 <= most:
                    widths = wider
                    break
    starts, at = {}, indent
    for column, width in sorted(widths.items()):
        starts[column] = at
        at += width + (GAP if column else 1)
    return {1: indent + widths[0] + 1, **starts}


def _row(row: Row, starts: dict[int, int], indent: int, room: int) -> Iterator[list[Piece]]:
    """Yield the lines of a row: cells in their columns as far as they fit, and each other one on a line of its own."""
    line: list[Piece] = []
    at, lead = indent, max(starts[1], indent + HANG) if starts[1] * 2 <= room else indent + HANG
    for column, text in enumerate(row.cells):
        start, size = starts.get(column, room), _breadth(text)
        if not text:
            continue
        cell = Piece(start, text, slice(0, len(text)), column, row.kind)
        least = size if "\n" in text else widest(text) + HANG  # of which no part is split
        fits = start + size <= room or (column < 2 and start * 2 <= room and least <= room - start)
        if not (at <= start and fits):
            if line:
                yield line
            line = []
            is_name = column == 0
            cell = cell._replace(at=indent if is_name or least > room - lead else lead)
        *before, last = _block(cell, room)
        for piece in before:
            yield [*line, *piece]
            line = []
        line += last
        at = room if before else cell.at + size + (GAP if column else 1)
    yield line


def _plain(line: Sequence[Piece]) -> str:
    written, end = "", 0
    for piece in line:
        part = piece.text[piece.part].replace(GLUE, " ")
        written += " " * (piece.at - end) + part
        end = piece.at + cell_len(part)
    return written.rstrip()


def _painter() -> Callable[[Sequence[Piece]], str]:
    """Return the writer of lines in colour: each begins and ends without one, as pagers need it."""
    from rich.console import Console
    from rich.text import Text

    stream = io.StringIO()
    console = Console(
        file=stream, width=ENDLESS, color_system="standard", force_terminal=True, no_color=False, highlight=False,
        markup=False, emoji=False, legacy_windows=False,
    )  # fmt: skip

    def paint(line: Sequence[Piece]) -> str:
        text = Text()
        for piece in line:
            text.append(" " * (piece.at - text.cell_len))
            text.append_text(_cell(piece.text.replace(GLUE, " "), piece.column, piece.kind)[piece.part])
        console.print(text, soft_wrap=True, end="")
        written = stream.getvalue()
        stream.seek(0)
        stream.truncate()
        return written

    return paint


def _cell(text: str, column: int, kind: str) -> Text:
    """Names stand out a little, those of gradients in their colour, and torch's names of nodes step back."""
    from rich.text import Text

    cell = Text(text, style=STYLES[kind])
    if kind in ("note", "aside", "title", "between", "reason", "why"):
        return cell
    if column == 0:
        cell.stylize(FIRST.get(kind, NAME))
    elif re.search(MADE_BY, text):
        cell.stylize("dim")
    return cell
