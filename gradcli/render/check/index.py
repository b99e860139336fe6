"""The index of a class, for teachers: the commonest mistakes, the questions, and each student with a link."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from gradcli.homework.totals import LONGEST, ClassTotals
from gradcli.render.check.reports.cells import file_name
from gradcli.render.check.student import scrolled
from gradcli.render.check.table import class_sections, title
from gradcli.render.markdown.pages import plain, table
from gradcli.render.page.document import Html, element, still
from gradcli.render.text.layout import Section
from gradcli.render.text.looks import Asked

STUDENTS = "Students"
SHORT = 24  # characters of a cell that are kept on one line


def markdown_index(totals: ClassTotals, pages: str, asked: Asked) -> str:
    """Write the index in Markdown; the pages of the students lie in the folder `pages`, as seen from it."""
    blocks = [f"# {plain(title(totals, asked))}"]
    for part in in_order(totals, asked):
        links = paths(totals, pages, ".md") if part.title == STUDENTS else ()
        blocks += [f"## {plain(part.title)}", table(part.rows, part.columns, links)]
    return "\n\n".join(blocks) + "\n"


def paths(totals: ClassTotals, pages: str, ending: str) -> list[str | None]:
    """Return where the page of each student lies; None for a name that was cut, whose page is not known."""
    names = [student.name if len(student.name) < LONGEST else None for student in totals.students]
    return [None if name is None else f"{quote(pages)}/{quote(file_name(name, ending))}" for name in names]


def html_index(totals: ClassTotals, pages: str, asked: Asked) -> str:
    """Write the index in HTML; the pages of the students lie in the folder `pages`, as seen from it."""
    links = paths(totals, pages, ".html")
    counts = [(mistake.students, len(totals.students)) for mistake in totals.mistakes]
    sections = (section(part, links, counts) for part in in_order(totals, asked))
    name, _, mean = title(totals, asked).rpartition("   ")
    head = element("header", element("h1", name), element("p", mean, class_="score"))
    return still(name, element("main", head, *sections, data_gradcli="class"))


def in_order(totals: ClassTotals, asked: Asked) -> list[Section]:
    """Return the sections, the students last: there may be many."""
    return sorted(class_sections(totals, asked), key=lambda section: section.title == STUDENTS)


def section(part: Section, links: Sequence[str | None], counts: Sequence[tuple[int, int]]) -> Html:
    """Return a section as a table; its first column names the row."""
    rows = [[*row.cells, *[""] * (len(part.columns) - len(row.cells))] for row in part.rows]
    used = [column for column in range(len(part.columns)) if any(row[column] for row in rows)]
    cells = [
        [element("td", row[n], class_="short" if len(row[n]) <= SHORT else None) for n in used[1:]] for row in rows
    ]
    heads, firsts = [part.columns[n] for n in used], [row[used[0]] for row in rows]
    if part.title == STUDENTS:
        named = zip(firsts, links, strict=True)
        firsts = [element("a", name, href=link) if link else name for name, link in named]
    if part.title.startswith("Mistakes"):
        heads.append("share of the class")
        for row, (count, of) in zip(cells, counts, strict=True):
            row.append(element("td", element("meter", f"{count} of {of}", value=count, max=max(of, 1), min=0)))
    kinds = [row.kind or None for row in part.rows]
    return element(
        "section", element("h2", part.title), scrolled(part.title, heads, zip(firsts, cells, kinds, strict=True))
    )
