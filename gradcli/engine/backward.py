"""The backward pass: an iterative walk, newest node first as in torch, that yields each step as it happens.

`walk` is the only implementation. `Tensor.backward` drains it, `grad` captures gradients from it, the explanation
keeps its events. Over numpy values no Tensor is built; with `create_graph` the same rules run over Tensors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from gradcli.engine.broadcast import fit
from gradcli.engine.carrier import Carrier
from gradcli.engine.graph import AccumulateGrad, Node, Target, reachable
from gradcli.engine.modes import changes, set_grad_enabled
from gradcli.engine.rites import Rites
from gradcli.engine.saved import check_versions, operands, release
from gradcli.engine.tensor import Gradient, Tensor, Value
from gradcli.errors import AutogradError

ARRAY = np.ndarray


class Contribution(NamedTuple):
    """One edge of one node: the gradient that flows into the input at `position`, and the running total there."""

    node: Node
    position: int
    upstream: Carrier
    unsummed: Carrier  # the result of the rule, before the sum over broadcast axes
    contribution: Carrier
    total: Carrier


class Accumulation(NamedTuple):
    """A leaf has its whole gradient, which is about to be added to its `.grad`."""

    leaf: Tensor
    gradient: Carrier


Event = Contribution | Accumulation


def walk(
    outputs: Sequence[Tensor],
    gradients: Sequence[Gradient],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    into: Collection[Target] | None = None,
    rites: Rites | None = None,
    events: bool = True,
) -> Iterator[Event]:
    """Run the backward pass from `outputs`, newest node first; yield each contribution, and each arrival at a leaf.

    With `into` only the places are visited that lead to these. `rites` are what is done beside the walk. Without
    `events` nothing is yielded, which is quicker.
    """
    rites = Rites() if rites is None else rites
    retain = create_graph if retain_graph is None else retain_graph
    pending, unshared = seeds(outputs, gradients, create_graph), dict[Target, bool]()
    below = reachable(pending, into)
    rites.begin(below)
    for place in reversed(below):
        if (upstream := rites.arrive(place, pending.pop(place, None))) is None:
            continue
        if isinstance(place, AccumulateGrad):
            if events:
                yield Accumulation(place.variable, upstream)
            rites.accumulate(place, upstream, unshared.get(place, False))
            continue
        inputs, out = operands(place, create_graph)
        if changes.latest > place.sequence:
            check_versions(place)
        rules = rites.rules(place, upstream, out, inputs)
        for position, edge in enumerate(place.edges):
            if edge not in below:
                continue
            if (unsummed := rules[position](upstream, out, *inputs, **place.options)) is None:
                continue  # a function that a snippet wrote may have nothing to give
            contribution = fit(unsummed, inputs[position])
            pending[edge] = pending[edge] + contribution if edge in pending else contribution
            if events:
                yield Contribution(place, position, upstream, unsummed, contribution, pending[edge])
            elif type(contribution) is ARRAY:
                unshared[edge] = is_unshared(pending[edge], place, upstream, (out, *inputs), unshared)
        if not retain:
            release(place)


def is_unshared(
    gradient: Value, node: Node, upstream: Value, values: Iterable[Value], unshared: Mapping[Target, bool]
) -> bool:
    """Whether nobody else has the memory of a gradient that a node gave, from the upstream one and `values`.

    A rule may hand on one of them, or a view of it; only of the upstream one that is known at its place, `unshared`.
    What a snippet's `backward` returns it may keep.
    """
    memory = owner(gradient)
    if node.primitive.shares or node.hooks is not None or getattr(memory, "size", None) != gradient.size:
        return False
    if memory is owner(upstream):
        return unshared.get(node, False) and len(node.edges) == 1
    return all(memory is not owner(x) for x in values)


def owner(x: Value) -> Value:
    """Return the array whose memory a value looks into, or itself."""
    return x if getattr(x, "base", None) is None else x.base


def outside_the_graph(index: int) -> AutogradError:
    """Return the error for an output that nothing is known about."""
    return AutogradError(f"element {index} of tensors does not require grad and does not have a grad_fn")


def no_scalar() -> AutogradError:
    """Return the error for an output of several entries for which no gradient is given."""
    return AutogradError(
        "grad can be implicitly created only for scalar outputs",
        help="give the upstream gradient, or reduce the output with sum() or mean()",
    )


def seeds(outputs: Sequence[Tensor], gradients: Sequence[Gradient], create_graph: bool) -> dict[Target, Carrier]:
    """Return the gradients that enter at the outputs: as given, or 1 for a tensor of one element."""
    pending: dict[Target, Carrier] = {}
    for index, (output, gradient) in enumerate(zip(outputs, gradients, strict=True)):
        if output.node is None or output.is_unrecorded:
            raise outside_the_graph(index)
        if gradient is None:
            if output.value.size != 1:
                raise no_scalar()
            gradient = np.ones_like(output.value)[()]
        seed = gradient if isinstance(gradient, Tensor) else Tensor(np.asarray(gradient, output.dtype)[()])
        if seed.shape != output.shape:
            raise AutogradError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {_size(seed)} and output[{index}] has a shape "
                f"of {_size(output)}."
            )
        value = seed if create_graph else seed.value
        pending[output.node] = pending[output.node] + value if output.node in pending else value
    return pending


def _size(tensor: Tensor) -> str:
    return f"torch.Size({list(tensor.shape)})"


def grad(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    grad_outputs: Sequence[Gradient] | None = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool = False,
    carries: bool = False,
    rites: Rites | None = None,
    follow: Callable[[Iterator[Event]], Iterator[Event]] | None = None,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad` does.

    `follow` passes on the events of the walk, and may look at them. A pass that `carries` computes with Tensors, whose
    tangents are known, also where it makes no graph.
    """
    rites = Rites() if rites is None else rites
    captured = rites.captured = dict[Target, Carrier | None]()
    for x in inputs:
        if x.node is None:
            raise AutogradError("One of the differentiated Tensors does not require grad")
        captured[x.node] = None
    gradients = grad_outputs if grad_outputs is not None else [None] * len(outputs)
    steps = walk(
        outputs,
        gradients,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph or carries,
        into=captured,
        rites=rites,
        events=follow is not None,
    )
    drain(steps if follow is None else follow(steps), create_graph)
    arrived = [None if getattr(x, "is_unrecorded", False) else captured[x.node] for x in inputs if x.node is not None]
    if not allow_unused:
        check_used(arrived)
    tensors = {id(x.value): x for x in gradients if isinstance(x, Tensor)}  # one tensor for one value
    return tuple(g if g is None or isinstance(g, Tensor) else tensors.setdefault(id(g), Tensor(g)) for g in arrived)


def check_used(gradients: Sequence[Carrier | None]) -> None:
    """Refuse that a gradient which was asked for is None."""
    for index, gradient in enumerate(gradients):
        if gradient is None:
            raise AutogradError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )


def backward(output: Tensor, gradient: Gradient, retain_graph: bool | None, create_graph: bool) -> None:
    """Run a backward pass from one output into the `.grad` of the leaves; see `Tensor.backward`."""
    steps = walk([output], [gradient], retain_graph=retain_graph, create_graph=create_graph, events=False)
    drain(steps, create_graph)


def trace(outputs: Sequence[Tensor], gradients: Sequence[Gradient], rites: Rites | None = None) -> Iterator[Event]:
    """Yield the events of a backward pass that leaves the graph as it was."""
    return walk(outputs, gradients, retain_graph=True, rites=rites)


def drain(events: Iterator[Event], create_graph: bool) -> None:
    """Run a walk to its end; its operations are recorded only under `create_graph`."""
    with set_grad_enabled(create_graph):
        deque(events, maxlen=0)
