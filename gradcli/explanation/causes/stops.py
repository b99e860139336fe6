"""Gradients that are None or 0 because of an operation that lets none through, whatever the numbers are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from gradcli.explanation.model import Leaf, Local, Node
from gradcli.language.tree import Expression, Number, names
from gradcli.language.unparser import unparse


def stopped(leaf: Leaf, nodes: Sequence[Node], output: str, write: Callable[[Expression], str] = unparse) -> str:
    """Return which operation stops the gradient of a leaf: `floor(x) has the derivative 0`; empty where none does."""
    if leaf.gradient is None:
        node, why = _first(leaf, nodes, output, lambda local: True), "passes no gradient on"
    elif np.any(leaf.gradient):
        return ""
    else:
        able = [node for node in nodes if node.locals]  # what passes no gradient on brings no 0
        node, why = _first(leaf, able, output, lambda local: not is_flat(local)), "has the derivative 0"
    return f"{write(node.expression)} {why}" if node else ""


def is_flat(local: Local) -> bool:
    """Tell whether a local derivative is 0 at any point."""
    return isinstance(local.formula, Number) and local.formula.value == 0


def _first(leaf: Leaf, nodes: Sequence[Node], output: str, passes: Callable[[Local], bool]) -> Node | None:
    """Return the first node on the way from a leaf to the output through which no edge passes; None if one does."""
    needed = behind(nodes, output)
    below, stop = {leaf.node}, None
    for node in nodes:
        if node.id not in needed or below.isdisjoint(node.inputs or names(node.expression)) or node.id == leaf.node:
            continue
        if any(local.input in below and passes(local) for local in node.locals):
            below.add(node.id)
        else:
            stop = stop or node
    return None if output in below else stop


def behind(nodes: Iterable[Node], output: str) -> set[str]:
    """Return the nodes that the output is computed from, itself included."""
    by_id = {node.id: node for node in nodes}
    met, waiting = {output}, [output]
    while waiting:
        node = by_id[waiting.pop()]
        inputs = {x for x in node.inputs or names(node.expression) if x in by_id} - met
        met |= inputs
        waiting.extend(inputs)
    return met
