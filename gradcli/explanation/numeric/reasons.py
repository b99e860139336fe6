"""Reasons why a gradient cannot be judged, as the graph shows them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from gradcli.engine.primitive import REGISTRY, TORCH
from gradcli.explanation.causes.infinities import is_finite, kind_of
from gradcli.explanation.model import Explanation, Value
from gradcli.language.tree import names
from gradcli.language.unparser import unparse

SMALL, LARGE = 2.0**-340, 2.0**340  # between these a product of three is a number, and neither 0 nor infinite


def not_finite(explanation: Explanation, gradient: Value) -> str:
    """Return where the first value that is not finite stands, if it spoilt the output or a gradient; else empty."""
    if is_finite(explanation.value) and is_finite(gradient):
        return ""
    codes = ("gradient-not-finite",) if is_finite(explanation.value) else ("not-finite", "gradient-not-finite")
    message = next((note.message for note in explanation.notes if note.code in codes), "")
    return message or f"the gradient is {kind_of(gradient)}"


def cut(explanation: Explanation, name: str) -> str:
    """Return which result on the way from a variable passes no gradient on to it; empty if all do."""
    on_the_way = _behind(explanation)
    below = {name}
    for node in explanation.nodes:
        inputs = node.inputs or tuple(names(node.expression))
        sources = below.intersection(inputs) if node.id in on_the_way and node.id != name else set()
        if not sources or not node.dtype.startswith("float"):
            continue
        below.add(node.id)
        passes = Counter(local.input for local in node.locals)
        if any(passes[x] < inputs.count(x) for x in sources):
            return f"{unparse(node.expression)} changes with {name}, but passes no gradient on to it"
    return ""


def _behind(explanation: Explanation) -> set[str]:
    """Return the nodes that the output is computed from, itself included."""
    nodes = {node.id: node for node in explanation.nodes}
    nodes_met: set[str] = set()
    waiting = [explanation.output]
    while waiting:
        id = waiting.pop()
        if id in nodes and id not in nodes_met:
            nodes_met.add(id)
            waiting.extend(nodes[id].inputs or names(nodes[id].expression))
    return nodes_met


def convention(explanation: Explanation, name: str) -> str:
    """Return that torch's convention decided about a result behind which the variable stands; else empty."""
    below = {name}
    for node in explanation.nodes:
        if not below.isdisjoint(node.inputs):
            below.add(node.id)
    for note in explanation.notes:
        if note.code in ("kink", "tie") and note.node in below:
            convention = REGISTRY[explanation.node(note.node).op or ""].convention
            return f"{note.message.partition(';')[0]}, where the convention of {TORCH} decides: {convention}"
    return ""


def extreme(explanation: Explanation) -> str:
    """Return that numbers on the way are so small or large that products of them are lost; else empty."""
    for node in explanation.nodes:
        for value in (node.value, node.grad):
            sizes = np.abs(np.zeros(1) if value is None else value)
            if np.any((sizes > 0) & (sizes < SMALL) | (sizes > LARGE)):
                return f"numbers at {node.name} are so small or so large that products of them under- or overflow"
    return ""
