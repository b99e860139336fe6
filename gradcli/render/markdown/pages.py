"""The pages of the commands in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from gradcli.explanation.chain.links import Trace
from gradcli.explanation.model import Explanation
from gradcli.findings.examination import Ran
from gradcli.render.findings.text import findings_head
from gradcli.render.graph.mermaid import mermaid
from gradcli.render.lesson.page import sections
from gradcli.render.lesson.trace import trace_sections
from gradcli.render.run.timeline import timeline_sections
from gradcli.render.text.layout import BETWEEN, Row, Section
from gradcli.render.text.looks import Asked
from gradcli.render.text.wrapping import GLUE
from gradcli.source import visible

# Sections as Markdown, as GitHub reads it: headings, tables, and texts as code, where nothing means anything.


SENTENCES = ("between", "why")
# Signs of emphasis, code, links, HTML and tables, mentions and maths; of lists at the beginning; of addresses, emoji.
MEANS = re.compile(r"[\\`*_\[\]<>|~&$@#]|^[-+=]|^\d(?=\d*[.)])|:(?=//|\w+:)|(?<=www)\.", re.IGNORECASE)


def laid_out(sections: Sequence[Section], level: int = 2) -> Iterator[str]:
    """Yield the blocks of sections, whose titles are headings of a level."""
    for section in sections:
        if section.title:
            yield f"{'#' * level} {titled(section.title)}"
        for (is_alone, is_drawn), rows in groupby(section.rows, _kind):
            if is_drawn:
                yield fenced("\n".join(row.cells[0] for row in rows))
            elif not is_alone:
                yield table(list(rows), section.columns)
            elif section.title:
                yield "\n\n".join(f"*{plain(row.cells[0])}*" for row in rows)
            else:
                yield fenced("\n".join(row.cells[0] for row in rows))


def _kind(row: Row) -> tuple[bool, bool]:
    return len(row.cells) == 1 and row.kind not in BETWEEN, row.kind == "curve"


def table(rows: Sequence[Row], columns: Sequence[str], links: Sequence[str | None] = ()) -> str:
    """Write rows as a table, and the first cell of a row as its link, if it has one.

    A row that stands between others has its text in the second column.
    """
    rows = [line for row in rows for line in _lines(row)]

    def written(row: Row, place: int) -> str:
        text = row.cells[place].replace(GLUE, " ") if place < len(row.cells) else ""
        return sentence(text) if row.kind in SENTENCES else cell(text, is_headed=bool(columns and place))

    width = max(len(row.cells) for row in rows)
    used = [place for place in range(width) if any(place < len(row.cells) and row.cells[place] for row in rows)]
    lines = [[written(row, place) for place in used] for row in rows]
    for line, link in zip(lines, links, strict=False):
        line[0] = f"[{line[0]}]({link})" if link else line[0]
    named = [columns[place] if place < len(columns) else "" for place in used]
    return "\n".join(f"| {' | '.join(line)} |" for line in [named, ["---"] * len(used), *lines])


def _lines(row: Row) -> Iterator[Row]:
    """Yield the lines of a row that stands between others, each in the second column; any other row as it is."""
    if len(row.cells) > 1:
        yield row
    else:
        yield from (Row(("", line), row.kind) for line in row.cells[0].split("\n"))


def sentence(text: str) -> str:
    return f"*{plain(text)}*" if text else ""


def cell(text: str, *, is_headed: bool) -> str:
    """Write the text of a cell, without the sign between it and the one before where a head says what it is."""
    if is_headed:
        text = text.removeprefix("= ")
    rows = map(code, text.split("\n")) if text.strip() else ()  # of a matrix
    return re.sub(r"\\*\|", r"\\|", "<br>".join(rows))


def code(text: str) -> str:
    """Write a text as code within a line; a text with backticks stands between more of them."""
    line = " ".join(visible(text).split("\n")).strip()
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    space = " " if len(fence) > 1 else ""
    return f"{fence}{space}{line}{space}{fence}"


def titled(title: str) -> str:
    """Write a title; a line of a snippet and a derivative stand in it as code."""
    if match := re.match(r"((?:cell \d+ )?line \d+): ", title):
        return f"{match[1].capitalize()}: {code(title[match.end() :])}"
    return code(title) if "/" in title and " " not in title else plain(title)


def plain(text: str) -> str:
    """Write a sentence, with everything that could mean something written as a character code."""
    line = " ".join(visible(text).split("\n")).strip()
    return MEANS.sub(lambda match: f"&#{ord(match[0])};", line)


def fenced(text: str, language: str = "") -> str:
    """Write a text as a block of code, between more backticks than it has anywhere."""
    lines = [visible(line) if line.strip() else "" for line in text.split("\n")]
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])


def eval_page(explanation: Explanation, asked: Asked) -> str:
    """Write the whole lesson."""
    parts = sections(explanation, asked, all=asked.all, why=asked.why)
    return joined(f"# Gradients of {code(explanation.output)}", *laid_out(parts))


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Write the derivation of each gradient."""
    parts = trace_sections(explanation, traces, asked, all=asked.all, why=asked.why)
    return joined(f"# Derivations for {code(explanation.output)}", *laid_out(parts))


def graph_page(explanation: Explanation, asked: Asked) -> str:
    """Write the graph as a block that GitHub draws."""
    return f"```mermaid\n{mermaid(explanation, asked)}\n```"


def run_page(ran: Ran, asked: Asked) -> str:
    """Write a snippet, what it printed, and what autograd did."""
    name = ran.snippet.cells[0].name.partition(" cell ")[0]
    return joined(f"# {code(name)}", *run_blocks(ran, asked))


def run_blocks(ran: Ran, asked: Asked) -> Iterator[str]:
    yield from (fenced(cell.text.rstrip("\n"), "python") for cell in ran.snippet.cells)
    if ran.printed.strip():
        yield "## Printed"
        yield fenced(ran.printed.rstrip("\n"))
    if ran.examined.findings:
        yield "## Findings"
        yield fenced(findings_head(ran.examined, asked))
    failed = ran.error is not None
    yield from laid_out(
        timeline_sections(
            ran.timeline, asked, all=asked.all, failed=failed, why=asked.why, torch_nodes=asked.torch_nodes
        )
    )
    if ran.error is not None:
        yield "## Error"
        yield plain(f"{ran.error.code}: {visible(ran.error.message)}")


def joined(*blocks: str) -> str:
    return "\n\n".join(blocks)
