"""An explanation in the operations that the user wrote, without the nodes that torch takes for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradcli.explanation.chain.held import told_apart
from gradcli.explanation.model import Explanation, Local, Node, Step


def folded(explanation: Explanation) -> Explanation:
    """Return the explanation with one node for each operation that was written."""
    whole = {node.id for node in explanation.nodes if node.whole is not None}
    into = {node.id: node.part_of for node in explanation.nodes if node.part_of in whole and node.part_of is not None}
    if not into:
        return explanation
    kept = [node if node.whole is None else _whole(node) for node in explanation.nodes if node.id not in into]
    edges = told_apart({node.id: dict(enumerate(node.locals)) for node in kept})
    nodes = tuple(replace(node, locals=tuple(edges[node.id].values())) for node in kept)
    steps = tuple(_steps(explanation, {node.id: node for node in nodes}, into))
    notes = (replace(note, node=into.get(note.node, note.node)) for note in explanation.notes)
    return replace(explanation, nodes=nodes, steps=steps, notes=tuple(dict.fromkeys(notes)))


def _whole(node: Node) -> Node:
    whole = node.whole
    assert whole is not None
    locals = tuple(replace(local, held=(), use=0) for local in whole.locals)
    return replace(
        node, expression=whole.expression, op=whole.op, grad_fn=whole.grad_fn, inputs=whole.inputs, locals=locals
    )


def _steps(explanation: Explanation, nodes: dict[str, Node], into: dict[str, str]) -> Iterator[Step]:
    """Yield the contributions to nodes that are shown, each with the rule of the whole operation."""
    unused: dict[tuple[str, str], list[Local]] = {}
    for node in nodes.values():
        for local in node.locals:
            unused.setdefault((node.id, local.input), []).append(local)
    for step in explanation.steps:
        if step.input in into:
            continue
        made = nodes[into.get(step.node, step.node)]
        local = unused[made.id, step.input].pop(0)
        if made.whole is None:
            yield step
        else:
            upstream = made.grad
            yield replace(step, node=made.id, upstream=upstream, rule=local.rule, summed_axes=())
