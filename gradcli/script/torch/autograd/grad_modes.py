"""`torch.no_grad` and the other modes: as contexts, as decorators, or set at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import GeneratorType
from typing import Any

from gradcli.engine.graph import Node, Unversioned
from gradcli.engine.modes import mode
from gradcli.engine.recorder import Application, leave, listen
from gradcli.engine.saved import saved
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.operations.readers import kind_name

NOT_SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)


# What torch records of inference tensors alone.
RECORDED = frozenset(("clone", "sort", "to_copy"))


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
            positions = saved(out.node)
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
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind_name(mode)}")
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
