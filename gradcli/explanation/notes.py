"""Remarks on a point: kinks and ties, nan and infinity, variables and operations without effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from gradcli.engine.primitive import REGISTRY, TORCH
from gradcli.explanation.causes import infinities
from gradcli.explanation.causes.forms import unstable
from gradcli.explanation.causes.infinities import idle, is_flat, stopped, vanishing_and_exploding
from gradcli.explanation.lines import Evaluation, Line
from gradcli.explanation.model import MISSING, Explanation, Leaf, Node, Note, Step
from gradcli.explanation.values import rounding_at
from gradcli.guard import guarded
from gradcli.language.tree import names
from gradcli.language.unparser import unparse

ROUNDINGS = 2  # that a sum may be off, in the last digits of what is added
TINY = 1e-13  # beside the upstream gradient: a contribution that may be rounding


def notes(evaluation: Evaluation, nodes: Sequence[Node], steps: Sequence[Step], leaves: Sequence[Leaf]) -> list[Note]:
    """Return all notes, in the order in which a reader meets their nodes."""
    output = evaluation.line_of.get(id(evaluation.output))
    bent = [line for line in evaluation.lines if line.application is not None and line.application.primitive.kinks]
    reached = {node.id for node in nodes if node.grad is not None}
    makers: list[Callable[[], Iterable[Note]]] = [
        lambda: (note for line in bent if line.name in reached or is_condition(line) for note in kinks(line)),
        lambda: flats(nodes),
        lambda: infinities.values(evaluation.lines),
        lambda: infinities.gradients(nodes, steps),
        lambda: unstable(evaluation.lines),
        lambda: vanishing_and_exploding(nodes, steps, leaves),
        lambda: islice(rests(nodes), 1),
        lambda: islice(cancelled(nodes, steps), 1),
        lambda: idle(nodes),
        lambda: unused(leaves, nodes, output.name if output else ""),
    ]
    return [note for make in makers for note in guarded("note", lambda make=make: [*make()], [])]  # type: ignore[misc]


def unused(leaves: Sequence[Leaf], nodes: Sequence[Node], output: str) -> Iterator[Note]:
    """Variables that the output does not depend on, or only by ways that pass no gradient on."""
    for leaf in leaves:
        if leaf.gradient is None:
            why = (stopped(leaf, nodes, output) if output else "") or f"the output does not depend on {leaf.name}"
            yield Note("unused", leaf.node, f"{why}, so the gradient of {leaf.name} is None")


def taken_for_numbers(explanation: Explanation, names: Iterable[str]) -> Iterator[Note]:
    """Yield a note on each variable without a value that the program reduces, or otherwise uses as a tensor."""
    nodes = {node.id: node for node in explanation.nodes}
    waiting = [x for node in nodes.values() if is_for_tensors(node) for x in node.inputs if not nodes[x].shape]
    met = set(waiting)
    while waiting:
        inputs = {*nodes[waiting.pop()].inputs} - met
        met |= inputs
        waiting.extend(inputs)
    for name in names:
        if name in met:
            yield Note("number", name, f"{name} is taken for a number here; for a vector write {name}:n")


def is_for_tensors(node: Node) -> bool:
    """Tell whether a node does what makes no difference to one number, or is not for one."""
    return node.op in REGISTRY and REGISTRY[node.op].structured


def is_condition(line: Line) -> bool:
    """Tell whether a line has no gradient, and decides by numbers that have one: on the other side it is another."""
    return not line.tensor.requires_grad and any(x.tensor.requires_grad for x in line.inputs)


def kinks(line: Line) -> Iterator[Note]:
    """Inputs that sit where the derivative jumps, where a convention decided."""
    application = line.application
    assert application is not None
    primitive = application.primitive
    values = [x.tensor.value for x in line.inputs]
    if callable(primitive.kinks):
        mask = primitive.kinks(*values, **application.options)
    else:
        mask = np.isin(values[0], primitive.kinks)
    code = "kink" if {"tie", "ties"}.isdisjoint(primitive.convention.split()) else "tie"
    count, size = int(np.count_nonzero(mask)), int(np.size(mask))
    share = f" in {count} of {size} entries" if size > 1 else ""
    if count:
        event = "has a tie" if code == "tie" else "is at a jump" if primitive.pieces else "is at a kink"
        event = "takes another gradient than its slope" if "lenient" in primitive.traits else event
        yield Note(code, line.name, f"{line.name} {event}{share}; the convention of {TORCH}: {primitive.convention}")
    elif (
        code == "tie"
        and callable(primitive.kinks)
        and np.any(primitive.kinks(*map(rounded, values), **application.options))
    ):
        message = f"{line.name} has a tie but for rounding: the last digit decides where the gradient goes"
        yield Note(code, line.name, message)


def rounded(value: Any) -> Any:
    """Return numbers without their last bits, which are those that rounding makes."""
    if np.asarray(value).dtype.kind != "f":
        return value
    fraction, exponent = np.frexp(value)
    bits = np.finfo(fraction.dtype).nmant - 6
    return np.ldexp(np.round(np.ldexp(fraction, bits)), exponent - bits)


def flats(nodes: Sequence[Node]) -> Iterator[Note]:
    """Operations whose derivative is zero everywhere, so that nothing flows through them."""
    for node in nodes:
        if node.op not in ("mul", "pow") and any(map(is_flat, node.locals)):
            yield Note(
                "flat", node.id, f"the derivative of {node.op} is zero, so no gradient flows through {node.name}"
            )


def rests(nodes: Sequence[Node]) -> Iterator[Note]:
    """Yield a note on each sum or difference of computed numbers that are equal but for their last digits."""
    by_id = {node.id: node for node in nodes}
    for node in nodes:
        terms = [by_id[id] for id in node.inputs] if node.op in ("add", "sub") else []
        if len(terms) < 2 or all(term.kind != "op" for term in terms):
            continue  # what somebody typed is exact
        value = np.asarray(node.value, float)
        largest = np.maximum(*(np.abs(np.asarray(term.value, float)) for term in terms))
        rounding = ROUNDINGS * np.finfo(np.result_type(node.value, np.float32)).eps * largest
        count = int(np.count_nonzero((value != 0) & (np.abs(value) <= rounding) & np.isfinite(rounding)))
        if count:
            share = f" in {count} of {value.size} entries" if value.size > 1 else ""
            first, second = (term.name if term.kind != "constant" else unparse(term.expression) for term in terms)
            message = f"{first} and {second} are equal but for their last digits{share}"
            yield Note("rest", node.id, f"{message}: what is left in {node.name} may be rounding, and mean 0")


def cancelled(nodes: Sequence[Node], steps: Sequence[Step]) -> Iterator[Note]:
    """Gradients that are a sum, of contributions or of terms in one rule, and 0 up to rounding though these are not."""
    counts = Counter(step.input for step in steps)
    values = {node.id: node.value for node in nodes}
    sizes = dict[str, Any]()
    for step in steps:
        if counts[step.input] > 1:
            sizes[step.input] = sizes.get(step.input, 0) + np.abs(step.contribution)
    for input, step in {step.input: step for step in steps}.items():  # the last one has the sum
        if input in sizes:
            rounding = ROUNDINGS * np.finfo(np.result_type(step.total, np.float32)).eps * sizes[input]
        elif is_tiny(step):
            rounding = rounding_inside(step, values)
        else:
            continue
        count = int(np.count_nonzero((step.total != 0) & (np.abs(step.total) <= rounding) & np.isfinite(rounding)))
        if count:
            share = f" in {count} of {np.size(step.total)} entries" if np.size(step.total) > 1 else ""
            terms = "contributions to" if input in sizes else "terms of"
            message = f"the {terms} the gradient of {input} cancel{share}: what is left is rounding, and means 0"
            yield Note("cancelled", input, message)


def is_tiny(step: Step) -> bool:
    """Tell whether some of a contribution is so small beside the upstream gradient that it may be rounding."""
    upstream, contribution = step.upstream, step.contribution
    if not np.ndim(upstream) and not np.ndim(contribution):  # as most of a long program are
        return bool(0 < abs(contribution) <= TINY * abs(upstream))
    small = TINY * np.max(np.abs(upstream), initial=0.0)
    return bool(np.any((contribution != 0) & (np.abs(contribution) <= small)))


def rounding_inside(step: Step, values: Mapping[str, Any]) -> Any:
    """Return how much of a contribution is rounding within its rule; 0 where the rule is not known."""
    upstream_names = [name for name in names(step.rule) if name not in values]
    if step.rule == MISSING or len(upstream_names) != 1:
        return 0.0
    rounding = rounding_at({**values, upstream_names[0]: step.upstream}, step.rule, bound=np.abs(step.contribution))
    return rounding if np.shape(rounding) == np.shape(step.contribution) else 0.0
