"""The JSON documents of an explanation; `gradcli.render.documents.schemas` has the schema of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.errors import EvaluationError
from gradcli.explanation.model import Explanation, Local, Node, Step
from gradcli.language.tree import Expression, Name
from gradcli.language.unparser import unparse
from gradcli.render.graph.labels import edges, equation, local_label
from gradcli.render.text.looks import Looks
from gradcli.stream.values import Json, plain

Document = dict[str, Json]
Writer = Callable[[Expression | None], str | None]

LARGEST = 2**21  # entries of all values; as text they take a hundred times their memory
EXACT = Looks(ascii=True, precision=17)


def explanation_document(explanation: Explanation) -> Document:
    """The whole lesson, schema `gradcli.explanation/1`."""
    entries = sum(node.value.size for node in explanation.nodes)
    if entries > LARGEST:
        raise EvaluationError(
            "E210",
            f"the values of this program have {entries:,} entries, and a document can hold {LARGEST:,}",
            help="try it at a smaller size, or ask for the gradients alone: gradcli grad --json",
        )
    write = _writer()
    return {
        "schema": "gradcli.explanation/1",
        "ok": True,
        "program": explanation.program,
        "output": explanation.output,
        "value": plain(explanation.value),
        "upstream": plain(explanation.upstream),
        "nodes": [_node(node, write) for node in explanation.nodes],
        "steps": [_step(step, write) for step in explanation.steps],
        "gradients": {leaf.name: plain(leaf.gradient) for leaf in explanation.leaves},
        "formulas": {leaf.name: write(leaf.formula) for leaf in explanation.leaves},
        "notes": [{"code": note.code, "node": note.node, "message": note.message} for note in explanation.notes],
    }


def gradients_document(explanation: Explanation) -> Document:
    """The leaf gradients alone, schema `gradcli.gradients/1`."""
    return {
        "schema": "gradcli.gradients/1",
        "ok": True,
        "value": plain(explanation.value),
        "gradients": {leaf.name: plain(leaf.gradient) for leaf in explanation.leaves},
    }


def formulas_document(explanation: Explanation) -> Document:
    """The gradients as formulas that hold at any point, schema `gradcli.formulas/1`."""
    write = _writer()
    return {
        "schema": "gradcli.formulas/1",
        "ok": True,
        "program": explanation.program,
        "formulas": {leaf.name: write(leaf.formula) for leaf in explanation.leaves},
    }


def graph_document(explanation: Explanation, format: str, text: str) -> Document:
    """The graph as nodes and edges beside its rendered text, schema `gradcli.graph/1`."""
    return {
        "schema": "gradcli.graph/1",
        "ok": True,
        "nodes": [
            {
                "id": node.id,
                "label": equation(node, EXACT),
                "kind": node.kind,
                "grad_fn": node.grad_fn,
                "value": plain(node.value),
            }
            for node in explanation.nodes
        ],
        "edges": [
            {"source": source, "target": node.id, "label": None if local is None else local_label(local, EXACT)}
            for node in explanation.nodes
            for source, local in edges(node)
        ],
        "format": format,
        "text": text,
    }


def _node(node: Node, write: Writer) -> Document:
    return {
        "id": node.id,
        "name": node.name,
        "kind": node.kind,
        "expression": write(node.expression),
        "span": list(node.span),
        "op": node.op,
        "grad_fn": node.grad_fn,
        "inputs": list(node.inputs),
        "shape": list(node.shape),
        "dtype": node.dtype,
        "value": plain(node.value),
        "requires_grad": node.requires_grad,
        "is_leaf": node.is_leaf,
        "grad": plain(node.grad),
        "locals": [_local(local, write) for local in node.locals],
    }


def _local(local: Local, write: Writer) -> Document:
    return {
        "input": local.input,
        "formula": write(local.formula),
        "value": plain(local.value),
        "rule": write(local.rule),
    }


def _step(step: Step, write: Writer) -> Document:
    return {
        "node": step.node,
        "input": step.input,
        "upstream": plain(step.upstream),
        "rule": write(step.rule),
        "contribution": plain(step.contribution),
        "summed_axes": list(step.summed_axes),
        "total": plain(step.total),
    }


def _writer() -> Writer:
    """Writes formulas, each once: a step has the very rule of its edge. The explanation keeps them all alive."""
    written: dict[int, str] = {}

    def write(tree: Any) -> str | None:
        if tree is None:
            return None
        if type(tree) is Name:
            return tree.id
        key = id(tree)
        if key not in written:
            written[key] = unparse(tree)
        return written[key]

    return write
