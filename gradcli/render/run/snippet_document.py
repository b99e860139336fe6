"""The document of a run, schema `gradcli.run/1`: what was printed, and what happened line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.errors import GradcliError
from gradcli.explanation.model import Note
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import Document, explanation_document
from gradcli.script.timeline.model import (
    Accumulated,
    Asked,
    Backward,
    Changed,
    Event,
    Failed,
    Forward,
    LeafState,
    Made,
    Named,
    Reset,
    Returned,
    Timeline,
    Updated,
)
from gradcli.stream.values import plain


def snippet_document(name: str, printed: str, timeline: Timeline, error: GradcliError | None) -> Document:
    """Everything about a run."""
    return {
        "schema": "gradcli.run/1",
        "ok": error is None,
        "file": name,
        "printed": printed,
        "timeline": [event(one) for one in timeline.events],
        "leaves": [leaf(one) for one in timeline.leaves],
        "notes": notes(timeline.notes),
        "error": None if error is None else error.facts(),
    }


def event(fact: Event) -> Document:
    """An event with what its kind adds."""
    place = {"source": fact.source.name, "line": fact.line}
    return {"kind": fact.kind, **place, "times": fact.times, **details(fact)}


def details(fact: Event) -> Document:
    match fact:
        case Forward():
            return {"made": [made(one) for one in fact.made]}
        case Changed():
            how = {"version": fact.version, "through_data": fact.through_data}
            return {"name": fact.name, **how, "value": plain(fact.value)}
        case Named():
            return {"name": fact.name, "before": fact.before}
        case Backward():
            accumulated = [arrival(one) for one in fact.accumulated]
            retained = [arrival(one) for one in fact.retained]
            return {"output": fact.output, "accumulated": accumulated, "retained": retained, **explained(fact)}
        case Returned():
            gradients = [{"name": name, "gradient": plain(gradient)} for name, gradient in fact.gradients]
            return {"output": fact.output, "gradients": gradients, **explained(fact)}
        case Updated():
            changed = [{"name": name, "before": plain(a), "after": plain(b)} for name, a, b in fact.parameters]
            return {"optimizer": fact.optimizer, "parameters": changed, "notes": notes(fact.notes)}
        case Reset():
            return {"names": list(fact.names), "to_none": fact.to_none}
        case Asked():
            return {"name": fact.name, "code": fact.code, "message": fact.message}
        case Failed():
            return {"error": fact.error, "message": fact.message, "notes": notes(fact.notes)}
    raise AssertionError(fact)


def explained(fact: Backward | Returned) -> Document:
    """What passes have in common."""
    explanation = None if fact.explanation is None else lesson(explanation_document(fact.explanation))
    return {"explanation": explanation, "notes": notes(fact.notes)}


def notes(given: Sequence[Note]) -> list[Document]:
    return [note(one) for one in given]


def lesson(document: Document) -> Document:
    """The explanation inside another document."""
    return {key: value for key, value in document.items() if key not in ("schema", "ok", "program")}


def made(fact: Made) -> Document:
    return {
        "name": fact.name,
        "expression": unparse(fact.expression),
        "op": fact.op,
        "grad_fn": fact.grad_fn,
        "shape": list(fact.shape),
        "dtype": fact.dtype,
        "value": plain(fact.value),
    }


def arrival(fact: Accumulated) -> Document:
    return {
        "name": fact.name,
        "gradient": plain(fact.gradient),
        "before": plain(fact.before),
        "after": plain(fact.after),
    }


def note(fact: Note) -> Document:
    return {"code": fact.code, "node": fact.node, "message": fact.message}


def leaf(fact: LeafState) -> dict[str, Any]:
    return {
        "name": fact.name,
        "renamed": fact.renamed or None,
        "value": plain(fact.value),
        "grad": plain(fact.grad),
        "reason": fact.reason or None,
    }
