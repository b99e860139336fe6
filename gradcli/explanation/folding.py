"""An explanation in the operations that the user wrote, without the nodes that torch takes for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from gradcli.explanation.chain.links import mark_repeated_edges
from gradcli.explanation.model import MISSING, Explanation, Local, Node, Note, Step, Value
from gradcli.explanation.values import value_of


def folded(explanation: Explanation) -> Explanation:
    """Return the explanation with one node for each operation that was written."""
    ids = {node.id for node in explanation.nodes if node.whole is not None} - _shared(explanation)
    owner = {node.id: node.part_of for node in explanation.nodes if node.part_of in ids and node.part_of is not None}
    if not owner:
        return explanation
    shown = [_folded_node(node) if node.id in ids else node for node in explanation.nodes if node.id not in owner]
    edges = mark_repeated_edges({node.id: dict(enumerate(node.locals)) for node in shown})
    nodes = tuple(replace(node, locals=tuple(edges[node.id].values())) for node in shown)
    steps = tuple(_steps(explanation, {node.id: node for node in nodes}, owner))
    notes = (_renamed_note(note, owner) for note in explanation.notes)
    return replace(explanation, nodes=nodes, steps=steps, notes=tuple(dict.fromkeys(notes)))


def _renamed_note(note: Note, owner: Mapping[str, str]) -> Note:
    """Return a note about a part of an operation as a note about the operation, by its name."""
    name = note.node
    if name not in owner:
        return note
    return replace(note, node=owner[name], message=re.sub(rf"\b{re.escape(name)}\b", owner[name], note.message))


def _shared(explanation: Explanation) -> set[str]:
    """Return the operations whose parts other nodes use too, as a graph of gradients may."""
    parts = {node.id: node.part_of for node in explanation.nodes if node.part_of is not None}
    return {
        owner
        for node in explanation.nodes
        for owner in (parts.get(x) for x in node.inputs)
        if owner is not None and owner not in (node.id, node.part_of)
    }


def _folded_node(node: Node) -> Node:
    by = node.whole
    assert by is not None
    locals = tuple(replace(local, held=(), use=0) for local in by.locals)
    return replace(node, expression=by.expression, op=by.op, grad_fn=by.grad_fn, inputs=by.inputs, locals=locals)


def _steps(explanation: Explanation, nodes: dict[str, Node], owner: dict[str, str]) -> Iterable[Step]:
    """Return the contributions to nodes that are shown, each with the rule of the whole operation."""
    unused: dict[tuple[str, str], list[Local]] = {}
    for node in nodes.values():
        for local in node.locals:
            unused.setdefault((node.id, local.input), []).append(local)
    values = {node.id: node.value for node in explanation.nodes}
    steps: dict[object, Step] = {}
    for step in explanation.steps:
        if step.input in owner:
            continue
        user = nodes[owner.get(step.node, step.node)]
        edge = user.id, step.input
        if not user.is_whole:
            steps[id(step)] = step
        elif unused[edge]:
            local = _take_edge(unused[edge], step, {**values, explanation.upstream_name: user.grad})
            steps[edge, local.use] = replace(step, node=user.id, upstream=user.grad, rule=local.rule, summed_axes=())
        else:  # one edge where torch has several: their contributions are one when the last has arrived
            first = steps.pop((edge, 0))
            steps[edge, 0] = replace(first, contribution=first.contribution + step.contribution, total=step.total)
    return steps.values()


def _take_edge(locals: list[Local], step: Step, values: Mapping[str, Value]) -> Local:
    """Take the edge that a contribution came along: of `x @ x.T` torch may reach the second factor first."""
    if len(locals) > 1:
        for place, local in enumerate(locals):
            if local.rule == MISSING or np.allclose(value_of(local.rule, values), step.contribution, equal_nan=True):
                return locals.pop(place)
    return locals.pop(0)
