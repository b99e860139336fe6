"""`torch.no_grad` and its kin: what is switched as a context, as a decorator, or at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from types import GeneratorType
from typing import Any

from gradcli.engine.modes import mode
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.autograd import inference
from gradcli.script.torch.operations.readers import kind_name

CLASSES = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)


class Switch(Facade):
    """Something that is switched inside a block, or while a function runs."""

    def __init__(self) -> None:
        self._before: Any = None  # of the last entry alone, as in torch

    def _clone(self) -> Switch:
        return type(self)()

    def _switch(self) -> Any:
        """Switch, and answer what to restore."""
        raise NotImplementedError

    def _restore(self, before: Any) -> None:
        mode.grad_enabled = before

    def __enter__(self) -> None:
        self._before = self._switch()

    def __exit__(self, *_: Any) -> None:
        self._restore(self._before)

    def __call__(self, called: Callable[..., Any]) -> Callable[..., Any]:
        if isinstance(called, type | BuiltinType):
            warnings.warn(CLASSES, FutureWarning, stacklevel=2)

        @wraps(called, assigned=("__name__", "__doc__"), updated=())
        def decorate_context(*arguments: Any, **keywords: Any) -> Any:
            with self._clone():
                result = called(*arguments, **keywords)
            return self._resumed(result) if isinstance(result, GeneratorType) else result

        return decorate_context

    def _resumed(self, generator: Any) -> Any:
        """A generator, each part of which runs inside the block."""
        sent = None
        while True:
            try:
                with self._clone():
                    value = generator.send(sent)
            except StopIteration as end:
                return end.value
            sent = yield value


class Bare(Switch):
    """One that may decorate without being called first: `@torch.no_grad`."""

    def __new__(cls, called: Any = None) -> Any:
        return super().__new__(cls) if called is None else cls()(called)

    def __init__(self, called: Any = None) -> None:
        super().__init__()


class no_grad(Bare):  # noqa: N801  torch's name
    """Results do not require grad."""

    def _switch(self) -> bool:
        before, mode.grad_enabled = mode.grad_enabled, False
        return before


class enable_grad(Bare):  # noqa: N801  torch's name
    """Graphs are recorded again."""

    def _switch(self) -> bool:
        before, mode.grad_enabled = mode.grad_enabled, not mode.inference
        return before


class set_grad_enabled(Switch):  # noqa: N801  torch's name
    """Takes effect when it is called; as a context it takes that back, as a decorator it waits for the call."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind_name(mode)}")
        super().__init__()
        self._wanted = mode
        self._first = self._switch()

    def _clone(self) -> Switch:
        return set_grad_enabled(self._wanted)

    def _switch(self) -> bool:
        before, mode.grad_enabled = mode.grad_enabled, self._wanted and not mode.inference
        return before

    def __enter__(self) -> None:
        self._switch()

    def __exit__(self, *_: Any) -> None:
        self._restore(self._first)

    def __call__(self, called: Callable[..., Any]) -> Callable[..., Any]:
        self._restore(self._first)
        return super().__call__(called)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self._wanted})"


class inference_mode(Switch):  # noqa: N801  torch's name
    """Nothing is recorded, and what is made inside stays out of graphs for good."""

    def __new__(cls, mode: Any = True) -> Any:
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: Any = True) -> None:
        super().__init__()
        self._wanted = mode is True

    def _clone(self) -> Switch:
        return inference_mode(self._wanted)

    def _switch(self) -> tuple[bool, bool]:
        before, mode.grad_enabled = mode.grad_enabled, not self._wanted
        return before, inference.switch(self._wanted)

    def _restore(self, before: tuple[bool, bool]) -> None:
        mode.grad_enabled = before[0]
        inference.switch(before[1])


MODES: dict[str, Any] = {kind.__name__: kind for kind in (no_grad, enable_grad, set_grad_enabled, inference_mode)}
for kind in MODES.values():
    kind.__module__ = "torch.autograd.grad_mode"
