"""The JSON documents of an explanation; `gradcli.render.documents.schemas` has the schema of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.errors import EvaluationError
from gradcli.explanation.model import (
    MISSING,
    SYMBOLIC,
    Explanation,
    Gradients,
    Local,
    Note,
    Unkept,
    Value,
    missing_notes,
)
from gradcli.explanation.reference import sentence
from gradcli.guard import noting
from gradcli.language.tree import Expression, Name, Number
from gradcli.language.unparser import unparse
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import short
from gradcli.source import visible
from gradcli.stream.values import Json, plain

if TYPE_CHECKING:
    from gradcli.explanation.derivatives.total import Derivative

Document = dict[str, Json]
Writer = Callable[[Expression], str]

LARGEST = 2**21  # entries of all values; as text they take a hundred times their memory
PLAIN = {str, int, bool, type(None)}
EXACT = Looks(ascii=True, precision=17)
LONGEST = 60  # characters of a formula in a label


def explanation_document(explanation: Explanation) -> Document:
    """The whole lesson, schema `gradcli.explanation/1`."""
    entries = sum(node.value.size for node in explanation.nodes if not isinstance(node.value, Unkept))
    if entries > LARGEST:
        raise EvaluationError(
            "E210",
            f"the values of this program have {entries:,} entries, and a document can hold {LARGEST:,}",
            help="try it at a smaller size, or ask for the gradients alone: gradcli grad --json",
        )
    with noting() as missing:
        document = _explanation(explanation, _writer())
    return document | {"notes": notes_document((*explanation.notes, *missing_notes(missing)))}


def _explanation(explanation: Explanation, write: Writer) -> Document:
    return {
        "schema": "gradcli.explanation/1",
        "ok": True,
        "program": explanation.program,
        "output": explanation.output,
        "value": plain(explanation.value),
        "upstream": plain(explanation.upstream),
        "nodes": _listed(explanation.nodes, write),
        "says": {node.op: said for node in explanation.nodes if node.op and node.locals and (said := sentence(node))},
        "steps": _listed(explanation.steps, write),
        "gradients": {leaf.name: plain(leaf.gradient) for leaf in explanation.leaves},
        **_formulas(explanation, write),
    }


def notes_document(notes: Iterable[Note]) -> Json:
    """Return notes as documents have them."""
    return [facts(note) for note in notes]


def gradients_document(gradients: Gradients) -> Document:
    """The leaf gradients alone, schema `gradcli.gradients/1`."""
    return {
        "schema": "gradcli.gradients/1",
        "ok": True,
        "value": plain(gradients.value),
        "gradients": {name: plain(gradient) for name, gradient in gradients.by.items()},
    }


def formulas_document(explanation: Explanation) -> Document:
    """The gradients as formulas that hold at any point, schema `gradcli.formulas/1`."""
    return {
        "schema": "gradcli.formulas/1",
        "ok": True,
        "program": explanation.program,
        **_formulas(explanation, _writer()),
        "sizes": sizes_document(explanation),
        "notes": notes_document(note for note in explanation.notes if note.code in SYMBOLIC),
    }


def _formulas(explanation: Explanation, write: Writer) -> Document:
    return {
        "formulas": {leaf.name: leaf.formula and write(leaf.formula) for leaf in explanation.leaves},
        "formulas_raw": {leaf.name: leaf.formula_raw and write(leaf.formula_raw) for leaf in explanation.leaves},
        "intermediates": _listed(explanation.intermediates, write),
    }


def sizes_document(explanation: Explanation) -> Json:
    """Return the names of sizes by variable; None where all sizes are numbers."""
    return None if explanation.sizes is None else {name: list(sizes) for name, sizes in explanation.sizes.items()}


def graph_document(explanation: Explanation, format: str, text: str | None) -> Document:
    """The graph as nodes and edges beside its rendered text, schema `gradcli.graph/1`."""
    from gradcli.explanation.steps.walk import edges  # the documents of other commands have no use for it

    return {
        "schema": "gradcli.graph/1",
        "ok": True,
        "nodes": [
            {
                "id": node.id,
                "label": label(visible(node.name), node.expression, node.value),
                "kind": node.kind,
                "grad_fn": node.grad_fn,
                "value": plain(node.value),
            }
            for node in explanation.nodes
        ],
        "edges": [
            {
                "source": edge.source,
                "target": node.id,
                "label": None if local is None else label("", local.formula or local.rule, local.value),
            }
            for node in explanation.nodes
            for edge, local in edges(node)
        ],
        "format": format,
        "text": text,
        "notes": notes_document(explanation.notes),
    }


def label(name: str, tree: Expression, value: Value | None) -> str:
    """Return `v1 = a*x2 = 6`; nothing is said twice, and a rule has no number."""
    from gradcli.render.text.wrapping import beginning

    text = beginning(visible(unparse(tree, multiply=EXACT.times)), LONGEST, EXACT.ellipsis)
    is_number = value is None or (isinstance(tree, Number) and not name)
    sides = (name, text, "" if is_number else short(value, EXACT.precision, ascii=True))
    return " = ".join(dict.fromkeys(filter(None, sides)))


def facts(fact: Any, write: Writer = unparse) -> Document:
    """Return the fields of a dataclass as JSON has them: formulas by `write`, values as numbers and nested lists."""
    names, values_of = FIELDS[type(fact)]
    document: Document = {
        name: value if type(value) in PLAIN else WAYS[type(value)](value, write)
        for name, value in zip(names, values_of(fact), strict=True)
    }
    if type(fact) is Local:
        document["why"] = None
        if fact.why is not None:
            from gradcli.render.documents.reasons import reason_document  # most programs need none of it

            document["why"] = reason_document(fact.why)
    return document


def _listed(value: Any, write: Writer) -> Json:
    return WAYS[type(value)](value, write)


class Fields(dict[type, tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]]):
    """The names of the fields of a dataclass, and what reads them all at once; at least two."""

    def __missing__(self, kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
        self[kind] = kind.__match_args__, attrgetter(*kind.__match_args__)
        return self[kind]


class Ways(dict[type, Callable[[Any, Writer], Json]]):
    """How values are written, by their type; found once for each type, for a large program has many values."""

    def __missing__(self, kind: type) -> Callable[[Any, Writer], Json]:
        if issubclass(kind, tuple):
            self[kind] = lambda items, write: [x if type(x) in PLAIN else _listed(x, write) for x in items]
        elif issubclass(kind, Expression):
            self[kind] = formula_document
        else:
            self[kind] = facts if hasattr(kind, "__match_args__") else lambda value, _: plain(value)
        return self[kind]


FIELDS = Fields()
WAYS = Ways()
WAYS[np.float64] = lambda value, _: number if isfinite(number := value.item()) else plain(value)  # most of a program's


def formula_document(tree: Expression, write: Writer = unparse) -> Json:
    """Return a formula as a text, None for one that could not be computed."""
    return None if type(tree) is Name and tree.id == MISSING.id else write(tree)


def _writer() -> Writer:
    """Writes formulas, each once: a step has the very rule of its edge. The explanation keeps them all alive."""
    written: dict[int, str] = {}

    def write(tree: Expression) -> str:
        if type(tree) is Name:
            return tree.id
        key = id(tree)
        if key not in written:
            written[key] = unparse(tree)
        return written[key]

    return write


# The JSON document of Jacobians, Hessians and derivatives of higher order.


def derivatives_document(derivatives: Sequence[Derivative]) -> Document:
    """The derivatives, schema `gradcli.derivatives/1`."""
    return {"schema": "gradcli.derivatives/1", "ok": True, "derivatives": [_derivative(entry) for entry in derivatives]}


def _derivative(entry: Derivative) -> Document:
    return {
        "by": list(entry.by),
        "shape": None if entry.value is None else list(np.shape(entry.value)),
        "value": None if entry.value is None else plain(entry.value),
        "formula": None if entry.formula is None else unparse(entry.formula),
        "given": list(entry.upstreams),
    }
