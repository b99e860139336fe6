"""The backward pass: an iterative walk, newest node first as in torch, that yields each step as it happens.

`walk` is the only implementation. `Tensor.backward` drains it, `grad` captures gradients from it, the explanation
keeps its events. Over numpy values no Tensor is built; with `create_graph` the same rules run over Tensors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.accumulation import Accumulation, Carrier, added, arrivals, changed, names_of_sum, rename
from gradcli.engine.broadcast import fit
from gradcli.engine.checks.gradients import chosen, wanted
from gradcli.engine.checks.versions import check_versions
from gradcli.engine.graph import AccumulateGrad, Node, Target, ancestors, reachable
from gradcli.engine.hooks import after_hooks, before_hooks, has_posthooks, hooks_of_nothing, replaced_rules, whole_hooks
from gradcli.engine.modes import changes, set_grad_enabled
from gradcli.engine.saved import DEPENDING, joined, operands, release
from gradcli.engine.tensor import Gradient, Tensor
from gradcli.errors import AutogradError

STOPPED_AT = "gradcli_node"  # the attribute of an exception that holds the node whose rule raised it
NUMBERS = frozenset({np.float64, np.float32})  # which have no shape, and of which numpy takes its time to say so


class Contribution(NamedTuple):
    """One edge of one node: the gradient that flows into the input at `position`, and the running total there."""

    node: Node
    position: int
    upstream: Carrier
    unsummed: Carrier  # the result of the rule, before the sum over broadcast axes
    contribution: Carrier
    total: Carrier


Event = tuple[Node, int, Carrier, Carrier, Carrier, Carrier] | Accumulation


def walk(
    outputs: Sequence[Tensor],
    gradients: Sequence[Gradient],
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    captured: dict[Target, Carrier] | None = None,
    only: Collection[Target] | None = None,
    events: bool = True,
    in_place: dict[Target, int] | None = None,
) -> Iterator[Event]:
    """Run the backward pass from `outputs`: one event a contribution, one a leaf; none without `events`.

    A contribution is a plain tuple here, in the order of the fields of `Contribution`: making the named ones would take
    a fifth of the time of a scalar program, and most callers look at none.

    With `captured` the gradients that arrive at its keys become its values, no `.grad` changes, and only the nodes
    between are run. With `only` they are those before the given ones, and no other `.grad` changes. `in_place` gets the
    numbers of additions in place.
    """
    retain = create_graph if retain_graph is None else retain_graph
    pending, _given = seeds(outputs, gradients, create_graph)
    order, waiting = reachable(pending)
    targets = only if captured is None else captured
    between = None if targets is None else ancestors(order, targets)
    done = [x for x in pending if not (x in order or x in waiting) and (between is None or x in between)]
    in_place = {} if in_place is None else in_place
    told: set[Target | None] = set()  # parts of nodes of torch whose hooks have run
    first: dict[Target, Node] = {}  # the node that gave the first gradient of several
    yield from arrivals(done, pending, in_place, captured, create_graph, events)
    for node in order:
        whole = node.hooks.whole if node.hooks is not None else None
        if whole is not None and node not in told:
            told.update(whole.parts)
            whole_hooks(whole, pending, captured, between, create_graph)
        upstream = pending.pop(node, None)
        if upstream is None:
            if between is not None and node not in between:
                continue
            upstream = node.primitive.from_nothing(node, create_graph)
            if upstream is None:
                if node.hooks is not None and not (node.waits or whole):
                    hooks_of_nothing(node, through=between is None or not between.isdisjoint(node.edges), kept=captured)
                done = passed_over(node, waiting, pending)
                yield from arrivals(done, pending, in_place, captured, create_graph, events)
                continue
        passes = between is None or not between.isdisjoint(node.edges)
        if captured is not None and passes and node in captured and whole is None:
            captured[node] = upstream  # before the hooks, as torch has it where the gradient flows on
        if node.hooks is not None and whole is None and not (passes and node.waits):
            upstream = before_hooks(node, upstream, passes=passes or captured is None)
        if not passes:
            if captured is None:  # torch runs the node of a result among `inputs`, and frees it
                operands(node, create_graph)
                if has_posthooks(node):
                    after_hooks(node, upstream, [None] * len(node.edges), pending)
                if not retain:
                    release(node)
            elif node in captured:
                captured[node] = upstream
            continue
        values, out = operands(node, create_graph)
        if changes.latest > node.sequence:
            check_versions(node)
        rules, options = node.primitive.rules_for(values), node.options
        if has_posthooks(node):
            rules = replaced_rules(node, rules, upstream, out, values, pending)
        complete: list[Target] = []
        for position, edge in enumerate(node.edges):
            if edge is None or (between is not None and edge not in between):
                continue
            rule: Any = rules[position]
            x = values[position]
            try:
                unsummed = rule(upstream, out, *values, **options) if options else rule(upstream, out, *values)
                if create_graph and node.primitive.node in DEPENDING:
                    unsummed = joined(unsummed, node, values, position)
                if create_graph and unsummed is not upstream and position < len(node.primitive.gradients):
                    rename(unsummed.node, node.primitive.gradients[position])
                if unsummed is not None:  # a snippet's own backward may have nothing to give
                    kind = type(unsummed)
                    if chosen and isinstance(edge, AccumulateGrad):
                        total = contribution = fit(unsummed, x, wanted(edge.variable, unsummed.dtype))
                    else:
                        total = contribution = unsummed if kind is type(x) and kind in NUMBERS else fit(unsummed, x)
            except Exception as error:
                if events:
                    error.__dict__[STOPPED_AT] = node
                raise
            if unsummed is not None:
                if edge in pending:
                    names = names_of_sum(node, first.get(edge), total) if create_graph else None
                    total = added(pending, edge, total, upstream, in_place)
                    if names:
                        rename(total.node, names)
                elif create_graph:
                    first[edge] = node
                pending[edge] = total
                if events:
                    yield node, position, upstream, unsummed, contribution, total
            if edge in waiting:
                waiting[edge] -= 1
                if not waiting[edge] and (edge in pending or edge.hooks is not None):
                    complete.append(edge)
        if not retain:
            release(node)
        if complete:
            upstream = values = out = rules = rule = x = unsummed = contribution = total = None  # type: ignore[assignment]
            yield from arrivals(complete, pending, in_place, captured, create_graph, events)


def passed_over(node: Node, waiting: dict[Target, int], pending: dict[Target, Carrier]) -> list[Target]:
    """Take a node without a gradient off the numbers that leaves wait for; returns the leaves that wait no more."""
    complete: list[Target] = []
    for edge in node.edges:
        if edge in waiting:
            waiting[edge] -= 1
            if not waiting[edge] and (edge in pending or edge.hooks is not None):
                complete.append(edge)
    return complete


def outside_the_graph(index: int) -> AutogradError:
    """Return the error for an output that nothing is known about."""
    return AutogradError(f"element {index} of tensors does not require grad and does not have a grad_fn")


def no_scalar() -> AutogradError:
    """Return the error for an output of several entries for which no gradient is given."""
    return AutogradError(
        "grad can be implicitly created only for scalar outputs",
        help="give the upstream gradient, or reduce the output with sum() or mean()",
    )


def seeds(
    outputs: Sequence[Tensor], gradients: Sequence[Gradient], create_graph: bool
) -> tuple[dict[Target, Carrier], list[Tensor]]:
    """Return the gradients that enter at the outputs, as given, or 1 for a tensor of one element, and their tensors.

    torch holds these during the pass, so that none of them becomes a `.grad`.
    """
    pending: dict[Target, Carrier] = {}
    given = []
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
        given.append(seed)
        value = seed if create_graph else seed.value
        pending[output.node] = pending[output.node] + value if output.node in pending else value
    return pending, given


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
    follow: Callable[[Iterator[Event]], Iterator[Event]] | None = None,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of `outputs` with respect to `inputs`, as `torch.autograd.grad` does.

    `follow` passes on the events of the walk, and may look at them. A pass that `carries` computes with Tensors, whose
    tangents are known, also where it makes no graph.
    """
    captured: dict[Target, Carrier] = {}
    in_place: dict[Target, int] = {}
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
        captured=captured,
        events=follow is not None,
        in_place=in_place,
    )
    drain(steps if follow is None else follow(steps), create_graph)
    found = [None if getattr(x, "is_unrecorded", False) else captured[x.node] for x in inputs if x.node is not None]
    for index, gradient in enumerate(found):
        if gradient is None and not allow_unused:
            raise AutogradError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
    same = {id(x.value): x for x in gradients if isinstance(x, Tensor)}  # one tensor for one value
    for target, g in captured.items():
        if g is not None and not isinstance(g, Tensor):
            same.setdefault(id(g), changed(g, in_place.get(target, 0)))
    return tuple(g if g is None or isinstance(g, Tensor) else same[id(g)] for g in found)


def backward(output: Tensor, gradient: Gradient, retain_graph: bool | None, create_graph: bool) -> None:
    """Run a backward pass from one output into the `.grad` of the leaves; see `Tensor.backward`."""
    steps = walk([output], [gradient], retain_graph=retain_graph, create_graph=create_graph, events=False)
    drain(steps, create_graph)


def trace(outputs: Sequence[Tensor], gradients: Sequence[Gradient]) -> Iterator[Contribution | Accumulation]:
    """Yield the events of a backward pass that leaves the graph as it was."""
    for event in walk(outputs, gradients, retain_graph=True):
        yield event if isinstance(event, Accumulation) else Contribution._make(event)


def drain(events: Iterator[Event], create_graph: bool) -> None:
    """Run a walk to its end; its operations are recorded only under `create_graph`."""
    with set_grad_enabled(create_graph):
        deque(events, maxlen=0)
