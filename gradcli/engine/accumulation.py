"""The end of a backward pass: whole gradients arrive at leaves and are added to their `.grad`.

The result of a rule may be shared: it can be the upstream gradient, an operand, or a view of either. Only an array
that the engine alone holds is added to in place, or given away without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.graph import AccumulateGrad, Node, Target
from gradcli.engine.hooks import accumulated_hooks, before_hooks
from gradcli.engine.memory.writing import copy
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import Tensor, Value

Carrier = Any  # a numpy value, or a Tensor under create_graph
ARRAY = np.ndarray
WORTHWHILE = 2**12  # entries from which a copy costs more than a look whether one is needed


class Accumulation(NamedTuple):
    """A leaf received its whole gradient; `before` is the value of its `.grad` until then."""

    leaf: Tensor
    gradient: Carrier
    before: Value | None


def is_new(x: Any, node: Node, visible: Sequence[Any]) -> bool:
    """Whether the array `x`, the result of a rule of the node, lies in memory of its own.

    `visible` are the arguments of the rule. Our rules read nothing else; a snippet's may keep the array it returns.
    """
    primitive = node.primitive
    if REGISTRY.get(primitive.name) is not primitive or node.hooks is not None:
        return False
    memory = owner(x)
    return (
        type(memory) is ARRAY
        and memory.shape == x.shape
        and x.flags.c_contiguous  # as a copy would be: the order of sums depends on it
        and x.flags.writeable
        and all(owner(value) is not memory for value in visible)
    )


def owner(x: Any) -> Any:
    """Return the holder of the memory of an array: itself, or the object that it is a view of."""
    base = getattr(x, "base", None)
    return x if base is None else base


def arrivals(
    leaves: Sequence[Target],
    pending: dict[Target, Carrier],
    owned: set[Target],
    captured: dict[Target, Carrier] | None,
    create_graph: bool,
    events: bool,
) -> Iterator[Accumulation]:
    """Give complete gradients to their leaves: to `captured`, or into `.grad`; the `owned` are given without a copy."""
    for target in leaves:
        gradient = pending.pop(target, None)
        hooked = target.hooks is not None
        if hooked:
            gradient = before_hooks(target, gradient, passes=captured is None)
        if captured is not None:
            captured[target] = gradient
        elif gradient is None:
            if isinstance(target, AccumulateGrad) and target.collects:
                accumulated_hooks(target, None)
        elif isinstance(target, AccumulateGrad) and target.collects:
            leaf = target.variable
            held = leaf._grad
            before = held.value.copy() if events and held is not None else None
            accumulate(leaf, gradient, create_graph, alone=target in owned and not hooked)
            if events:
                yield Accumulation(leaf, gradient, before)
            if hooked:
                taken = (
                    held is None and not create_graph and isinstance(gradient, ARRAY) and gradient.flags.c_contiguous
                )
                accumulated_hooks(target, leaf._grad if taken else gradient)  # torch takes such a gradient as it is


def accumulate(leaf: Tensor, gradient: Carrier, create_graph: bool, *, alone: bool) -> None:
    """Add to `.grad`, in the same memory as torch does; a first gradient is copied, unless it is held here `alone`."""
    held: Any = leaf._grad
    if create_graph:
        leaf._grad = copied(gradient) if held is None else held + gradient
    elif held is None:
        leaf._grad = Tensor(gradient if alone and is_in_rows(leaf) else _laid_out(gradient, leaf))
    else:
        np.add(held.array, gradient, out=held.array)
        held.changed()


def is_in_rows(leaf: Tensor) -> bool:
    """Whether the entries lie in the order of rows."""
    return bool(leaf.value.flags.c_contiguous)


def _laid_out(gradient: Any, leaf: Tensor) -> Any:
    """Copy a gradient in the layout of its leaf, if that is dense; else in the order of rows."""
    if is_in_rows(leaf):
        return gradient.copy()
    found = np.empty_like(leaf.value, dtype=gradient.dtype)
    if found.strides != leaf.value.strides:
        return gradient.copy()
    found[...] = gradient
    return found


def copied(gradient: Tensor) -> Tensor:
    """Copy a gradient, with the node that torch gives the copy."""
    return copy(Tensor(gradient.value), gradient) if gradient.requires_grad else Tensor(gradient.value.copy())
