"""The explanation of a live graph: its lines, the contributions that torch computes, and where rules differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from gradcli.engine.backward import Contribution
from gradcli.engine.broadcast import fit
from gradcli.engine.tensor import Tensor
from gradcli.errors import EvaluationError, UsageError
from gradcli.explanation.build import build
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.lines import Line
from gradcli.explanation.model import Explanation, Leaf, Local, Node, Note, Step, unkept
from gradcli.explanation.notes import notes
from gradcli.language.tree import names as names_in
from gradcli.live.boxes import SAYS
from gradcli.live.graph import Graph
from gradcli.live.names import KnownNames
from gradcli.live.passes import Flow, check, flows, reachable
from gradcli.live.rounding import is_close, rounding
from gradcli.live.saved import numbers
from gradcli.live.text import with_text

LARGEST = 4096  # entries of a tensor whose numbers are kept: of a larger one the shape is shown
MOST = 400  # nodes
LOST = 64  # a difference below so many times the effect of rounding is ignored
MOST_CHECKED = 2**14  # entries of all values with which simplified formulas are computed again


def explain_graph(output: torch.Tensor, names: Mapping[str, torch.Tensor]) -> Explanation:
    """Explain the graph of a tensor under the given names."""
    if not isinstance(output, torch.Tensor):
        raise UsageError("E008", f"from_torch takes a tensor of torch, and this is of type {type(output).__name__}")
    if output.grad_fn is None:
        raise UsageError("E008", "this tensor has no graph", help="compute it from a tensor that requires grad")
    if output.layout != torch.strided:
        raise UsageError("E008", "this tensor is sparse", help="make it dense: x.to_dense()")
    order = reachable(output.grad_fn)
    check(order)
    if len(order) > MOST:
        raise EvaluationError(
            "E210", f"this graph has {len(order):,} nodes, and {MOST} can be explained", help="explain a part of it"
        )
    seed = torch.ones_like(output, requires_grad=False)
    passed = list(flows(order, output.output_nr, seed))
    graph = Graph(order, KnownNames(names), output)
    events = [event(graph, flow) for flow in passed]
    with np.errstate(all="ignore"):
        explanation = build(graph.evaluation, None if output.ndim == 0 else numbers(seed), events)
        explanation = replace(
            explanation,
            notes=(*remarks(graph, explanation), *differences(graph, events), *hook_notes(graph)),
        )
        entries = sum(np.size(node.value) for node in explanation.nodes)
        explanation = simplified(explanation, at_any_point=bool(graph.unknown) or entries > MOST_CHECKED)
    return with_text(without_numbers(explanation, graph.unknown), graph)


def event(graph: Graph, flow: Flow) -> Contribution:
    upstream, unsummed, contribution, total = map(
        numbers, (flow.upstream, flow.unsummed, flow.contribution, flow.total)
    )
    line = graph.line_of[flow.node, flow.output]
    node: Any = line.tensor.node
    return Contribution(node, graph.positions[line.name][flow.edge], upstream, unsummed, contribution, total)


def remarks(graph: Graph, explanation: Explanation) -> Sequence[Note]:
    """Return the notes on nodes of which all numbers are known."""
    is_known = {
        line.name: line.name not in graph.unknown and not any(x.name in graph.unknown for x in line.inputs)
        for line in graph.evaluation.lines
    }
    lines = [line for line in graph.evaluation.lines if is_known[line.name]]
    steps = [step for step in explanation.steps if is_known[step.node] and is_known[step.input]]
    evaluation = replace(graph.evaluation, lines=lines)
    return notes(evaluation, [x for x in explanation.nodes if is_known[x.id]], steps, explanation.leaves)


def differences(graph: Graph, events: Sequence[Contribution]) -> Iterator[Note]:
    """Yield a note for each contribution of torch that differs from that of gradcli's rule."""
    made_by = {id(line.tensor.node): (line, node) for (node, _), line in graph.line_of.items()}
    for arrival in events:
        line, node = made_by[id(arrival.node)]
        if line.application is None or line.application.primitive.says == SAYS:
            continue
        if line.name in graph.unknown or any(x.name in graph.unknown for x in line.inputs):
            continue
        operands = [x.value if isinstance(x, Tensor) else x for x in line.application.inputs]
        computed, eps = by_rule(line, arrival, arrival.upstream, operands), rounding(node)
        if not is_close(computed, arrival.contribution, eps):
            contribution: Any = arrival.contribution
            upstream: Any = arrival.upstream
            apart = np.abs(np.subtract(computed, contribution))
            shifted = [shift_by_rounding(x, eps) for x in operands]
            rounded = by_rule(line, arrival, shift_by_rounding(arrival.upstream, eps), shifted)
            entering = eps * np.max(np.abs(upstream), initial=0.0)
            if np.all(apart <= LOST * np.max(np.abs(rounded - computed), initial=entering)):
                continue  # large numbers cancel here, and leave rounding errors alone
            message = f"torch's contribution from {line.name} to {line.inputs[arrival.position].name} is not the rule's"
            yield Note("differs", line.name, f"{message}: they are up to {float(np.max(apart)):.3g} apart")


