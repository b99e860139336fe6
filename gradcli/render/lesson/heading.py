"""The head of a lesson: the program and the point at which it is explained; and the rows of a section that fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len

from gradcli.explanation.model import Explanation
from gradcli.language.tree import Statement
from gradcli.language.unparser import unparse_statement
from gradcli.render.lesson.terms import Terms
from gradcli.render.text.layout import Row, Rows
from gradcli.render.text.looks import Looks
from gradcli.render.text.wrapping import HANG, lines_of
from gradcli.source import visible

WIDEST = 98  # columns of a line with the program and the point
MOST = 40  # rows of a section, unless all are asked for


def heading(explanation: Explanation, terms: Terms, *, all: bool) -> list[Row]:
    """The program, and the point at which it is explained."""
    variables = explanation.variables
    given = {node.name for node in variables}
    statements = []
    for statement in explanation.parsed.statements:
        if statement.target in given:  # the first says the value, which follows below
            given.remove(statement.target)
        else:
            statements.append(statement)
    point = [f"{visible(node.name)} = {terms.grid(node.value, width=40)}" for node in variables]
    if explanation.sizes is not None:
        point = [f"{visible(name)} ({', '.join(map(str, sizes))})" for name, sizes in explanation.sizes.items()]
    if not terms.plain_seed and explanation.steps and explanation.sizes is None:
        point.append(f"upstream {terms.total(explanation.output)} = {terms.grid(explanation.upstream, width=40)}")
    at = f"{'at' if explanation.sizes is None else 'for'} {', '.join(point)}" if point else ""
    written = Rows(statements, partial(_statement, terms=terms))
    lines = shown(written, terms.looks, all=all, ending=last(written))
    if (
        at
        and "\n" not in at
        and len(lines) == 1
        and len(lines[0].cells[0]) + len(at) + 8 < min(terms.looks.width or WIDEST, WIDEST)
    ):
        return [Row((f"{lines[0].cells[0]}        {at}",), "title")]
    return [*lines, *_points(at, point, terms.looks.width)] if at else lines


def _points(at: str, point: Sequence[str], width: int | None) -> list[Row]:
    """Return the values of the variables on lines that break between variables where they can."""
    if "\n" not in at and (width is None or cell_len(at) <= width):
        return [Row((at,), "title")]
    word, indent = at.partition(" ")[0], " " * (at.index(" ") + 1)
    width = width or WIDEST
    lines = [f"{word} {point[0]}"]
    for item in point[1:]:
        if "\n" not in lines[-1] + item and cell_len(lines[-1]) + cell_len(item) + 3 <= width:  # and a comma behind it
            lines[-1] += f", {item}"
        else:
            lines[-1] += ","
            lines.append(indent + item)
    return [Row((part,), "title") for line in lines for part in _parts(line, width, len(indent) + HANG)]


def _parts(line: str, width: int, hang: int) -> list[str]:
    """Return the lines of a value: of a matrix its rows below the first, of anything else as many as it needs."""
    first, *rows = line.split("\n")
    return [first, *(" " * first.index("[[") + row for row in rows)] if rows else lines_of(line, width, hang)


def _statement(statement: Statement, terms: Terms) -> Row:
    return Row((visible(unparse_statement(statement, multiply=terms.looks.times)),), "title")


def shown(rows: Sequence[Row], looks: Looks, *, all: bool, ending: range | None = None) -> list[Row]:
    """The rows that fit a screen, those of the `ending` among them, and a line that says how to see the rest."""
    ending = range(0) if ending is None else ending
    first = MOST - len(ending)
    hidden = len(rows) - MOST
    if all or hidden <= 1:
        return list(rows)
    kind = "between" if ending else "aside"  # the rows before and after it are aligned
    rest = Row((f"{looks.ellipsis} {hidden:,} more: --all shows every row, --json has everything",), kind)
    return [*rows[:first], rest, *(rows[place] for place in ending)]


def last(rows: Sequence[Row]) -> range:
    """The place of the last row."""
    return range(len(rows))[-1:]
