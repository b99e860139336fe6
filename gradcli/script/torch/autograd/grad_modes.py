"""`torch.no_grad` and the other modes: as contexts, as decorators, or set at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial, wraps
from types import GeneratorType
from typing import Any

import numpy as np

from gradcli.engine.backward import Contribution, Event
from gradcli.engine.graph import Node, Target, Unversioned
from gradcli.engine.modes import mode
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.rites import Rites
from gradcli.engine.saved import HINT, saved_positions
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.autograd.rites import Passes
from gradcli.script.torch.operations.arguments import check_kind

NOT_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


# What torch records of inference tensors alone.
RECORDED = ("clone", "to_copy")


class Marks:
    """Marks results in inference mode; outside of it, such tensors alone record nothing, and nothing may save them."""

    def append(self, application: Application) -> None:
        out = application.out
        if mode.inference:
            mark(out)
        elif application.inputs and all(map(is_inference, application.inputs)):
            if application.primitive.name not in RECORDED:
                out.node = None
        elif isinstance(out.node, Node) and any(map(is_inference, application.inputs)):
            positions = saved_positions(out.node)
            if any(is_inference(x) and position in positions for position, x in enumerate(application.inputs)):
                raise AutogradError(NOT_SAVED, code="E304", help="use it under no_grad(), or clone() it")


marks = Marks()


def mark(x: Tensor) -> None:
    """Make an inference tensor of a result, unless it is a view."""
    if x.base is None and not x.history:
        x.history = Unversioned()


def is_inference(x: Any) -> bool:
    return isinstance(x, Tensor) and isinstance(x.history, Unversioned)


def check_required(x: Tensor, required: bool) -> None:
    """Raise AutogradError if an inference tensor is to require grad outside of the mode."""
    if required and is_inference(x) and not mode.inference:
        raise AutogradError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def switch(enabled: bool) -> bool:
    """Set inference mode, and return it as it was; from the first time on, operations are listened to."""
    before, mode.inference = mode.inference, enabled
    if enabled:
        leave(marks)
        listen(marks)
    return before


class Switch(Facade):
    """A state that is set at the start of a `with` block, and set back at its end."""

    _wanted: Any
    _before: Any = None  # of the last entry alone, as in torch

    def _set(self, state: Any) -> Any:
        """Set the state, and return the one before."""
        raise NotImplementedError

    def __enter__(self) -> None:
        self._before = self._set(self._wanted)

    def __exit__(self, *_: Any) -> None:
        self._set(self._before)


class Decorator(Switch):
    """A mode that may also hold while a function runs."""

    def _clone(self) -> Decorator:
        return type(self)()

    def __call__(self, called: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(called, type | BuiltinType):
            raise UnsupportedError("a mode as the decorator of a class is not supported here", help="decorate methods")

        @wraps(called, assigned=("__name__", "__doc__"), updated=())
        def decorate_context(*arguments: Any, **keywords: Any) -> Any:
            with self._clone():
                result = called(*arguments, **keywords)
            return self._resumed(result) if isinstance(result, GeneratorType) else result

        return decorate_context

    def _resumed(self, generator: Any) -> Any:
        """Iterate over a generator, each part of which runs in the mode."""
        resume = partial(generator.send, None)
        while True:
            try:
                with self._clone():
                    value = resume()
            except StopIteration as end:
                return end.value
            try:
                sent = yield value
            except GeneratorExit:
                with self._clone():
                    generator.close()
                raise
            except BaseException as error:
                resume = partial(generator.throw, error)
            else:
                resume = partial(generator.send, sent)


def is_grad_enabled() -> bool:
    """Return whether graphs are recorded, or in inference mode would be outside of it."""
    return mode.grad_asked if mode.inference else mode.grad_enabled


class GradMode(Decorator):
    """Whether graphs are recorded."""

    def _set(self, state: bool) -> bool:
        before = is_grad_enabled()
        if mode.inference:
            mode.grad_asked = state
        else:
            mode.grad_enabled = state
        return before


class Bare(GradMode):
    """A mode that may decorate without being called first: `@torch.no_grad`."""

    def __new__(cls, called: Any = None) -> Any:
        return super().__new__(cls) if called is None else cls()(called)

    def __init__(self, called: Any = None) -> None:
        super().__init__()


class no_grad(Bare):  # noqa: N801  torch's name
    """Results do not require grad."""

    _wanted = False


class enable_grad(Bare):  # noqa: N801  torch's name
    """Graphs are recorded, except in inference mode."""

    _wanted = True


class set_grad_enabled(GradMode):  # noqa: N801  torch's name
    """Takes effect when it is called; as a context it takes that back, as a decorator it waits for the call."""

    def __init__(self, mode: bool) -> None:
        check_kind("set_grad_enabled", "enabled", 1, mode, bool, "bool")
        self._wanted = mode
        self._before = self._set(mode)

    def _clone(self) -> Decorator:
        return set_grad_enabled(self._wanted)

    def __enter__(self) -> None:
        self._set(self._wanted)

    def __call__(self, called: Callable[..., Any]) -> Callable[..., Any]:
        self._set(self._before)
        return super().__call__(called)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self._wanted})"


class inference_mode(Decorator):  # noqa: N801  torch's name
    """Nothing is recorded, and the tensors made inside stay out of graphs for good."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        self._wanted = (mode is not True, mode is True)

    def _clone(self) -> Decorator:
        return inference_mode(self._wanted[1])

    def _set(self, state: tuple[bool, bool]) -> tuple[bool, bool]:
        enabled, is_inference = state
        before = is_grad_enabled(), switch(is_inference)
        mode.grad_enabled, mode.grad_asked = enabled and not is_inference, enabled
        return before


