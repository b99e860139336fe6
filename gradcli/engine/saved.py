"""The tensors that a node saved for its backward pass: reading, releasing, and the check that they are as they were.

A change in place counts up the version of its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.memory.views import COPY_SLICES
from gradcli.engine.primitive import OUT
from gradcli.engine.tensor import Tensor, Value
from gradcli.errors import AutogradError

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def operands(node: Node, create_graph: bool) -> tuple[Sequence[Any], Any]:
    """Return inputs and result as the rules take them: numpy values, or Tensors under `create_graph`."""
    inputs: Sequence[Any] | None = node.inputs
    out = node.out
    if inputs is None:
        if node.hooks is None or node.hooks.packed is None:
            raise AutogradError(
                SECOND_TIME,
                code="E302",
                help="write .backward(retain_graph=True) in the first call, or build the graph again before the second",
            )
        inputs, out = node.hooks.packed()
    if create_graph:
        return inputs, Tensor(out, node)
    return [x.value if isinstance(x, Tensor) else x for x in inputs], out


def release(node: Node) -> None:
    """Release the tensors that the rules in use saved; a node that saved none may be used again, if it is no change."""
    edges = node.edges
    for position in node.primitive.saving(edges):
        if edges[position] is not None:
            _free(node)
            return
    if node.watched or node.primitive.node == COPY_SLICES:
        _free(node)


def _free(node: Node) -> None:
    node.inputs = node.out = None
    if node.hooks is not None:
        node.hooks.packed = None


def saved_positions(node: Node) -> set[int]:
    """Return the positions that the rules in use mention (`OUT` for the result)."""
    return {
        position
        for edge, positions in zip(node.edges, node.primitive.saved_for(node.edges), strict=False)
        if edge is not None
        for position in positions
    }


class Watched(NamedTuple):
    """A tensor that a node saves beside those of its rules: its history, the time of saving, and what made it."""

    history: list[int]
    since: int
    value: Value
    origin: Callable[[], str]


def watch(result: Tensor, *inputs: Tensor) -> None:
    """Let the node of a result save these inputs, too, as torch's node does."""
    _watch(result, [(x, partial(_present_origin, x)) for x in inputs])


def _present_origin(x: Tensor) -> str:
    return origin(x.node)


def _watch(result: Tensor, tensors: Iterable[tuple[Tensor, Callable[[], str]]]) -> None:
    if isinstance(result.node, Node):
        since = result.node.sequence
        result.node.watched += tuple(Watched(x.shared_history(), since, x.value, name) for x, name in tensors)


def origin(made_by: Node | AccumulateGrad | None) -> str:
    return f", which is output {made_by.number} of {_short(made_by.name())}," if isinstance(made_by, Node) else ""


def _short(name: str) -> str:
    """The name of a node as torch's errors have it: `Exp` of ExpBackward0, `Pow1` of PowBackward1, `F` of FBackward."""
    stem, _, number = name.rpartition("Backward")
    return stem + number.removeprefix("0") if stem and (number.isdigit() or not number) else name


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
    positions = saved_positions(node) if positions is None else positions
    for x in beside:
        if x.history and x.history[-1] > x.since:
            raise modified_error(node, x.value, x.origin(), x.history, x.since)
    check_attached(node, positions)
    changed = [
        position
        for position, x in enumerate(node.inputs or ())
        if isinstance(x, Tensor) and x.history and x.history[-1] > node.sequence and position in positions
    ]
    if changed:  # torch reads the inputs by the order of their names, then the result
        names = dict(enumerate(node.primitive.inputs))
        x = (node.inputs or ())[min(changed, key=lambda position: (names.get(position, "~"), position))]
        raise modified_error(node, x.value, origin(x.node), x.history, node.sequence)
    if node.saved_out is not None and OUT in positions:
        history, since = node.saved_out
        if history and history[-1] > since:
            raise modified_error(node, node.out, origin(node), history, since)


class ModifiedError(AutogradError):
    """A saved tensor was changed: `saver` is the node that saved it, `time` the engine's time of the first change."""

    def __init__(self, message: str, saver: Node, time: int) -> None:
        help = "change a clone() instead, or use the out-of-place form of the operation"
        super().__init__(message, code="E303", help=help)
        self.saver = saver
        self.time = time


def modified_error(saver: Node, value: Any, origin: str, history: list[int], since: int) -> ModifiedError:
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
