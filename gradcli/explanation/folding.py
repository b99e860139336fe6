"""An explanation in the operations that the user wrote, without the nodes that torch takes for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from gradcli.explanation.chain.edges import told_apart
from gradcli.explanation.model import MISSING, Explanation, Local, Node, Note, Step, Value
from gradcli.explanation.values import value_of


def folded(explanation: Explanation) -> Explanation:
    """Return the explanation with one node for each operation that was written."""
    whole = {node.id for node in explanation.nodes if node.whole is not None} - _shared(explanation)
    into = {node.id: node.part_of for node in explanation.nodes if node.part_of in whole and node.part_of is not None}
    if not into:
        return explanation
    kept = [_whole(node) if node.id in whole else node for node in explanation.nodes if node.id not in into]
    edges = told_apart({node.id: dict(enumerate(node.locals)) for node in kept})
    nodes = tuple(replace(node, locals=tuple(edges[node.id].values())) for node in kept)
    steps = tuple(_steps(explanation, {node.id: node for node in nodes}, into))
    notes = (_of_whole(note, into) for note in explanation.notes)
    return replace(explanation, nodes=nodes, steps=steps, notes=tuple(dict.fromkeys(notes)))


def _of_whole(note: Note, into: Mapping[str, str]) -> Note:
    """Return a note about a part as one about the operation, whose name it has."""
    part = note.node
    if part not in into:
        return note
    return replace(note, node=into[part], message=re.sub(rf"\b{re.escape(part)}\b", into[part], note.message))


def _shared(explanation: Explanation) -> set[str]:
    """Return the operations of which something else uses a part, as a graph of gradients may."""
    parts = {node.id: node.part_of for node in explanation.nodes if node.part_of is not None}
    return {
        whole
        for node in explanation.nodes
        for whole in (parts.get(x) for x in node.inputs)
        if whole is not None and whole not in (node.id, node.part_of)
    }


def _whole(node: Node) -> Node:
    whole = node.whole
    assert whole is not None
    locals = tuple(replace(local, held=(), use=0) for local in whole.locals)
    return replace(
        node, expression=whole.expression, op=whole.op, grad_fn=whole.grad_fn, inputs=whole.inputs, locals=locals
    )


def _steps(explanation: Explanation, nodes: dict[str, Node], into: dict[str, str]) -> Iterable[Step]:
    """Return the contributions to nodes that are shown, each with the rule of the whole operation."""
    unused: dict[tuple[str, str], list[Local]] = {}
    for node in nodes.values():
        for local in node.locals:
            unused.setdefault((node.id, local.input), []).append(local)
    values = {node.id: node.value for node in explanation.nodes}
    found: dict[object, Step] = {}
    for step in explanation.steps:
        if step.input in into:
            continue
        made = nodes[into.get(step.node, step.node)]
        edge = made.id, step.input
        if not made.is_whole:
            found[id(step)] = step
        elif unused[edge]:
            local = _used(unused[edge], step, {**values, explanation.upstream_name: made.grad})
            found[edge, local.use] = replace(step, node=made.id, upstream=made.grad, rule=local.rule, summed_axes=())
        else:  # one edge where torch has several: their contributions are one when the last has arrived
            before = found.pop((edge, 0))
            found[edge, 0] = replace(before, contribution=before.contribution + step.contribution, total=step.total)
    return found.values()


def _used(locals: list[Local], step: Step, values: Mapping[str, Value]) -> Local:
    """Take the edge that a contribution came along: of `x @ x.T` torch may reach the second factor first."""
    if len(locals) > 1:
        for place, local in enumerate(locals):
            if local.rule == MISSING or np.allclose(value_of(local.rule, values), step.contribution, equal_nan=True):
                return locals.pop(place)
    return locals.pop(0)
