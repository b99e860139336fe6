"""The document of a run, schema `gradcli.run/1`: the printed text, and the events line by line."""

from __future__ import annotations

from gradcli.errors import GradcliError
from gradcli.render.documents.explanation import Document, explanation_document, facts
from gradcli.script.timeline.model import Backward, Event, LeafState, Returned, Timeline, Updated
from gradcli.stream.values import plain


def snippet_document(name: str, printed: str, timeline: Timeline, error: GradcliError | None) -> Document:
    """Return the document of a run; the error is the one that stopped it."""
    return {
        "schema": "gradcli.run/1",
        "ok": error is None,
        "file": name,
        "printed": printed,
        "timeline": [event(one) for one in timeline.events],
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
            accumulated, retained = map(facts, fact.accumulated), map(facts, fact.retained)
            return {"output": fact.output, "accumulated": [*accumulated], "retained": [*retained], **explained(fact)}
        case Returned():
            gradients = [{"name": name, "gradient": plain(gradient)} for name, gradient in fact.gradients]
            return {"output": fact.output, "gradients": gradients, **explained(fact)}
        case Updated():
            changed = [{"name": name, "before": plain(a), "after": plain(b)} for name, a, b in fact.parameters]
            return {"optimizer": fact.optimizer, "parameters": changed, "notes": [*map(facts, fact.notes)]}
    return {name: value for name, value in facts(fact).items() if name not in ("source", "line", "times")}


def explained(fact: Backward | Returned) -> Document:
    """Return the facts that passes have in common."""
    explanation = None if fact.explanation is None else lesson(explanation_document(fact.explanation))
    return {"explanation": explanation, "notes": [*map(facts, fact.notes)]}


def lesson(document: Document) -> Document:
    """The explanation inside another document."""
    return {key: value for key, value in document.items() if key not in ("schema", "ok", "program")}


def leaf(fact: LeafState) -> Document:
    return {name: value or None if name in ("renamed", "reason") else value for name, value in facts(fact).items()}
