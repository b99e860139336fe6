"""Sections of a page as HTML tables, bare enough for readers of notebooks that take everything else away."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from itertools import groupby

from gradcli.render.page.document import Html, element
from gradcli.render.text.layout import BETWEEN, Row, Section


def tables(sections: Sequence[Section]) -> Html:
    """Return the sections, one below the other."""
    return element("div", *(part for section in sections for part in _section(section)))


def _section(section: Section) -> Iterator[Html]:
    if section.title:
        yield element("h4", section.title)
    for is_alone, rows in groupby(section.rows, lambda row: len(row.cells) == 1 and row.kind not in BETWEEN):
        if is_alone:
            yield from (element("p", _text(row)) for row in rows)
        else:
            yield _table(list(rows), section.columns)


def _text(row: Row) -> Html:
    """Return a line that stands by itself: a title as code, any other as a sentence."""
    return element("code", row.cells[0]) if row.kind == "title" else element("em", row.cells[0])


def _table(rows: Sequence[Row], columns: Sequence[str]) -> Html:
    width = max(len(row.cells) for row in rows)
    used = [n for n in range(width) if any(len(row.cells) > n and row.cells[n] for row in rows)]
    head = element("tr", *(element("th", columns[n] if n < len(columns) else "", align="left") for n in used))
    body = element("tbody", *(_row(row, used, is_headed=bool(columns)) for row in rows))
    return element("table", element("thead", head) if columns else None, body, cellpadding=4)


def _row(row: Row, used: Sequence[int], *, is_headed: bool) -> Html:
    if len(row.cells) == 1 and len(used) > 1:  # it stands between the others
        look = "code" if row.kind == "reason" else "em"  # an index formula, or a sentence
        parts = [part for line in row.cells[0].split("\n") for part in (element("br"), element(look, line))]
        return element("tr", element("td"), element("td", *parts[1:], colspan=len(used) - 1, align="left"))
    cells = [row.cells[n] if n < len(row.cells) else "" for n in used]
    if is_headed:  # the head says what stands there, without a sign between it and the cell before
        cells = [cells[0], *(cell.removeprefix("= ") for cell in cells[1:])]
    return element(
        "tr",
        *(
            element("td", element("pre" if "\n" in cell else "code", cell) if cell else None, align="left")
            for cell in cells
        ),
    )


def lines(text: str) -> Html:
    """Return a text with its lines as they are."""
    return element("pre", text)


def image(svg: str, alternative: str) -> Html:
    """Return a picture inside the document, which notebooks show where they drop markup of pictures."""
    data = b64encode(svg.encode()).decode()
    return element("img", src=f"data:image/svg+xml;base64,{data}", alt=alternative)


def framed(page: str, height: int = 640) -> Html:
    """Return a whole page within another, in a frame from which its script reaches nothing."""
    return element(
        "iframe", srcdoc=page, width="100%", height=height, sandbox="allow-scripts", title="Steps", frameborder=0
    )
