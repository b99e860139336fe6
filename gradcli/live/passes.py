"""A backward pass over the graph of a live tensor that changes nothing.

Each node is called by itself, the latest of the ready ones first as torch's engine does. So no hook is fired, no
`.grad` is written and nothing is freed: hooks and `.grad` belong to the engine, which does not run.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from gradcli.errors import AutogradError, UsageError
from gradcli.facts import dataclass

Node = Any  # torch's, as `grad_fn` is
FREED = "the graph of this tensor was freed by a backward pass"
COMPILED = ("CompiledFunctionBackward", "CompiledAutograd")


@dataclass(frozen=True, slots=True)
class Flow:
    """One contribution, from a result of a node to the target of an edge; `total` is the sum that has arrived there.

    Torch computes all results of a node at once. The contribution of one of several is the node's for it alone.
    """

    node: Node
    output: int
    edge: int
    upstream: torch.Tensor
    unsummed: torch.Tensor
    contribution: torch.Tensor
    total: torch.Tensor


def is_leaf(node: Node) -> bool:
    return bool(hasattr(node, "variable"))


def reachable(root: Node) -> list[Node]:
    """Return a node and all nodes below it, leaves too; each node stands behind every node with an edge to it."""
    seen = {root}
    waiting: deque[Node] = deque([root])
    leading: Counter[Node] = Counter()
    while waiting:
        for node, _ in waiting.popleft().next_functions:
            if node is not None:
                leading[node] += 1
                if node not in seen:
                    seen.add(node)
                    waiting.append(node)
    later = count()  # the order of nodes with the same sequence number
    order, ready = [], [(0, next(later), root)]
    while ready:
        _, _, node = heappop(ready)
        order.append(node)
        for below, _ in node.next_functions:
            if below is not None:
                leading[below] -= 1
                if not leading[below]:
                    heappush(ready, (-below._sequence_nr(), next(later), below))
    return order


def check(order: Sequence[Node]) -> None:
    """Refuse a graph that cannot be explained, or whose nodes change the model when they are called."""
    for node in order:
        if any(name in node.name() for name in COMPILED):
            raise UsageError(
                "E008", "this graph was compiled, and its nodes are one", help="call the model without torch.compile"
            )
        if node.name() == "CheckpointFunctionBackward":
            raise UsageError(
                "E008",
                "a checkpoint of this graph runs a backward pass of its own, which would change .grad",
                help="call checkpoint with use_reentrant=False",
            )
        for metadata in node._input_metadata:
            if metadata.is_nested_tensor or metadata.dtype.is_complex or metadata.device.type == "meta":
                kind = "nested tensors" if metadata.is_nested_tensor else "complex numbers"
                contents = "tensors without numbers" if metadata.device.type == "meta" else kind
                raise UsageError("E008", f"this graph has {contents}, which gradcli does not explain")


def edge_gradients(node: Node, upstreams: Sequence[torch.Tensor | None]) -> Sequence[torch.Tensor | None]:
    """Return the gradient for each edge of a node."""
    try:
        if isinstance(node, BackwardCFunction):
            shapes = node._input_metadata  # type: ignore[attr-defined]
            given = [
                torch.zeros(shape.shape, dtype=shape.dtype, device=shape.device) if x is None else x
                for x, shape in zip(upstreams, shapes, strict=True)
            ]
            results = node.apply(*given)  # type: ignore[no-untyped-call]
            results = results if isinstance(results, tuple) else (results,)
            needed = iter([x for x, needs in zip(results, node.needs_input_grad, strict=False) if needs])
            return [None if below is None else next(needed, None) for below, _ in node.next_functions]
        results = node(*upstreams)
    except RuntimeError as error:
        if "second time" in str(error) or "already been freed" in str(error):
            raise AutogradError(
                FREED, code="E302", help="explain it before loss.backward(), or call loss.backward(retain_graph=True)"
            ) from None
        raise AutogradError(f"torch cannot run {node.name()} backward: {error}") from None
    return results if isinstance(results, tuple) else (results,)


def fit_gradient(gradient: torch.Tensor, below: Node, output: int) -> torch.Tensor:
    """Return a gradient in the shape and dtype of the tensor that it is for, as the engine does."""
    wanted = below._input_metadata[output]
    shape = tuple(wanted.shape)
    try:
        summed = gradient if tuple(gradient.shape) == shape else gradient.sum_to_size(shape)
    except RuntimeError:
        message = f"torch's gradient of shape {tuple(gradient.shape)} fits no input of shape {shape}"
        raise AutogradError(message, help="loss.backward() fails here too") from None
    return summed.to(wanted.dtype)


@torch.no_grad()
def flows(order: Sequence[Node], root: int, seed: torch.Tensor) -> Iterator[Flow]:
    """Yield each contribution of a pass, which begins with the gradient of one output of the first node."""
    arrived: dict[tuple[Node, int], torch.Tensor] = {(order[0], root): seed}
    for node in order:
        for output in () if is_leaf(node) else range(len(node._input_metadata)):
            upstream = arrived.get((node, output))
            if upstream is None:
                continue
            alone = [upstream if place == output else None for place in range(len(node._input_metadata))]
            gradients = zip(node.next_functions, edge_gradients(node, alone), strict=False)
            for edge, (place, gradient) in enumerate(gradients):
                if place[0] is not None and gradient is not None:
                    contribution = fit_gradient(gradient, *place)
                    held = arrived.get(place)
                    arrived[place] = contribution if held is None else held + contribution
                    yield Flow(node, output, edge, upstream, gradient, contribution, arrived[place])
