"""`torch.autograd` and the grad modes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any

import numpy as np

from gradcli.engine.accumulation import Accumulation
from gradcli.engine.backward import Event, drain, grad, walk
from gradcli.engine.modes import mode
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.machine import running
from gradcli.script.python.attributes import Facade


def backward(
    outputs: Any,
    gradients: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """`x.backward(...)` and `torch.autograd.backward(...)`; what happens is told to the timeline, if there is one."""
    targets = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    given = list(gradients) if isinstance(gradients, tuple | list) else [gradients] * len(targets)
    if inputs is not None:
        return _into(targets, given, inputs, retain_graph, create_graph)
    timeline, checked = running.machine.timeline, anomaly.enabled and anomaly.check_nan
    told = checked or timeline is not None
    events = walk(targets, given, retain_graph=retain_graph, create_graph=create_graph, told=told)
    if checked:
        events = watched(events)
    if timeline is not None:
        events = timeline.backward(targets, given, events)
    drain(events, create_graph)
    return None


def _into(targets: list[Any], given: list[Any], inputs: Any, retain_graph: bool | None, create_graph: bool) -> None:
    """Accumulate into some leaves only."""
    leaves = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    found = grad(targets, leaves, given, retain_graph=retain_graph, create_graph=create_graph, allow_unused=True)
    for leaf, gradient in zip(leaves, found, strict=True):
        if gradient is not None:
            leaf.grad = gradient if leaf.grad is None else leaf.grad + gradient


def gradient(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """`torch.autograd.grad`."""
    sources = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    targets = list(inputs) if isinstance(inputs, tuple | list) else [inputs]
    upstream = list(grad_outputs) if isinstance(grad_outputs, tuple | list) else [grad_outputs] * len(sources)
    for index, source in enumerate(sources):
        if source.node is None:
            raise AutogradError(f"element {index} of tensors does not require grad and does not have a grad_fn")
    unused = bool(allow_unused) or materialize_grads
    found = grad(sources, targets, upstream, retain_graph=retain_graph, create_graph=create_graph, allow_unused=unused)
    if materialize_grads:
        found = tuple(
            Tensor(np.zeros(x.shape, x.dtype)[()]) if g is None else g for g, x in zip(found, targets, strict=True)
        )
    if running.machine.timeline is not None:
        running.machine.timeline.differentiated(sources, targets, found)
    return found


class GradMode(Facade):
    """`with torch.no_grad():`, `@torch.no_grad()`, and at once for `torch.set_grad_enabled(...)`."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(mode.grad_enabled)
        mode.grad_enabled = self._enabled

    def __exit__(self, *_: Any) -> None:
        mode.grad_enabled = self._before.pop()

    def __call__(self, called: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(called, assigned=("__name__", "__doc__"), updated=())
        def inside(*arguments: Any, **keywords: Any) -> Any:
            with GradMode(self._enabled):
                return called(*arguments, **keywords)

        return inside


class SetGradEnabled(GradMode):
    """Takes effect when it is called; leaving it as a context takes it back."""

    def __init__(self, mode_: bool) -> None:
        super().__init__(mode_)
        self._before.append(mode.grad_enabled)
        mode.grad_enabled = mode_

    def __enter__(self) -> None:
        mode.grad_enabled = self._enabled


def switched(enabled: bool) -> Callable[..., Any]:
    """`torch.no_grad()` and `torch.no_grad` as a bare decorator."""

    def make(called: Any = None, **_: Any) -> Any:
        return GradMode(enabled)(called) if callable(called) else GradMode(enabled)

    return make


class Anomaly:
    """What `set_detect_anomaly` switches."""

    enabled = False
    check_nan = True


anomaly = Anomaly()
ANOMALY_WARNING = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)


class DetectAnomaly(Facade):
    """`with torch.autograd.detect_anomaly():`: a backward pass stops where a gradient is nan."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(ANOMALY_WARNING, UserWarning, stacklevel=2)
        self._wanted = (True, check_nan)
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((anomaly.enabled, anomaly.check_nan))
        anomaly.enabled, anomaly.check_nan = self._wanted

    def __exit__(self, *_: Any) -> None:
        anomaly.enabled, anomaly.check_nan = self._before.pop()


class SetDetectAnomaly(DetectAnomaly):
    """`torch.autograd.set_detect_anomaly(True)`: takes effect when it is called; a context takes it back."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._wanted = (mode, check_nan)
        self._before = [(anomaly.enabled, anomaly.check_nan)]
        anomaly.enabled, anomaly.check_nan = self._wanted

    def __enter__(self) -> None:
        anomaly.enabled, anomaly.check_nan = self._wanted


def watched(events: Iterator[Event]) -> Iterator[Event]:
    """The events of a backward pass, as long as no gradient is nan."""
    for event in events:
        if not isinstance(event, Accumulation):
            node, position, _, gradient = event[:4]
            value = gradient.value if isinstance(gradient, Tensor) else gradient
            if np.isnan(value).any():
                raise AutogradError(f"Function '{node.name()}' returned nan values in its {position}th output.")
        yield event
