"""The table of `gradcli verify`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.explanation.verify import Verification
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import visible
from gradcli.stream.values import plain


def verification_page(verification: Verification, looks: Looks) -> str:
    """One row a variable, and a verdict with the reasons behind it."""
    rows = [Row(("", "chain rule", "engine", "differences", "", "relative error", ""), "aside")]
    for row in verification.rows:
        values = (short(v, looks.precision, ascii=looks.ascii) for v in (row.chain_rule, row.engine, row.differences))
        bound = "" if np.isnan(row.errors).all() else f"{'+-' if looks.ascii else '±'}{np.nanmax(row.errors):.0e}"
        error = "" if np.isnan(row.relative_error) else f"{row.relative_error:.1e}"
        outcome = "DISAGREES" if row.outcome == "disagrees" else row.outcome.value
        rows.append(Row((visible(row.name), *values, bound, error, outcome)))
    verdict = [Row((visible(line),)) for line in _verdict(verification)]
    notes = [Row((visible(note.message),), "note") for note in verification.notes]
    sections = [Section("Gradients, three ways", rows), Section("Verdict", verdict), Section("Notes", notes)]
    return lay_out([section for section in sections if len(section.rows) > (section.rows is rows)], looks)


def _verdict(verification: Verification) -> Iterator[str]:
    count = len(verification.rows)
    if count == 0:
        yield "there is no gradient to verify: the output depends on no variable"
    elif verification.agrees:
        subject = "the gradient agrees" if count == 1 else f"all {count} gradients agree"
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
    }
