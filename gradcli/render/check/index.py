"""The index of a class, for teachers: the commonest mistakes, the questions, and each student with a link."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from gradcli.homework.totals import LONGEST, ClassTotals
from gradcli.render.check.reports.cells import file_name
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
    for one in in_order(totals, asked):
        links = paths(totals, pages, ".md") if one.title == STUDENTS else ()
        blocks += [f"## {plain(one.title)}", table(one.rows, one.columns, links)]
    return "\n\n".join(blocks) + "\n"


def paths(totals: ClassTotals, pages: str, ending: str) -> list[str | None]:
    """Return where the page of each student lies; None for a name that was cut, whose page is not known."""
    names = [one.name if len(one.name) < LONGEST else None for one in totals.students]
    return [None if name is None else f"{quote(pages)}/{quote(file_name(name, ending))}" for name in names]


def html_index(totals: ClassTotals, pages: str, asked: Asked) -> str:
    """Write the index in HTML; the pages of the students lie in the folder `pages`, as seen from it."""
    links = paths(totals, pages, ".html")
    counts = [(one.students, len(totals.students)) for one in totals.mistakes]
    sections = (section(one, links, counts) for one in in_order(totals, asked))
    name, _, mean = title(totals, asked).rpartition("   ")
    head = element("header", element("h1", name), element("p", mean, class_="score"))
    return still(name, element("main", head, *sections, data_gradcli="class"))


def in_order(totals: ClassTotals, asked: Asked) -> list[Section]:
    """Return the sections, the students last: there may be many."""
    return sorted(class_sections(totals, asked), key=lambda section: section.title == STUDENTS)


def section(one: Section, links: Sequence[str | None], counts: Sequence[tuple[int, int]]) -> Html:
    """Return a section as a table; its first column names the row."""
    is_of_students = one.title == STUDENTS
    is_of_mistakes = one.title.startswith("Mistakes")
    used = [column for column in range(len(one.columns)) if any(cells(row.cells, column) for row in one.rows)]
    heads = [element("th", one.columns[column], scope="col") for column in used]
    if is_of_mistakes:
        heads.append(element("th", "share of the class", scope="col"))
    body = []
    for place, row in enumerate(one.rows):
        link = links[place] if is_of_students else None
        made = list(row_cells(row.cells, used, link))
        if is_of_mistakes:
            count, of = counts[place]
            made.append(element("td", element("meter", f"{count} of {of}", value=count, max=max(of, 1), min=0)))
        body.append(element("tr", *made, class_=row.kind or None))
    drawn = element("table", element("thead", element("tr", *heads)), element("tbody", *body))
    scroll = element("div", drawn, class_="scroll", tabindex=0, role="region", aria_label=one.title)
    return element("section", element("h2", one.title), scroll)


def row_cells(texts: Sequence[str], used: Sequence[int], link: str | None) -> Iterator[Html]:
    first, *others = used
    name = element("a", texts[first], href=link) if link else texts[first]
    yield element("th", name, scope="row")
    for column in others:
        text = cells(texts, column)
        yield element("td", text, class_="short" if len(text) <= SHORT else None)


def cells(texts: Sequence[str], column: int) -> str:
    return texts[column] if column < len(texts) else ""
