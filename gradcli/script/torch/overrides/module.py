"""`torch.overrides`, and what `torch._C` has of it."""

from __future__ import annotations

from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.torch.overrides.dispatch import (
    Overrides,
    ask,
    asked,
    disabled_torch_function,
    handles,
    overrides,
)
from gradcli.script.torch.overrides.forms import Form
from gradcli.script.torch.overrides.modes import BaseTorchFunctionMode, TorchFunctionMode


def has_torch_function(relevant_args: Any) -> bool:
    """Whether one of the values is of a class that overrides, or a mode does."""
    state = overrides()
    return bool(state.modes) or (not state.disabled and any(handles(type(value)) for value in relevant_args))


def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Ask for the result of a function of the snippet."""
    module = getattr(public_api, "__module__", "") or ""
    path = overrides().paths.get(public_api) or f"{module}.{getattr(public_api, '__name__', '')}"
    form = Form(path, (), {})
    return ask(public_api, form, asked(relevant_args, plain=True), (args, kwargs))


def resolve_name(f: Any) -> str | None:
    """The name of a function of torch, with its module; None of any other."""
    return overrides().paths.get(f)


class DisableTorchFunctionSubclass(Facade):
    """`with torch._C.DisableTorchFunctionSubclass():`: no class is asked."""

    def __enter__(self) -> None:
        state = running.machine.own(Overrides)
        self._before, state.disabled = state.disabled, True

    def __exit__(self, *_: Any) -> None:
        running.machine.own(Overrides).disabled = self._before


class DisableTorchFunction(Facade):
    """`with torch._C.DisableTorchFunction():`: neither classes nor modes are asked."""

    def __enter__(self) -> None:
        state = running.machine.own(Overrides)
        self._before = state.disabled, state.modes
        state.disabled, state.modes = True, []

    def __exit__(self, *_: Any) -> None:
        state = running.machine.own(Overrides)
        state.disabled, state.modes = self._before


def internals() -> dict[str, Any]:
    """Return the members of `torch._C`."""
    return {
        "DisableTorchFunctionSubclass": DisableTorchFunctionSubclass,
        "DisableTorchFunction": DisableTorchFunction,
        "_disabled_torch_function_impl": disabled_torch_function,
    }


def namespace(name: str) -> Namespace:
    """Make `torch.overrides`."""
    if not running.machine.overrides:
        raise UnsupportedError("torch.overrides by this name is not supported", help="write import torch.overrides")
    members = {
        "has_torch_function": has_torch_function,
        "has_torch_function_unary": lambda value: has_torch_function((value,)),
        "has_torch_function_variadic": lambda *values: has_torch_function(values),
        "handle_torch_function": handle_torch_function,
        "resolve_name": resolve_name,
        "TorchFunctionMode": TorchFunctionMode,
        "BaseTorchFunctionMode": BaseTorchFunctionMode,
    }
    return Namespace(name, members)
