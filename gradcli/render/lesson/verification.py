"""The table of `gradcli verify`."""

from __future__ import annotations

from typing import Any

from gradcli.explanation.verify import Verification
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import visible
from gradcli.stream.values import plain


def verification_page(verification: Verification, looks: Looks) -> str:
    """One row a variable, and a verdict."""
    header = Row(("", "chain rule", "engine", "differences", "relative error", ""), "aside")
    rows = [header]
    for row in verification.rows:
        values = (short(v, looks.precision, ascii=looks.ascii) for v in (row.chain_rule, row.engine, row.differences))
        verdict = "DISAGREES" if not row.agrees else "agrees" if row.differenced else "agrees, two ways"
        rows.append(Row((visible(row.name), *values, f"{row.relative_error:.1e}", verdict)))
    count = len(verification.rows)
    if count == 0:
        verdict = "there is no gradient to verify: the output depends on no variable"
    elif verification.agrees:
        verdict = (
            f"{'the gradient agrees' if count == 1 else f'all {count} gradients agree'} to {verification.tolerance:g}"
        )
    else:
        wrong = ", ".join(visible(row.name) for row in verification.rows if not row.agrees)
        verdict = f"the gradients of {wrong} disagree"
    notes = [Row((visible(note.message),), "note") for note in verification.notes]
    sections = [Section("Gradients, three ways", rows), Section("Verdict", [Row((verdict,))]), Section("Notes", notes)]
    return lay_out([section for section in sections if len(section.rows) > (section.rows is rows)], looks)


def verification_document(verification: Verification) -> dict[str, Any]:
    """The document `gradcli.verification/1`."""
    return {
        "schema": "gradcli.verification/1",
        "ok": verification.agrees,
        "program": verification.program,
        "tolerance": verification.tolerance,
        "rows": [
            {
                "name": row.name,
                "chain_rule": plain(row.chain_rule),
                "engine": plain(row.engine),
                "differences": plain(row.differences),
                "relative_error": plain(row.relative_error),
                "agrees": row.agrees,
            }
            for row in verification.rows
        ],
    }
