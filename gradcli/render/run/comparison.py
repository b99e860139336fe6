"""A snippet here and on torch: that both agree, or the first line at which they differ."""

from __future__ import annotations

from gradcli.render.documents.explanation import Document
from gradcli.render.text.looks import Looks
from gradcli.script.comparison import Difference, Failure, Outcome, told
from gradcli.script.reading import Snippet
from gradcli.source import visible
from gradcli.stream.values import plain

LONGEST = 2000  # characters of a side


def comparison_text(
    snippet: Snippet, version: str, ours: Outcome, theirs: Outcome, found: Difference | None, looks: Looks
) -> str:
    """Return the sentence that both agree, or the line with the two sides below it."""
    if found is None:
        lines, leaves = len([*theirs.lines()]), len(ours.gradients.keys() & theirs.gradients.keys())
        parts = [f"{lines} line{'s' * (lines != 1)} printed", f"{leaves} gradient{'s' * (leaves != 1)}"]
        if theirs.failure is not None:
            parts.append(visible(told(theirs.failure)))
        return f"gradcli and torch {version} agree: {', '.join(parts)}"
    cell, number = found.place
    source = next((one for one in snippet.cells if one.name == cell), None)
    at = f" at {visible(cell)}:{number}" if source is not None and number else ""
    rows = [f"gradcli differs from torch {version}{at}: {visible(found.of)}"]
    if source is not None and number:
        bar = "|" if looks.ascii else "│"
        rows.append(f"  {number} {bar} {visible(source.line(number).rstrip())}")
    rows += [f"  gradcli  {side(found.ours)}", f"  torch    {side(found.theirs)}"]
    return "\n".join(rows)


def side(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def comparison_document(
    snippet: Snippet, version: str, ours: Outcome, theirs: Outcome, found: Difference | None
) -> Document:
    """Return both sides and the first difference, schema `gradcli.comparison/1`."""
    return {
        "schema": "gradcli.comparison/1",
        "ok": True,
        "agrees": found is None,
        "difference": found
        and {
            "source": found.place[0],
            "line": found.place[1],
            "of": found.of,
            "gradcli": found.ours,
            "torch": found.theirs,
        },
        "version": version,
        "gradcli": outcome_document(ours),
        "torch": outcome_document(theirs),
    }


def outcome_document(outcome: Outcome) -> Document:
    gradients = {name: numbers(gradient) for name, gradient in outcome.gradients.items()}
    return {"printed": outcome.text, "gradients": gradients, "error": failure_document(outcome.failure)}


def numbers(gradient: object) -> object:
    """Return a gradient as JSON has it, from an array or from nested lists."""
    import numpy as np

    return None if gradient is None else plain(np.asarray(gradient)[()])


def failure_document(failure: Failure | None) -> Document | None:
    if failure is None:
        return None
    return {"kind": failure.kind, "message": failure.message, "source": failure.place[0], "line": failure.place[1]}
