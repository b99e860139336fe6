"""What is done at the places of a backward pass, beside the walk itself.

Here that is little: gradients are added to the `.grad` of leaves, or captured. Snippets have hooks, functions of their
own and more; they pass in `gradcli.script.torch.autograd.rites`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from gradcli.engine.broadcast import other_shape
from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.memory.layout import is_dense
from gradcli.engine.memory.views import copy
from gradcli.engine.tensor import Tensor, Value


def accumulate(leaf: Tensor, gradient: Any, unshared: bool = False) -> None:
    """Add to `.grad`, in the same memory as torch does; a first gradient is copied unless nobody else has it."""
    if gradient.shape != leaf.shape:
        raise other_shape(gradient, leaf)
    held: Any = leaf._grad
    if held is None:
        leaf._grad = (
            copy_gradient(gradient)
            if isinstance(gradient, Tensor)
            else Tensor(in_order(leaf.value, gradient, unshared))
        )
    elif isinstance(gradient, Tensor):
        leaf._grad = held + gradient
    else:
        np.add(held.array, gradient, out=held.array)
        held.changed()


def in_order(value: Value, gradient: Value, unshared: bool) -> Value:
    """Return a gradient, or a copy of it, in the order of the entries of its leaf where that is dense, else of rows."""
    if unshared and gradient.strides == value.strides and gradient.flags.writeable:
        return gradient
    if value.flags.c_contiguous or not is_dense(value):
        return gradient.copy()
    laid = np.empty_like(value, dtype=gradient.dtype)
    laid[...] = gradient
    return laid


def copy_gradient(gradient: Tensor) -> Tensor:
    """Copy a gradient, with the node that torch gives the copy."""
    return copy(Tensor(gradient.value), gradient) if gradient.requires_grad else Tensor(gradient.value.copy())


class Rites:
    """The plain rites of one walk: gradients are added to `.grad`, or become the values of `captured`.

    `place` is where the walk is.
    """

    place: Target | None = None
    below: Collection[Target] = ()

    def __init__(self, captured: dict[Target, Carrier | None] | None = None) -> None:
        self.captured = captured

    def begin(self, below: Collection[Target]) -> None:
        """Take note of the places that the walk visits."""
        self.below = below

    def arrive(self, place: Target, gradient: Carrier | None) -> Carrier | None:
        """Return the gradient that goes on from a place; None where none does."""
        self.place = place
        if self.captured is None or place not in self.captured:
            return gradient
        self.captured[place] = gradient
        return gradient if self.leads_on(place) else None

    def leads_on(self, place: Target) -> bool:
        """Whether the walk goes on from a place."""
        return isinstance(place, Node) and any(edge in self.below for edge in place.edges)

    def rules(self, node: Node, upstream: Carrier, out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Return the rules by which the gradient goes on to the inputs of a node."""
        return node.primitive.rules_for(values)

    def accumulate(self, place: AccumulateGrad, gradient: Carrier, unshared: bool) -> None:
        """Add the whole gradient of a leaf to its `.grad`, unless it was detached since."""
        if place.collects:
            accumulate(place.variable, gradient, unshared)
