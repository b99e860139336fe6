"""The table of `gradcli verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from rich.cells import cell_len

from gradcli.explanation.model import Note
from gradcli.explanation.verify import Row as Comparison
from gradcli.explanation.verify import Verification
from gradcli.render.documents.explanation import notes_document
from gradcli.render.text.layout import GAP, INDENT, Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import visible
from gradcli.stream.values import plain

COLUMNS = ("", "chain rule", "engine", "differences", "", "relative error", "")


def verification_page(verification: Verification, looks: Looks) -> str:
    """One row a variable, and a verdict with the reasons behind it.

    Where a row is wider than the terminal, each variable has a line for each of its numbers instead.
    """
    table = [_cells(row, looks) for row in verification.rows]
    widths = [max(map(cell_len, column)) for column in zip(COLUMNS, *table, strict=True)]
    is_wide = looks.width is None or INDENT + sum(widths) + GAP * len(widths) - 1 <= looks.width
    head = Row(COLUMNS, "aside")
    rows = [head, *map(Row, table)] if is_wide else [row for cells in table for row in _labelled(cells)]
    verdict = [Row((visible(line),)) for line in _verdict(verification)]
    reasons = tuple(row.reason for row in verification.rows if not row.agrees)
    untold = (note for note in verification.notes if not any(reason.startswith(_fact(note)) for reason in reasons))
    notes = [Row((visible(note.message),), "note") for note in untold]
    sections = [Section("Gradients, three ways", rows), Section("Verdict", verdict), Section("Notes", notes)]
    return lay_out([section for section in sections if len(section.rows) > (section.rows is rows and is_wide)], looks)


def _cells(row: Comparison, looks: Looks) -> tuple[str, ...]:
    """Return the cells of a variable, one a column."""
    values = (short(v, looks.precision, ascii=looks.ascii) for v in (row.chain_rule, row.engine, row.differences))
    bound = "" if np.isnan(row.errors).all() else f"{'+-' if looks.ascii else '±'}{np.nanmax(row.errors):.0e}"
    error = "" if np.isnan(row.relative_error) else f"{row.relative_error:.1e}"
    outcome = "DISAGREES" if row.outcome == "disagrees" else row.outcome.value
    return visible(row.name), *values, bound, error, outcome


def _labelled(cells: Sequence[str]) -> Iterator[Row]:
    """Yield a row for each cell, with the name of its column; the error of the differences stands beside them."""
    name, chain_rule, engine, differences, bound, error, outcome = cells
    yield Row((name, COLUMNS[1], chain_rule))
    yield Row(("", COLUMNS[2], engine))
    yield Row(("", COLUMNS[3], f"{differences} {bound}".rstrip()))
    if error:
        yield Row(("", COLUMNS[5], error))
    yield Row(("", outcome))


def _fact(note: Note) -> str:
    """Return a note without the convention behind it, which a verdict tells in its own words."""
    return note.message.partition(";")[0]


def _verdict(verification: Verification) -> Iterator[str]:
    count = len(verification.rows)
    if count == 0:
        yield "there is no gradient to verify: the output depends on no variable"
    elif verification.agrees:
        subject = {1: "the gradient agrees", 2: "both gradients agree"}.get(count, f"all {count} gradients agree")
        yield f"{subject} to {verification.tolerance:g}"
    for row in verification.rows:
        if not row.agrees:
            reason = f": {row.reason}" if row.reason else " with its slope"
            yield f"the gradient of {row.name} {row.outcome.value}{reason}"


def verification_document(verification: Verification) -> dict[str, Any]:
    """The document `gradcli.verification/1`."""
    return {
        "schema": "gradcli.verification/1",
        "ok": verification.agrees,
        "outcome": verification.outcome.value,
        "program": verification.program,
        "tolerance": verification.tolerance,
        "rows": [
            {
                "name": row.name,
                "chain_rule": plain(row.chain_rule),
                "engine": plain(row.engine),
                "differences": plain(row.differences),
                "error_estimate": plain(row.errors),
                "relative_error": None if np.isnan(row.relative_error) else plain(row.relative_error),
                "agrees": row.agrees,
                "outcome": row.outcome.value,
                "reason": row.reason or None,
            }
            for row in verification.rows
        ],
        "notes": notes_document(verification.notes),
    }
