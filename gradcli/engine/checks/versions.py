"""The check that what a node saved is as it was: a change in place counts up the version of its memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.graph import Node
from gradcli.engine.primitive import OUT
from gradcli.engine.saved import origin, saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError

DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)


def check_attached(node: Node, positions: Collection[int]) -> None:
    """Refuse to use a saved operand that had a node and has none now."""
    for position, (x, edge) in enumerate(zip(node.inputs or (), node.edges, strict=False)):
        if position in positions and isinstance(edge, Node) and isinstance(x, Tensor) and x.node is None:
            raise AutogradError(DETACHED, code="E303", help="write x = x.detach()")


HINT = (
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


def check_versions(node: Node, positions: Collection[int] | None = None) -> None:
    """Refuse to use a saved tensor that was changed in place after it was saved: one of all, or at the positions."""
    beside = node.watched if positions is None else ()
    positions = saved(node) if positions is None else positions
    for x in beside:
        if x.history and x.history[-1] > x.since:
            raise modified(node, x.value, x.origin(), x.history, x.since)
    check_attached(node, positions)
    changed = [
        position
        for position, x in enumerate(node.inputs or ())
        if isinstance(x, Tensor) and x.history and x.history[-1] > node.sequence and position in positions
    ]
    if changed:  # torch reads the inputs by the order of their names, then the result
        names = dict(enumerate(node.primitive.inputs))
        x = (node.inputs or ())[min(changed, key=lambda position: (names.get(position, "~"), position))]
        raise modified(node, x.value, origin(x.node), x.history, node.sequence)
    if node.saved_out is not None and OUT in positions:
        history, since = node.saved_out
        if history and history[-1] > since:
            raise modified(node, node.out, origin(node), history, since)


class ModifiedError(AutogradError):
    """A saved tensor was changed: `saver` is the node that saved it, `time` the engine's time of the first change."""

    def __init__(self, message: str, saver: Node, time: int) -> None:
        help = "change a clone() instead, or use the out-of-place form of the operation"
        super().__init__(message, code="E303", help=help)
        self.saver = saver
        self.time = time


def modified(saver: Node, value: Any, origin: str, history: list[int], since: int) -> ModifiedError:
    return ModifiedError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{_kind(value)} {list(value.shape)}]{origin} is at version "
        f"{len(history)}; expected version {sum(time <= since for time in history)} instead. {HINT}",
        saver,
        next(time for time in history if time > since),
    )


def _kind(value: Any) -> str:
    """Return the name of the type of a tensor in these errors, where booleans have an old one."""
    name = TYPE_NAMES.get(value.dtype, "Float")
    return "CPUBoolType" if name == "Bool" else f"torch.{name}Tensor"
