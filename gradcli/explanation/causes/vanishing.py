"""Gradients that vanish or explode on their way, and units that pass none on: saturated sigmoids, dead ReLUs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.explanation.model import Leaf, Node, Note, Step

VANISHED, EXPLODED = 1e-3, 1e3  # shares of the gradient at the output
LONG = 4  # operations between output and leaf: fewer are no chain


def vanishing_and_exploding(nodes: Sequence[Node], steps: Sequence[Step], leaves: Sequence[Leaf]) -> Iterator[Note]:
    """Yield notes on where the smallest gradient of a leaf vanished, and where the largest exploded."""
    seed = size(steps[0].upstream) if steps else 0.0
    shares = {node.id: size(node.grad) / seed for node in nodes if node.grad is not None} if seed else {}
    ends = sorted((share, leaf.node) for leaf in leaves if 0 < (share := shares.get(leaf.node, 0.0)) < np.inf)
    if not ends or (ends[0][0] >= VANISHED and ends[-1][0] <= EXPLODED):
        return
    sources = strongest(steps)
    (smallest, near), (largest, far) = ends[0], ends[-1]
    chain, factors = way(near, sources, shares)
    if smallest < VANISHED * min(factors) and len(chain) > LONG:  # one step alone has other causes
        at = next(node for node in chain if shares[node] < VANISHED)
        message = f"vanishes on its way to {near}: at {at} it falls below {VANISHED:g} of that at the output"
        yield Note("vanished", at, f"the gradient {message}, and {smallest:.2g} of it arrives")
    chain, factors = way(far, sources, shares)
    if largest > EXPLODED * max(factors) and len(chain) > LONG:
        at = next(node for node in chain if shares[node] > EXPLODED)
        message = f"explodes on its way to {far}: at {at} it rises above {EXPLODED:g} times that at the output"
        yield Note("exploded", at, f"the gradient {message}, and {largest:.2g} times that arrives")


def size(gradient: Any) -> float:
    """Return the root of the sum of squares, which sharing out among many entries changes little."""
    return abs(float(gradient)) if np.ndim(gradient) == 0 else float(np.linalg.norm(gradient))


def strongest(steps: Sequence[Step]) -> dict[str, str]:
    """Return by node the consumer from which most of its gradient comes; nan counts as nothing."""
    best: dict[str, tuple[float, str]] = {}
    for step in steps:
        strength = size(step.contribution)
        source = (0.0 if math.isnan(strength) else strength, step.node)
        best[step.input] = max(best.get(step.input, source), source)
    return {node: consumer for node, (_, consumer) in best.items()}


def way(leaf: str, sources: Mapping[str, str], shares: Mapping[str, float]) -> tuple[list[str], list[float]]:
    """Return the nodes from the output to a leaf, each the strongest source of the next, and the factors between."""
    nodes = [leaf]
    while nodes[-1] in sources:
        nodes.append(sources[nodes[-1]])
    chain = nodes[::-1]
    with np.errstate(all="ignore"):
        factors = [float(np.divide(shares[node], shares[above])) for above, node in pairwise(chain)]
    return chain, factors or [1.0]


FLAT = {"sigmoid": 0.25, "tanh": 1.0}  # by operation its greatest slope
SATURATED = 0.01  # of that slope: less counts as flat


def idle(nodes: Sequence[Node]) -> Iterator[Note]:
    """Saturated and dead units of each layer, counted; a unit of a batch is a column of its rows."""
    values = {node.id: node.value for node in nodes}
    for node in nodes:
        if not node.requires_grad or node.op not in ("relu", *FLAT):
            continue
        inputs = values[node.inputs[0]]
        is_flat = np.logical_and(np.less_equal(inputs, 0), np.less(inputs, 0).any())  # kinks alone have another note
        if node.op in FLAT:
            slopes = node.value * (1 - node.value) if node.op == "sigmoid" else 1 - node.value**2
            is_flat = slopes < SATURATED * FLAT[node.op]
        rows = np.shape(is_flat)[0] if np.ndim(is_flat) == 2 else 1
        units = np.atleast_1d(np.all(is_flat, axis=0) if rows > 1 else is_flat)
        if not units.any():
            continue
        share = f"{np.count_nonzero(units)} of {units.size} units of {node.name} are"
        count = share if units.size > 1 else f"{node.name} is"
        everywhere = f" in all {rows} rows" if rows > 1 else ""
        if node.op == "relu":
            message = f"{count} dead{everywhere}: relu is 0 there and passes no gradient on"
            yield Note("dead", node.id, message)
        else:
            message = f"{count} saturated{everywhere}: {node.op} passes on less than {SATURATED:.0%}"
            yield Note("saturated", node.id, f"{message} of the gradient that it passes on at 0")
