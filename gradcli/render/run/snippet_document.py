"""The document of a run, schema `gradcli.run/1`: the printed text, and the events line by line."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.errors import GradcliError
from gradcli.findings.finding import Finding
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import Document, explanation_document, facts
from gradcli.render.findings.text import finding
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
        "timeline": [event(one) for one in timeline.events],
        "training": [training(one) for one in timeline.training],
        "leaves": [leaf(one) for one in timeline.leaves],
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
            "target": one.target,
            "formula": unparse(one.formula),
            "operands": {name: plain(value) for name, value in one.operands},
            "value": plain(one.value),
        }
        for one in fact.lines
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
            "epoch": one.label,
            "passes": one.passes,
            "loss": None if one.loss is None else plain(one.loss),
            "norms": {name: plain(norm) for name, norm in one.norms},
            "dead": one.dead,
            "units": one.units,
        }
        for one in fact.epochs
    ]
    place = {"source": fact.source.name, "line": fact.line}
    return {**place, "by": fact.by, "passes": fact.passes, "count": fact.count, "epochs": epochs}


def leaf(fact: LeafState | Accumulated) -> Document:
    return {name: value or None if name in ("renamed", "reason") else value for name, value in facts(fact).items()}