def hook_notes(graph: Graph) -> Iterator[Note]:
    """Yield a note for each leaf, and each tensor of the caller, that has hooks, which did not run."""
    tensors = {node.variable: line for (node, _), line in graph.line_of.items() if hasattr(node, "variable")}
    for place, name in graph.known.by_node.items():
        if place in graph.line_of:
            tensors[graph.known.tensors[name]] = graph.line_of[place]
    for tensor, line in tensors.items():
        if tensor._backward_hooks or getattr(tensor, "_post_accumulate_grad_hooks", None):
            message = f"{line.name} has hooks, which were not fired: in loss.backward() they may change gradients"
            yield Note("hooks", line.name, message)


def by_rule(line: Line, contribution: Contribution, upstream: Any, operands: Sequence[Any]) -> Any:
    """Return the contribution that gradcli's rule computes."""
    assert line.application is not None
    position = contribution.position
    rule = line.application.primitive.rules_for(operands)[position]
    assert rule is not None
    return fit(rule(upstream, line.tensor.value, *operands, **contribution.node.options), operands[position])


def shift_by_rounding(number: Any, eps: float) -> Any:
    """Return floating point numbers shifted by the error of rounding, up and down in turn; other values as they are."""
    if not isinstance(number, np.ndarray | np.floating) or number.dtype.kind != "f":
        return number
    signs = 1 - 2 * (np.arange(number.size) % 2).reshape(number.shape)
    return (number * (1 + eps * signs)).astype(number.dtype)


def without_numbers(explanation: Explanation, unknown: set[str]) -> Explanation:
    """Return the explanation with shapes alone for values that torch did not keep, or that are large."""
    hidden = unknown | {node.id for node in explanation.nodes if np.size(node.value) > LARGEST}
    shown = {node.id: kept_of(node, hidden, unknown) for node in explanation.nodes}
    steps = tuple(
        Step(
            step.node,
            step.input,
            small(step.upstream),
            step.rule,
            small(step.contribution),
            step.summed_axes,
            small(step.total),
        )
        for step in explanation.steps
    )
    leaves = tuple(
        Leaf(leaf.name, leaf.node, small(leaf.gradient), leaf.formula, leaf.formula_raw) for leaf in explanation.leaves
    )
    nodes, upstream = tuple(shown[node.id] for node in explanation.nodes), small(explanation.upstream)
    return replace(
        explanation, nodes=nodes, steps=steps, leaves=leaves, value=small(explanation.value), upstream=upstream
    )


def kept_of(node: Node, hidden: set[str], unknown: set[str]) -> Node:
    value = unkept(node.shape) if node.id in hidden else np.array(node.value)[()]
    locals = tuple(edge(node, local, unknown) for local in node.locals)
    called = node.whole
    if called is not None:
        called = replace(called, locals=tuple(edge(node, local, unknown) for local in called.locals))
    return replace(node, value=value, grad=small(node.grad), locals=locals, whole=called)


def edge(node: Node, local: Local, unknown: set[str]) -> Local:
    """Return an edge without the numbers that depend on unknown values."""
    touched = {node.id, local.input, *node.inputs} & unknown
    mentioned = set() if local.formula is None else {*names_in(local.formula)} & unknown
    value = local.value if local.value is None or not mentioned else unkept(np.shape(local.value))
    return replace(local, value=small(value), reason=None if touched or large(node) else local.reason)


def large(node: Node) -> bool:
    return int(np.prod(node.shape)) > LARGEST


def small(value: Any) -> Any:
    """Return a copy of a value; of one with many entries the shape alone."""
    if value is None:
        return None
    return unkept(np.shape(value)) if np.size(value) > LARGEST else np.array(value, subok=True)[()]
