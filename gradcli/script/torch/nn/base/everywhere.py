"""The hooks of all modules of a run, which `torch.nn.modules.module` registers."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from gradcli.script.machine import running

Hook = Callable[..., Any]


class Everywhere:
    """The hooks of a run: of every call, by when they run, and of every registration, by what is registered."""

    def __init__(self) -> None:
        self._forward_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._forward_pre_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self._forward_hooks: OrderedDict[int, Any] = OrderedDict()
        self._forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
        self._forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
        self._backward_pre_hooks: OrderedDict[int, Any] = OrderedDict()
        self._backward_hooks: OrderedDict[int, Any] = OrderedDict()
        self._is_full_backward_hook: bool | None = None
        self.registrations: dict[str, OrderedDict[int, Hook]] = {
            kind: OrderedDict() for kind in ("parameter", "buffer", "module")
        }


def everywhere() -> Everywhere:
    """Return the hooks of the run, which every module asks for from now on."""
    running.machine.has_module_hooks = True
    return running.machine.own(Everywhere)


def registered(kind: str, module: Any, name: str, member: Any) -> Any:
    """Return what the hooks of the run make of a new parameter, buffer or child of a module."""
    if running.machine.has_module_hooks:
        for hook in list(everywhere().registrations[kind].values()):
            replaced = hook(module, name, member)
            member = member if replaced is None else replaced
    return member
