"""The tensors that a node saved for its backward pass: reading, and releasing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gradcli.engine.graph import AccumulateGrad, Node
from gradcli.engine.memory.writing import COPY_SLICES
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


def saved(node: Node) -> set[int]:
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
