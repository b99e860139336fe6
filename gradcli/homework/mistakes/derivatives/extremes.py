"""Maxima and minima: the gradient goes back to the one that was taken, and to no other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.homework.mistakes.declaration import EdgeFacts, Slip
from gradcli.homework.mistakes.derivatives.activations import RELU_GATE
from gradcli.homework.solve.graph import Edge
from gradcli.homework.solve.problem import slope

ENTRIES = 8  # of a vector of which each may have been taken for the largest


@RELU_GATE.rules()
def other_branch(edge: EdgeFacts) -> Iterator[Slip]:
    """The gradient of `maximum(a, b)` sent to the other one, or to both."""
    both = [Edge(edge.index, position) for position in edge.vertex.rules]
    if "choice" in edge.vertex.traits and len(both) == 2 and edge.edge == both[0]:
        shares = [edge.graph.local(branch) for branch in both]
        sentence = f"the gradient of {edge.name} goes back to the one that was taken"
        swapped = {branch: slope(share) for branch, share in zip(both, reversed(shares), strict=True)}
        yield Slip(edge.index, "to the other one", f"{sentence}, and you sent it to the other", swapped)
        yield Slip(edge.index, "to both", f"{sentence}, and you sent it to both", dict.fromkeys(both, slope(1.0)))


@RELU_GATE.rules("max", "amax", "min", "amin")
def other_entry(edge: EdgeFacts) -> Iterator[Slip]:
    """The gradient of the largest entry sent to all, to another one, or times the entry itself."""
    entries = edge.operands[0]
    if np.ndim(edge.value) or np.ndim(entries) != 1:
        return
    sentence = f"the gradient of {edge.name} goes back to the entry that was taken"
    yield edge.slip("to all", f"{sentence}, and you sent it to all", slope(np.ones_like(entries)))
    for place in np.flatnonzero(np.not_equal(entries, edge.value)) if len(entries) <= ENTRIES else ():
        one_hot = np.eye(len(entries))[place]
        yield edge.slip(f"to entry {place}", f"{sentence}, and you sent it to another", slope(one_hot))
