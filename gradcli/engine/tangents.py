"""Forward mode: tangents of tensors, carried to every result that is computed from them.

A rule is linear in the upstream gradient, so it is its own way forward: the gradient of what it gives, with respect to
that upstream, in the direction of the tangent of the input. No operation declares anything for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from gradcli.engine.backward import grad
from gradcli.engine.broadcast import fit
from gradcli.engine.graph import AccumulateGrad
from gradcli.engine.memory.views import follow, is_view, overwrite
from gradcli.engine.modes import mode, set_grad_enabled
from gradcli.engine.recorder import Application, leave, listen, listening
from gradcli.engine.tensor import Tensor, is_floating
from gradcli.errors import UnsupportedHere

OUT_OF_PLACE = "use the out-of-place form of the operation in forward mode"
CHANGED = "a change in place of a tensor with a tangent is not supported here"


class Level:
    """One forward pass: the tangents of the tensors that were computed since it began.

    A result is known by its node, which stands for it also in a recorded backward pass; a constant by itself.
    """

    nested = True
    transforms = False  # whether it is one of torch.func

    def __init__(self) -> None:
        self.known: WeakKeyDictionary[Any, tuple[Tensor, int]] = WeakKeyDictionary()
        self.duals: WeakSet[Any] = WeakSet()  # which a snippet made, or whose values it asked for

    def set(self, x: Tensor, tangent: Tensor) -> None:
        self.known[x.node or x] = tangent, len(x.history or ())

    def mark_dual(self, alias: Tensor, tangent: Tensor | None) -> Tensor:
        """Give another tensor on the same memory a tangent of its own, or none."""
        self.duals.add(alias.node or alias)
        if tangent is not None:
            self.set(alias, tangent)
        return alias

    def forget(self, x: Tensor) -> None:
        """Take the tangent of a tensor away, as the tensor leaves its graph."""
        self.known.pop(x.node or x, None)

    def get(self, x: Tensor) -> Tensor | None:
        """Return the tangent of a tensor, None for a constant; a changed view takes its part of the base's."""
        if mode.inference and not self.transforms:  # in which torch looks at no tangent
            return None
        node = x.node
        entry = self.known.get(node or x)
        stale = entry is not None and node is None and len(x.history or ()) != entry[1]
        if is_view(x) and (stale or (entry is None and x.history)):
            base_tangent = self.get(x.base)
            return None if base_tangent is None else follow(base_tangent, x.path)
        UnsupportedHere.when(stale, CHANGED, help=OUT_OF_PLACE)
        return None if entry is None else entry[0]

    def written(self, target: Tensor, result: Tensor) -> Callable[[], None]:
        """Return what gives the changed tensor its tangent, once `result` is written over `target`."""
        owner = target.base if is_view(target) else target
        duals = [x for x in (target, owner) if (x.node or x) in self.duals]
        UnsupportedHere.when(bool(duals), CHANGED, help=OUT_OF_PLACE)
        part, owner_tangent = self.get(result), self.get(owner)
        if part is None and owner_tangent is None:
            return lambda: None
        part = Tensor(np.zeros_like(result.value)[()]) if part is None else part
        if is_view(target):
            owner_tangent = Tensor(np.zeros_like(owner.value)[()]) if owner_tangent is None else owner_tangent
            part = overwrite(owner_tangent, part, path=target.path)
        tangent = Tensor(part.value, part.node)
        return lambda: self.set(owner, tangent)

    def append(self, application: Application) -> None:
        """Give the result of an operation a tangent, if an operand has one; a function of a snippet has its `jvp`."""
        if not getattr(application.primitive, "pushes", True):
            return
        tangents = [(n, self.get(x)) for n, x in enumerate(application.inputs) if isinstance(x, Tensor)]
        parts = [push_tangent(application, position, tangent) for position, tangent in tangents if tangent is not None]
        shares = [part for part in parts if part is not None]
        if shares:
            total = shares[0]
            for part in shares[1:]:
                total = total + part
            if not application.primitive.view and any(total is tangent for _, tangent in tangents):
                total = carry(total, Tensor(total.value.copy(), total.node))
            self.set(application.out, total)


def push_tangent(application: Application, position: int, tangent: Tensor) -> Tensor | None:
    """Return the part of the tangent of the result that comes from one operand; None where it has no rule."""
    primitive, inputs, options, out = application
    rules = primitive.rules_for(inputs)
    rule = rules[position] if position < len(rules) else None
    if rule is None or not is_floating(out.value):
        return None
    is_followed = bool(listening(Level)) or mode.examples is not None  # by what is around this level
    has_graph = any(isinstance(x, Tensor) and x.requires_grad for x in (tangent, *inputs))
    recorded = mode.grad_enabled and (is_followed or has_graph)
    with set_grad_enabled(True):
        upstream = Tensor(np.ones_like(out.value)[()])  # at 0 the logarithm of a gradient has no derivative
        upstream.node = AccumulateGrad(upstream)
        flowed = rule(upstream, out, *inputs, **options)
        if flowed is None or not flowed.requires_grad:  # a step, whose tangent torch has as zeros
            return Tensor(np.zeros_like(out.value)[()])
        reached = fit(flowed, inputs[position])
        (tangent_share,) = grad([reached], [upstream], [tangent], create_graph=recorded, allow_unused=True)
    if tangent_share is not None and tangent_share.requires_grad and not (has_graph and mode.grad_enabled):
        return carry(tangent_share, tangent_share.detach())  # a graph for those that follow alone
    return tangent_share


def keep_tangents(x: Tensor, change: Callable[[], Any]) -> None:
    """Change the place of a tensor in the graph: tangents, known by the place, go with it."""
    before = x.node or x
    change()
    after = x.node or x
    for active in listening(Level) if after is not before else ():
        if before in active.known:
            active.known[after] = active.known.pop(before)


def tangents_of(*values: Any) -> list[Tensor]:
    """Return the tangents that the given tensors have, in all forward passes that are running."""
    tangents = [active.get(x) for active in listening(Level) for x in values if isinstance(x, Tensor)]
    return [x for x in tangents if x is not None]


@contextmanager
def level() -> Iterator[Level]:
    """Run a forward pass: inside of the block its tangents follow every operation."""
    forward_pass = Level()
    listen(forward_pass)
    try:
        yield forward_pass
    finally:
        leave(forward_pass)


def carry(source: Tensor, alias: Tensor, through: Callable[[Tensor], Tensor] = lambda x: x) -> Tensor:
    """Give `alias`, a tensor of the same value, the tangents of `source`, each passed `through` a function first."""
    for active in listening(Level):
        tangent = active.get(source)
        if tangent is not None:
            active.set(alias, through(tangent))
    return alias
