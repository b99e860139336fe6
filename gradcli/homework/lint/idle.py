"""Numbers that leave nothing to ask: zeros, saturated activations, and gates that are shut."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.homework.solve.graph import Graph

EDGE = 0.02  # a sigmoid or a tanh that comes closer to its limits is saturated
RANGES = {"sigmoid": (0, 1), "tanh": (-1, 1)}
GATES = ("relu",)


def zeros(graph: Graph) -> Iterator[str]:
    """Yield sentences about the named numbers that are 0."""
    for index in sorted(graph.named):
        if not np.any(graph.vertices[index].value):
            yield f"{graph.label(index)} is 0"


def shut(graph: Graph) -> Iterator[str]:
    """Yield sentences about the activations that are saturated or let nothing through."""
    for index, vertex in enumerate(graph.vertices):
        if vertex.op in GATES and not np.any(vertex.value):
            yield f"{graph.label(index)} lets nothing through"
        elif vertex.op in RANGES and is_saturated(vertex.value, *RANGES[vertex.op]):
            yield f"{graph.label(index)} is saturated"


def is_saturated(value: Any, low: float, high: float) -> bool:
    """Return whether an entry of an activation is at a limit, where its slope is nearly 0."""
    return bool(np.any(np.minimum(value - low, high - value) < EDGE * (high - low)))
