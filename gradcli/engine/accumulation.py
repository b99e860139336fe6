"""Gradients are added up, and whole ones arrive at leaves and are added to their `.grad`.

The result of a rule may be shared: it can be the upstream gradient, an operand, or what a snippet keeps. As in torch,
the references to an array tell whether it is added to in place, and becomes `.grad` without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node, Target, wholes
from gradcli.engine.hooks import accumulated_hooks, before_hooks
from gradcli.engine.memory.layout import is_dense
from gradcli.engine.memory.writing import copy
from gradcli.engine.tensor import Tensor, Value

Carrier = Any  # a numpy value, or a Tensor under create_graph
ARRAY = np.ndarray


class Accumulation(NamedTuple):
    """A leaf received its whole gradient; `before` is the value of its `.grad` until then."""

    leaf: Tensor
    gradient: Carrier
    before: Value | None


def references() -> tuple[int, int, int]:
    """Return the references that are counted to what a variable holds alone, an entry with it, or a view."""
    first, entries, view = np.zeros(2), {0: np.zeros(2)}, np.zeros(2)[:1]
    entry = entries[0]
    return getrefcount(first), getrefcount(entry), getrefcount(view.base)


IN_VARIABLE, IN_ENTRY, IN_VIEW = references()


def added(
    pending: dict[Target, Carrier], edge: Target, more: Carrier, upstream: Carrier, changes: dict[Target, int]
) -> Carrier:
    """Return the gradients at an edge so far and one more; `changes` counts where torch adds in place.

    The caller holds `upstream`, which may be what is at the edge.
    """
    held = pending[edge]
    alone = getrefcount(held) == (IN_ENTRY if held is not upstream else IN_ENTRY + 1)
    if type(held) is ARRAY:
        if alone and held.base is not None:
            alone = type(held.base) is ARRAY and getrefcount(held.base) == IN_VIEW
        alone = alone and held.flags.writeable and is_dense(held)
    if not alone:
        changes[edge] = 0
        return held + more
    changes[edge] = changes.get(edge, 0) + 1
    return np.add(held, more, out=held) if type(held) is ARRAY else held + more


def rename(node: Target | None, names: dict[str, str]) -> None:
    """Give a node, the last one of a gradient, the name that torch's has."""
    if isinstance(node, Node) and node.name() in names:
        node.primitive = replace(node.primitive, node=names[node.name()])


# The last nodes by which torch joins the gradients of several results in one, where here they are added up.
NAMES = "Cat LinalgSolveTriangular Mm Stack TriangularSolve UnsafeView View"
JOINING = frozenset(f"{name}Backward0" for name in NAMES.split())


def names_of_sum(node: Node, before: Node | None, gradient: Any) -> dict[str, str] | None:
    """Return what `rename` calls the sum of the gradients of two nodes, which are one in torch, or None."""
    whole = wholes.get(node)
    if whole is None or before is None or wholes.get(before) is not whole:
        return None
    name = gradient.node.name() if gradient.node else ""
    return {"AddBackward0": name} if name in JOINING else None


def arrivals(
    leaves: Sequence[Target],
    pending: dict[Target, Carrier],
    changes: dict[Target, int],
    captured: dict[Target, Carrier] | None,
    create_graph: bool,
    events: bool,
) -> Iterator[Accumulation]:
    """Give complete gradients to their leaves: to `captured`, or into `.grad`; `changes` counts those in place."""
    for target in leaves:
        gradient, times = pending.pop(target, None), changes.get(target, 0)
        hooked, alone = target.hooks is not None, True
        if hooked:
            shown = gradient if gradient is None or create_graph else changed(gradient, times)
            shown = before_hooks(target, shown, passes=captured is None)
            gradient = shown if shown is None or create_graph else shown.value
            times = changes[target] = 0 if shown is None else shown._version
            alone = getrefcount(shown) == IN_VARIABLE
            del shown
        if captured is not None:
            captured[target] = gradient
        elif gradient is None:
            if isinstance(target, AccumulateGrad) and target.collects:
                accumulated_hooks(target, None)
        elif isinstance(target, AccumulateGrad) and target.collects:
            alone = alone and getrefcount(gradient) == IN_VARIABLE
            leaf = target.variable
            before = None if leaf._grad is None or not events else leaf._grad.value.copy()
            taken = accumulate(leaf, gradient, create_graph, alone=alone, times=times)
            if events:
                yield Accumulation(leaf, gradient, before)
            if hooked:
                accumulated_hooks(target, leaf._grad if taken else gradient)


def accumulate(leaf: Tensor, gradient: Carrier, create_graph: bool, *, alone: bool, times: int = 0) -> bool:
    """Add to `.grad`, in the same memory as torch does; returns whether the gradient itself became `.grad`.

    A first gradient, which was changed in place so many `times`, is copied unless it is held here `alone`.
    """
    held: Any = leaf._grad
    if create_graph:
        leaf._grad = copied(gradient) if held is None else held + gradient
    elif held is not None:
        np.add(held.array, gradient, out=held.array)
        held.changed()
    elif alone and lies_as(gradient, leaf.value):
        leaf._grad = changed(gradient if gradient.flags.writeable else gradient.copy(), times)
        return True
    elif is_dense(leaf.value):
        found = np.empty_like(leaf.value, dtype=gradient.dtype)
        found[...] = gradient
        leaf._grad = changed(found, 1)
    else:
        leaf._grad = Tensor(gradient.copy())
    return False


def changed(gradient: Any, times: int) -> Tensor:
    """Make the tensor of a gradient that was changed in place so many times, before anything saved it."""
    found = Tensor(gradient)
    if times:
        found.history = [0] * times
    return found


def lies_as(gradient: Any, value: Value) -> bool:
    """Whether a gradient lies as torch wants it: as its leaf if that is dense, else in the order of rows."""
    if gradient.flags.c_contiguous and value.flags.c_contiguous:
        return True
    if not is_dense(value):
        return bool(gradient.flags.c_contiguous)
    strides = zip(gradient.strides, value.strides, value.shape, strict=True)
    return all(a == b or length == 1 for a, b, length in strides)


def copied(gradient: Tensor) -> Tensor:
    """Copy a gradient, with the node that torch gives the copy."""
    found = copy(Tensor(gradient.value), gradient) if gradient.requires_grad else Tensor(gradient.value.copy())
    found.history = [0]  # torch copies into new memory, which counts
    return found
