"""`nn.Module`, the base of layers and networks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from inspect import signature
from types import FunctionType
from typing import Any

from gradcli.engine.graph import Handle
from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.originals import torch_names
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.reflection import getattr_, hasattr_
from gradcli.script.python.values.special import check_name
from gradcli.script.torch.nn.base.everywhere import registered
from gradcli.script.torch.nn.base.hooks import OF_CALLS, call_with_hooks, take_hooks
from gradcli.script.torch.nn.base.loading import OF_STATES, Hooked
from gradcli.script.torch.nn.base.parameter import Buffer, Parameter, typename
from gradcli.script.torch.nn.base.state import State
from gradcli.script.torch.nn.base.tree import REGISTERED, Tree

UNOFFICIAL = (  # names of torch's own modules that are no part of its interface, and not here
    "_apply _call_impl _compiled_call_impl _maybe_warn_non_full_backward_hook _named_members "
    "_replicate_for_data_parallel _wrapped_call_impl"
)
ON_ONE = "on a single Module"


class Module(State):
    """A function of tensors that may hold parameters, buffers and other modules.

    Snippets derive their networks from it: assigning a Parameter or a Module registers it.
    """

    __parent__ = True

    __module__ = "torch.nn.modules.module"
    __facade__ = True  # type(module) is the class itself
    __beyond__ = frozenset(UNOFFICIAL.split())
    call_super_init = False

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        name = type(self).__name__
        if keywords and not self.call_super_init:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument {next(iter(keywords))!r}")
        if arguments and not self.call_super_init:
            count = len(arguments) + 1
            raise TypeError(f"{name}.__init__() takes 1 positional argument but {count} were given")
        new: dict[str, Any] = {name: {} for name in REGISTERED}
        hooks = {name: OrderedDict[int, Any]() for name in (*OF_CALLS, *OF_STATES)}
        vars(self).update(training=True, _non_persistent_buffers_set=set(), _is_full_backward_hook=None, **new, **hooks)
        if self.call_super_init:
            super().__init__(*arguments, **keywords)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or running.machine.has_module_hooks
        ):
            return call_with_hooks(self, arguments, keywords)
        return self.forward(*arguments, **keywords)

    def forward(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __getattr__(self, name: str) -> Any:
        own = vars(self)
        for table in REGISTERED if name[:2] != "__" else ():  # which Python and numpy ask for
            if name in own.get(table, ()):
                return own[table][name]
        if name in torch_names()["torch.nn.Module"]:
            raise UnsupportedError(f"Module.{name} is not supported here")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __dir__(self) -> list[str]:
        own = vars(self)
        return sorted({*super().__dir__(), *(name for table in REGISTERED for name in own.get(table, ()))})

    def __setattr__(self, name: str, value: Any) -> None:
        own = vars(self)
        if name[:2] == "__" and name != "__name__":
            check_name(name)
        if isinstance(value, Parameter):
            self._check_made("parameters")
            self._forget(name, keep="_parameters")  # the new one takes the place of the old
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._check_made("module")
            self._check_replaced(name, value, "_parameters")
            self._forget(name, keep="_modules")
            self._modules[name] = registered("module", self, name, value)
        elif isinstance(value, Buffer):
            self._check_made("buffer")
            self._check_replaced(name, value, "_parameters", "_modules")
            self._take_buffer(name, value, value.own["persistent"])
        elif "_modules" not in own:
            object.__setattr__(self, name, value)
        elif name in self._parameters or name in self._modules:
            self._check_replaced(name, value, "_parameters", "_modules")
            own["_parameters" if name in self._parameters else "_modules"][name] = None
        elif name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                kinds = "torch.nn.Buffer, torch.Tensor or None"
                raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' ({kinds} expected)")
            self._take_buffer(name, value, name not in self._non_persistent_buffers_set)
        else:
            object.__setattr__(self, name, value)

    def _take_buffer(self, name: str, value: Any, persistent: bool) -> None:
        """Register a buffer by the class's own method, which may be from a time when all were saved."""
        if "persistent" in signature(self.register_buffer).parameters:
            self.register_buffer(name, value, persistent)
        elif persistent:
            self.register_buffer(name, value)
        else:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
                "the persistent argument is not allowed."
            )

    def __delattr__(self, name: str) -> None:
        if any(name in vars(self)[table] for table in REGISTERED):
            self._forget(name)
        else:
            object.__delattr__(self, name)

    def _check_made(self, what: str) -> None:
        if "_modules" not in vars(self):
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _check_replaced(self, name: str, value: Any, *tables: str) -> None:
        """Raise TypeError where a value other than None would replace a registered member of another type."""
        for table, kind, expected in (
            ("_parameters", "parameter", "torch.nn.Parameter"),
            ("_modules", "child module", "torch.nn.Module"),
        ):
            if table in tables and name in vars(self)[table] and value is not None:
                words = f"cannot assign '{typename(value)}' as {kind} '{name}' ({expected} or None expected)"
                raise TypeError(words)

    def _forget(self, name: str, keep: str = "") -> None:
        own = vars(self)
        own.pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        for table in REGISTERED:
            if table != keep:
                own[table].pop(name, None)

    def register_parameter(self, name: str, param: Any) -> None:
        self._check_made("parameter")
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            required = "torch.nn.Parameter or None required"
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' ({required})")
        self._parameters[name] = registered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        self._check_made("buffer")
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            required = "torch Tensor or None required"
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' ({required})")
        self._buffers[name] = registered("buffer", self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Any) -> None:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = registered("module", self, name, module)

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put a module at a dotted name; with `strict`, only in the place of another."""
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {represent(type_of(module))}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr_(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if not isinstance(getattr_(parent, name, module), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        parent.__setattr__(name, module)

    register_module = add_module

    def _check_name(self, name: Any, kind: str, table: str) -> None:
        if type(name) is not str or name[:2] == "__":
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            end = f'", got: {name}' if kind == "module" else '"'
            raise KeyError(f"{kind} name can't contain \".{end}")
        if not name:
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if name not in vars(self)[table] and self._has(name):
            raise KeyError(f"attribute '{name}' already exists")

    def _has(self, name: str) -> bool:
        own = vars(self)
        return name in own or hasattr(type(self), name) or any(name in own[table] for table in REGISTERED)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> Handle:
        """Call `hook(module, arguments, result)` after each forward pass; its result, if any, replaces the result."""
        with_keywords = [self._forward_hooks_with_kwargs] if with_kwargs else []
        always = [self._forward_hooks_always_called] if always_call else []
        return _hooked(self._forward_hooks, hook, prepend, (*with_keywords, *always))

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> Handle:
        """Call `hook(module, arguments)` before each forward pass; its result, if any, replaces the arguments."""
        marks = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return _hooked(self._forward_pre_hooks, hook, prepend, marks)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(module, grad_input, grad_output)` in each backward pass; it may return a new `grad_input`."""
        take_hooks(self, ON_ONE, full=True)
        return _hooked(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> Handle:
        """Call `hook(module, grad_output)` in each backward pass; it may return a new `grad_output`."""
        return _hooked(self._backward_pre_hooks, hook, prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Register a hook of the last node of the module alone; long deprecated."""
        take_hooks(self, ON_ONE, full=False)
        return _hooked(self._backward_hooks, hook, False)

    def extra_repr(self) -> str:
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        own = self.extra_repr()
        first = own.split("\n") if own else []
        children = [f"({name}): {indented(module.__repr__())}" for name, module in self._modules.items()]
        if not first and not children:
            return f"{self._get_name()}()"
        if len(first) == 1 and not children:
            return f"{self._get_name()}({own})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*first, *children]) + "\n)"


for _part in (Tree, Hooked, State):  # in errors and in the texts of generators all are methods of Module
    for _name, _method in vars(_part).items():
        if isinstance(_method, FunctionType):
            _method.__qualname__ = f"Module.{_name}"


def indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _hooked(
    hooks: OrderedDict[int, Any], hook: Any, first: bool, marks: Sequence[OrderedDict[int, bool]] = ()
) -> Handle:
    handle = Handle(hooks, hook, marks)
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle
