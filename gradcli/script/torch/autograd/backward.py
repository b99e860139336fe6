"""`backward` and `torch.autograd.grad`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.backward import Event, drain, grad, no_scalar, outside_the_graph, walk
from gradcli.engine.modes import mode, warn_once
from gradcli.engine.recorder import listening
from gradcli.engine.rites import Rites
from gradcli.engine.tangents import Level
from gradcli.engine.tensor import Gradient, Tensor, is_floating, tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.python.members.absence import without
from gradcli.script.torch.autograd.grad_modes import anomaly
from gradcli.script.torch.autograd.rites import Passes, SnippetRites
from gradcli.script.torch.operations.arguments import kind_name
from gradcli.script.torch.tensor.dtypes import BY_NUMPY

Follow = Callable[[Iterator[Event]], Iterator[Event]]
CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
NOT_ONLY = "only_inputs argument is deprecated and is ignored now (defaults to True)."
TRANSFORMED = (
    "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
    "instead or call backward() outside of functorch transforms."
)


@without("grad_variables")
def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """`torch.autograd.backward`, and so `x.backward(...)`; the timeline, if there is one, follows the pass."""
    if mode.transforms:
        raise RuntimeError(TRANSFORMED)
    only = None if inputs is None else _several(inputs)
    if only == ():
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    targets = tuple(map(_output, _several(tensors)))
    given = _upstream(targets, grad_tensors)
    if create_graph:
        warn_once(CYCLE)
    for x in only or ():
        x.retain_grad()
    nodes = None if only is None else [x.node for x in only]
    timeline, rites = running.machine.timeline, SnippetRites(recorded=create_graph)
    recorded = partial(timeline.backward, targets, given) if timeline is not None and targets else None
    follow = _following(recorded, rites)
    events = walk(
        targets,
        given,
        retain_graph=retain_graph,
        create_graph=create_graph,
        into=nodes,
        rites=rites,
        events=follow is not None,
    )
    with running.machine.instance(Passes).running(rites):
        drain(follow(events) if follow is not None else events, create_graph)


def _following(timeline: Follow | None, rites: Rites) -> Follow | None:
    """Return the function that the events of a pass go through: for the anomaly mode, for the timeline, or None."""
    mode = anomaly()
    if not mode.enabled:
        return timeline
    if timeline is None:
        return lambda events: mode.watched(events, rites)
    return lambda events: timeline(mode.watched(events, rites))


def gradient(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> Any:
    """`torch.autograd.grad`: return a tuple, or for a dict of inputs a dict."""
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    sources = tuple(map(_output, _several(outputs)))
    targets = tuple(inputs.values()) if isinstance(inputs, dict) else _several(inputs)
    if not targets:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if not only_inputs:
        warnings.warn(NOT_ONLY, FutureWarning, stacklevel=2)
    upstream = _upstream(sources, grad_outputs)
    for target in targets:
        if not isinstance(target, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind_name(target)}")
    unused = bool(allow_unused) or materialize_grads
    levels = listening(Level)
    timeline = running.machine.timeline
    rites = SnippetRites(recorded=create_graph or bool(levels))
    with running.machine.instance(Passes).running(rites):
        gradients = grad(
            sources,
            targets,
            upstream,
            retain_graph=retain_graph,
            create_graph=create_graph,
            allow_unused=unused,
            carries=bool(levels),
            rites=rites,
            follow=_following(timeline and partial(timeline.differentiated, sources, targets, upstream), rites),
        )
    if materialize_grads:
        gradients = tuple(
            tensor(np.zeros(x.shape, x.dtype), requires_grad=create_graph) if g is None else g
            for g, x in zip(gradients, targets, strict=True)
        )
    if timeline is not None:
        timeline.run.add_returned(gradients)
    return dict(zip(inputs, gradients, strict=True)) if isinstance(inputs, dict) else gradients


gradient.__name__ = gradient.__qualname__ = "grad"
gradient = without("is_grads_batched")(gradient)


def _several(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, Tensor) else tuple(x)


def _output(x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return x


def _upstream(outputs: Sequence[Tensor], grads: Any) -> tuple[Gradient, ...]:
    """Return the gradient that enters at each output: as given, or None for 1 at an output of one element."""
    if grads is None:
        given: tuple[Any, ...] = (None,) * len(outputs)
    else:
        given = (grads,) if isinstance(grads, Tensor) else tuple(grads)
    for index, (output, gradient) in enumerate(zip(outputs, given, strict=False)):
        if isinstance(gradient, Tensor):
            if gradient.shape != output.shape:
                sizes = [f"torch.Size({list(x.shape)})" for x in (gradient, output)]
                raise AutogradError(
                    f"Mismatch in shape: grad_output[{index}] has a shape of {sizes[0]} and output[{index}] has a "
                    f"shape of {sizes[1]}."
                )
        elif gradient is not None:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        elif output.requires_grad and output.value.size != 1:
            raise no_scalar()
        elif output.requires_grad and not is_floating(output.value):
            raise RuntimeError(
                f"grad can be implicitly created only for real scalar outputs but got {BY_NUMPY[output.dtype]}"
            )
    if len(given) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    for index, output in enumerate(outputs):
        if output.node is None or output.is_unrecorded:
            if running.machine.timeline is not None:
                running.machine.timeline.run.walked = [output]
            raise outside_the_graph(index)
    return given[: len(outputs)]