KINDS = (no_grad, enable_grad, set_grad_enabled, inference_mode)
MODES: dict[str, Any] = {kind.__name__: kind for kind in KINDS}
for kind in KINDS:
    kind.__module__ = "torch.autograd.grad_mode"


ENABLED = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)
ABOVE = (
    "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
    "question was changed in there or anywhere later. Good luck!"
)


DETECTED = "Error detected in {}. Traceback of forward call that caused the error:"
UNKNOWN_LINE = (
    "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more "
    "information."
)


class Anomaly:
    """The anomaly mode of a run, in which nodes know the lines on which they were made."""

    def __init__(self) -> None:
        self.enabled, self.checks = False, True

    def switch(self, enabled: bool, checks: bool) -> tuple[bool, bool]:
        """Set the mode; return whether it was enabled before, and checked for nan."""
        before = self.enabled, self.checks
        self.enabled, self.checks = enabled, checks
        leave(self)
        if enabled:
            listen(self)
        return before

    def append(self, application: Application) -> None:
        """Remember the line that runs now, on which an operation was applied."""
        node = application.out.node
        if isinstance(node, Node):
            machine = running.machine
            line = machine.source.line(machine.line).strip() if machine.line else ""
            node.made = f'  File "{machine.source.name}", line {machine.line}\n    {line}\n'

    def watched(self, events: Iterator[Event], rites: Rites) -> Iterator[Event]:
        """Yield the events of a backward pass; where it fails, warn of the line that made the node."""
        try:
            for event in events:
                if self.checks and isinstance(event, Contribution):
                    self._check(event)
                yield event
        except Exception as error:
            if isinstance(rites.place, Node):
                name, line = rites.place.name(), getattr(rites.place, "made", "")
                text = f"{DETECTED.format(name)}\n{line}" if line else UNKNOWN_LINE.format(name)
                warnings.warn(text, UserWarning, stacklevel=2)
            if isinstance(error, AutogradError) and HINT in error.message:
                error.message = error.message.replace(HINT, ABOVE)
                error.args = (error.message, *error.args[1:])
            raise

    def _check(self, event: Contribution) -> None:
        gradient = event.unsummed
        if np.isnan(gradient.value if isinstance(gradient, Tensor) else np.asarray(gradient)).any():
            name = event.node.name()
            raise AutogradError(f"Function '{name}' returned nan values in its {event.position}th output.")


def anomaly() -> Anomaly:
    """The anomaly mode of the run."""
    return running.machine.instance(Anomaly)


def current_place() -> Target | None:
    """Return the place in the graph whose rules or hooks run now; None outside of a backward pass."""
    rites = running.machine.instance(Passes).rites
    return None if rites is None else rites.place


class AnomalyMode(Switch):
    """The anomaly mode as a context."""

    __module__ = "torch.autograd.anomaly_mode"

    def _set(self, state: tuple[bool, bool]) -> tuple[bool, bool]:
        return anomaly().switch(*state)


class detect_anomaly(AnomalyMode):  # noqa: N801  torch's name
    """`with torch.autograd.detect_anomaly():`."""

    __module__ = AnomalyMode.__module__

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(ENABLED, UserWarning, stacklevel=2)
        self._wanted = True, check_nan


class set_detect_anomaly(AnomalyMode):  # noqa: N801  torch's name
    """`torch.autograd.set_detect_anomaly(True)`: takes effect when it is called; a context takes it back."""

    __module__ = AnomalyMode.__module__

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = self._set((mode, check_nan))

    def __enter__(self) -> None:
        """Leave the mode as it is: it was set when this was made."""
