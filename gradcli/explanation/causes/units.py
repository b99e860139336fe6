"""Units that pass no gradient on: sigmoids and tanhs that are saturated, ReLUs that are dead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.explanation.model import Node, Note

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
