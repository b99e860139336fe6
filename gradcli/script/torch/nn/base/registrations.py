"""The functions of `torch.nn.modules.module` that register hooks of all modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.engine.graph import Handle
from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.base.everywhere import everywhere
from gradcli.script.torch.nn.base.hooks import take_hooks

Hook = Callable[..., Any]
ON_ALL = "as a global Module hook"


def register_module_forward_pre_hook(hook: Hook) -> Handle:
    """Call `hook(module, arguments)` before each forward pass of each module."""
    return Handle(everywhere()._forward_pre_hooks, hook)


def register_module_forward_hook(hook: Hook, *, with_kwargs: bool = False, always_call: bool = False) -> Handle:
    """Call `hook(module, arguments, result)` after each forward pass of each module."""
    hooks = everywhere()
    with_keywords = [hooks._forward_hooks_with_kwargs] if with_kwargs else []
    always = [hooks._forward_hooks_always_called] if always_call else []
    return Handle(hooks._forward_hooks, hook, (*with_keywords, *always))


def register_module_backward_hook(hook: Hook) -> Handle:
    """Register a hook of the last node of each module alone; long deprecated."""
    take_hooks(everywhere(), ON_ALL, full=False)
    return Handle(everywhere()._backward_hooks, hook)


def register_module_full_backward_hook(hook: Hook) -> Handle:
    """Call `hook(module, grad_input, grad_output)` in each backward pass through each module."""
    take_hooks(everywhere(), ON_ALL, full=True)
    return Handle(everywhere()._backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Hook) -> Handle:
    """Call `hook(module, grad_output)` in each backward pass through each module."""
    return Handle(everywhere()._backward_pre_hooks, hook)


def register_module_buffer_registration_hook(hook: Hook) -> Handle:
    """Call `hook(module, name, buffer)` for each new buffer; its result, if any, takes its place."""
    return Handle(everywhere().registrations["buffer"], hook)


def register_module_module_registration_hook(hook: Hook) -> Handle:
    """Call `hook(module, name, child)` for each new child; its result, if any, takes its place."""
    return Handle(everywhere().registrations["module"], hook)


def register_module_parameter_registration_hook(hook: Hook) -> Handle:
    """Call `hook(module, name, parameter)` for each new parameter; its result, if any, takes its place."""
    return Handle(everywhere().registrations["parameter"], hook)


MEMBERS: dict[str, Any] = {
    "Module": Module,
    **{name: made for name, made in list(globals().items()) if name.startswith("register_module_")},
}
