"""The document of a run, schema `gradcli.run/1`: the printed text, and the events line by line."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.errors import GradcliError
from gradcli.findings.finding import Finding
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import Document, explanation_document, facts
from gradcli.render.findings.text import finding
from gradcli.render.text.looks import Looks
from gradcli.script.comparison import Difference, Failure, Outcome, failure_text
from gradcli.script.reading import Snippet
from gradcli.script.timeline.model import (
    Accumulated,
    Backward,
    Event,
    LeafState,
    Loop,
    Returned,
    Timeline,
    Update,
    Updated,
)
from gradcli.source import visible
from gradcli.stream.values import plain


def snippet_document(
    name: str, printed: str, timeline: Timeline, error: GradcliError | None, findings: Sequence[Finding] = ()
) -> Document:
    """Return the document of a run; the error is the one that stopped it."""
    return {
        "schema": "gradcli.run/1",
        "ok": error is None,
        "file": name,
        "printed": printed,
        "findings": [*map(finding, findings)],
        "timeline": [event(fact) for fact in timeline.events],
        "training": [training(loop) for loop in timeline.training],
        "leaves": [leaf(state) for state in timeline.leaves],
        "notes": [*map(facts, timeline.notes)],
        "error": None if error is None else error.facts(),
    }


def event(fact: Event) -> Document:
    """Return an event with the facts of its kind."""
    place = {"source": fact.source.name, "line": fact.line}
    return {"kind": fact.kind, **place, "times": fact.times, **details(fact)}


def details(fact: Event) -> Document:
    match fact:
        case Backward():
            accumulated, retained = map(leaf, fact.accumulated), map(leaf, fact.retained)
            return {"output": fact.output, "accumulated": [*accumulated], "retained": [*retained], **explained(fact)}
        case Returned():
            gradients = [{"name": name, "gradient": plain(gradient)} for name, gradient in fact.gradients]
            return {"output": fact.output, "gradients": gradients, **explained(fact)}
        case Updated():
            changed = [{"name": name, "before": plain(a), "after": plain(b)} for name, a, b in fact.parameters]
            updates, notes = [*map(update, fact.updates)], [*map(facts, fact.notes)]
            return {"optimizer": fact.optimizer, "parameters": changed, "updates": updates, "notes": notes}
    return {name: value for name, value in facts(fact).items() if name not in ("source", "line", "times")}


def update(fact: Update) -> Document:
    """Return the options and the formulas of an update, with the numbers of one entry."""
    lines = [
        {
            "target": line.target,
            "formula": unparse(line.formula),
            "operands": {name: plain(value) for name, value in line.operands},
            "value": plain(line.value),
        }
        for line in fact.lines
    ]
    options = {name: plain(value) for name, value in fact.options}
    return {"name": fact.name, "entry": list(fact.entry), "options": options, "lines": lines}


def explained(fact: Backward | Returned) -> Document:
    """Return the facts that passes have in common."""
    explanation = None if fact.explanation is None else lesson(explanation_document(fact.explanation))
    return {"explanation": explanation, "notes": [*map(facts, fact.notes)]}


def lesson(document: Document) -> Document:
    """The explanation inside another document."""
    return {key: value for key, value in document.items() if key not in ("schema", "ok", "program")}


def training(fact: Loop) -> Document:
    """Return the progress of a loop."""
    epochs = [
        {
            "epoch": epoch.label,
            "passes": epoch.passes,
            "loss": None if epoch.loss is None else plain(epoch.loss),
            "norms": {name: plain(norm) for name, norm in epoch.norms},
            "dead": epoch.dead,
            "units": epoch.units,
        }
        for epoch in fact.epochs
    ]
    place = {"source": fact.source.name, "line": fact.line}
    return {**place, "by": fact.by, "passes": fact.passes, "count": fact.count, "epochs": epochs}


def leaf(fact: LeafState | Accumulated) -> Document:
    return {name: value or None if name in ("renamed", "reason") else value for name, value in facts(fact).items()}


# A snippet here and on torch: that both agree, or the first line at which they differ.


LONGEST = 2000  # characters of a side


def comparison_text(
    snippet: Snippet, version: str, ours: Outcome, theirs: Outcome, difference: Difference | None, looks: Looks
) -> str:
    """Return the sentence that both agree, or the line with the two sides below it."""
    if difference is None:
        lines, leaves = len([*theirs.lines()]), len(ours.gradients.keys() & theirs.gradients.keys())
        parts = [f"{lines} line{'s' * (lines != 1)} printed", f"{leaves} gradient{'s' * (leaves != 1)}"]
        if theirs.failure is not None:
            parts.append(visible(failure_text(theirs.failure)))
        return f"gradcli and torch {version} agree: {', '.join(parts)}"
    cell, number = difference.place
    source = next((part for part in snippet.cells if part.name == cell), None)
    at = f" at {visible(cell)}:{number}" if source is not None and number else ""
    rows = [f"gradcli differs from torch {version}{at}: {visible(difference.of)}"]
    if source is not None and number:
        bar = "|" if looks.ascii else "│"
        rows.append(f"  {number} {bar} {visible(source.line(number).rstrip())}")
    rows += [f"  gradcli  {side(difference.ours)}", f"  torch    {side(difference.theirs)}"]
    return "\n".join(rows)


def side(text: str) -> str:
    return visible(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")


def comparison_document(
    snippet: Snippet, version: str, ours: Outcome, theirs: Outcome, difference: Difference | None
) -> Document:
    """Return both sides and the first difference, schema `gradcli.comparison/1`."""
    return {
        "schema": "gradcli.comparison/1",
        "ok": True,
        "agrees": difference is None,
        "difference": difference
        and {
            "source": difference.place[0],
            "line": difference.place[1],
            "of": difference.of,
            "gradcli": difference.ours,
            "torch": difference.theirs,
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
