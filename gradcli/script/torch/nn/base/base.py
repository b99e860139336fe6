"""`nn.Module`, the base of layers and networks."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from gradcli.engine.graph import Handle
from gradcli.engine.memory.in_place import write_over
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.script.errors import UnsupportedError
from gradcli.script.limits import DEPTH
from gradcli.script.originals import torch_names
from gradcli.script.python.members.absence import without
from gradcli.script.python.members.lookup import has
from gradcli.script.python.members.reserved import check_free
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.python.values.builtins import type_of
from gradcli.script.python.values.readonly import VIEWS, ReadOnly
from gradcli.script.python.values.special import check_name
from gradcli.script.stdlib.data import containers  # noqa: F401  what an OrderedDict is to snippets
from gradcli.script.torch.devices import Device, check_device
from gradcli.script.torch.nn.base.hooks import call_with_hooks
from gradcli.script.torch.nn.base.parameter import Parameter, typename
from gradcli.script.torch.tensor.dtypes import DTYPES, DType, cast, numpy_dtype
from gradcli.script.torch.tensor.options import overwrite
from gradcli.script.torch.tensor.printing import size_text

UNOFFICIAL = (  # names of torch's own modules that are no part of its interface, and not here
    "_apply _call_impl _compiled_call_impl _maybe_warn_non_full_backward_hook _named_members "
    "_replicate_for_data_parallel _wrapped_call_impl"
)
INSTEAD = {
    "cuda": "leave it out: the CPU is the only device",
    "half": "write float() or double()",
    "get_buffer": "write get_submodule, and the name of the buffer",
    "get_parameter": "write get_submodule, and the name of the parameter",
    "register_backward_hook": "write register_full_backward_hook",
    "register_full_backward_pre_hook": "write register_full_backward_hook, which gets the same grad_output",
}
REGISTERED = ("_parameters", "_buffers", "_modules")
TABLES = (
    "_backward_hooks",
    "_forward_hooks",
    "_forward_pre_hooks",
)


class IncompatibleKeys(NamedTuple):
    """The result of `load_state_dict`."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def keys_text(keys: IncompatibleKeys) -> str:
    if not keys.missing_keys and not keys.unexpected_keys:
        return "<All keys matched successfully>"
    return (
        f"_IncompatibleKeys(missing_keys={represent(keys.missing_keys)}, "
        f"unexpected_keys={represent(keys.unexpected_keys)})"
    )


REPRESENTATIONS[IncompatibleKeys] = keys_text
describe(
    IncompatibleKeys,
    getters={"missing_keys": lambda keys: keys.missing_keys, "unexpected_keys": lambda keys: keys.unexpected_keys},
)


class Submodules(dict[str, Any]):
    """The modules that a module holds, by name."""

    __slots__ = ()

    def copy(self) -> Submodules:
        return Submodules(self)


class NumberedSubmodules(ReadOnly):
    """A look at them, through which a snippet may add one under a number: `self._modules["0"] = layer`."""

    __slots__ = ()

    def __setitem__(self, name: Any, module: Any) -> None:
        if not (type(name) is str and name.isdecimal() and isinstance(module, Module)):
            raise UnsupportedError(
                f"{name!r} in _modules is not supported here", help="write self.add_module(name, module)"
            )
        self._held[name] = module


NumberedSubmodules.__name__, NumberedSubmodules.__module__ = "dict", "builtins"
VIEWS[Submodules] = NumberedSubmodules


class Module(Facade):
    """A function of tensors that may hold parameters, buffers and other modules.

    Snippets derive their networks from it: assigning a Parameter or a Module registers it.
    """

    __parent__ = True

    __module__ = "torch.nn.modules.module"
    __facade__ = True  # type(module) is the class itself
    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    __beyond__ = frozenset(UNOFFICIAL.split())

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if arguments or keywords:
            raise TypeError(f"{type(self).__name__}.__init__() takes no arguments behind self")
        tables: dict[str, Any] = {"_parameters": {}, "_buffers": {}, "_modules": Submodules()}
        hooks = {name: OrderedDict[int, Any]() for name in TABLES}
        vars(self).update(training=True, _non_persistent_buffers_set=set(), **tables, **hooks)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self._backward_hooks or self._forward_hooks or self._forward_pre_hooks:
            return call_with_hooks(self, arguments, keywords)
        return self.forward(*arguments, **keywords)

    def forward(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __getattr__(self, name: str) -> Any:
        attributes = vars(self)
        for table in REGISTERED if name[:2] != "__" else ():  # names that Python and numpy look for
            if name in attributes.get(table, ()):
                return attributes[table][name]
        if name in torch_names()["torch.nn.Module"]:
            raise UnsupportedError(f"Module.{name} is not supported here", help=INSTEAD.get(name, ""))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

    def __dir__(self) -> list[str]:
        attributes = vars(self)
        return sorted({*super().__dir__(), *(name for table in REGISTERED for name in attributes.get(table, ()))})

    def __setattr__(self, name: str, value: Any) -> None:
        attributes = vars(self)
        if name[:2] == "__" and name != "__name__":
            check_name(name)
        if isinstance(value, Parameter):
            self._check_made("parameters")
            self._forget(name, keep="_parameters")  # a new value replaces the old one
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._check_made("module")
            self._forget(name, keep="_modules")
            self._modules[name] = value
        elif "_modules" not in attributes:
            object.__setattr__(self, name, value)
        elif name in self._parameters or name in self._modules:
            table = "_parameters" if name in self._parameters else "_modules"
            if value is not None:
                kind = "parameter" if table == "_parameters" else "child module"
                raise TypeError(f"cannot assign '{typename(value)}' as {kind} '{name}'")
            attributes[table][name] = None
        elif name in self._buffers:
            self.register_buffer(name, value, name not in self._non_persistent_buffers_set)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if any(name in vars(self)[table] for table in REGISTERED):
            self._forget(name)
        else:
            object.__delattr__(self, name)

    def _check_made(self, what: str) -> None:
        if "_modules" not in vars(self):
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")

    def _forget(self, name: str, keep: str = "") -> None:
        attributes = vars(self)
        attributes.pop(name, None)
        self._non_persistent_buffers_set.discard(name)
        for table in REGISTERED:
            if table != keep:
                attributes[table].pop(name, None)

    def register_parameter(self, name: str, param: Any) -> None:
        self._check_made("parameter")
        self._check_name(name, "parameter", "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}'")
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        self._check_made("buffer")
        self._check_name(name, "buffer", "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}'")
        self._buffers[name] = tensor
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Any) -> None:
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name(name, "module", "_modules")
        self._modules[name] = module

    register_module = add_module

    def _check_name(self, name: Any, kind: str, table: str) -> None:
        if type(name) is not str or name[:2] == "__":
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if not name or "." in name:
            raise KeyError(f'{kind} name can\'t be empty or contain ".", got: {name!r}')
        check_free(type(self), name)
        if name not in vars(self)[table] and self._has(name):
            raise KeyError(f"attribute '{name}' already exists")

    def _has(self, name: str) -> bool:
        attributes = vars(self)
        return name in attributes or has(type(self), name) or any(name in attributes[table] for table in REGISTERED)

    @without("prepend with_kwargs always_call")
    def register_forward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, arguments, result)` after each forward pass; its result, if any, replaces the result."""
        return Handle(self._forward_hooks, hook)

    @without("prepend with_kwargs")
    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, arguments)` before each forward pass; its result, if any, replaces the arguments."""
        return Handle(self._forward_pre_hooks, hook)

    @without("prepend")
    def register_full_backward_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(module, grad_input, grad_output)` in each backward pass; it may return a new `grad_input`."""
        return Handle(self._backward_hooks, hook)

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield the module and all below it with their dotted names, parents first; a shared one comes once."""
        seen: set[Any] = set() if memo is None else memo
        waiting: list[tuple[str, Any]] = [(prefix, self)]
        while waiting:
            name, module = waiting.pop()
            if module in seen:
                continue
            if name.count(".") > DEPTH:  # a module that holds itself
                raise RecursionError("maximum recursion depth exceeded")
            if remove_duplicate:
                seen.add(module)
            yield name, module
            start = name + "." if name else ""
            children = [(start + key, child) for key, child in module._modules.items() if child is not None]
            waiting.extend(reversed(children))

    def modules(self) -> Iterator[Any]:
        for _, module in self.named_modules():
            yield module

    def named_children(self) -> Iterator[tuple[str, Any]]:
        seen: set[Any] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Any]:
        for _, module in self.named_children():
            yield module

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        yield from self._members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        yield from self._members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def _members(self, table: str, prefix: str, recurse: bool, remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
        seen = set()
        holders = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in holders:
            for name, member in vars(module)[table].items():
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield f"{path}.{name}" if path else name, member

    def get_submodule(self, target: str) -> Any:
        """Return the module at a dotted name; AttributeError if there is none."""
        module: Any = self
        for name in target.split(".") if target else ():
            if name not in module._modules:
                if name in vars(module) or name in module._parameters or name in module._buffers:
                    raise AttributeError(f"`{name}` is not an nn.Module")
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = module._modules[name]
        return module

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call a function with every module below this one, then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters():
            if parameter.grad is None or set_to_none:
                parameter.grad = None
            else:
                overwrite(parameter.grad.detach_(), 0)

    def to(self, *arguments: Any, **keywords: Any) -> Self:
        """Convert parameters and buffers to a dtype in place; there is one device."""
        for argument in (*arguments, *keywords.values()):
            if isinstance(argument, str | Device) or type(argument) is int:
                check_device(argument)
            elif isinstance(argument, DType | BuiltinType):
                self._cast(argument)
            elif isinstance(argument, Tensor):
                self._cast(argument.dtype)
        return self

    def float(self) -> Self:
        return self._cast(DTYPES["float32"])

    def double(self) -> Self:
        return self._cast(DTYPES["float64"])

    def cpu(self) -> Self:
        return self

    def _cast(self, dtype: Any) -> Self:
        if np.dtype(numpy_dtype(dtype)).kind != "f":
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype="
                f"torch.{np.dtype(numpy_dtype(dtype)).name}"
            )
        for module in self.modules():
            for parameter in module._parameters.values():
                if parameter is not None and parameter.dtype.kind == "f":
                    parameter.data = cast(parameter.data, dtype)
                    if parameter.grad is not None:
                        parameter.grad.data = cast(parameter.grad.data, dtype)
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.dtype.kind == "f":
                    module._buffers[name] = cast(buffer, dtype)
        return self

    def _named_state(self, prefix: str) -> Iterator[tuple[str, Tensor]]:
        """Yield the dotted name and the tensor of what is saved, of this module alone."""
        for table in (self._parameters, self._buffers):
            for name, tensor in table.items():
                if tensor is not None and name not in self._non_persistent_buffers_set:
                    yield prefix + name, tensor

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return the numbers by name, in the memory of the module."""
        if prefix.count(".") > DEPTH:  # a module that holds itself
            raise RecursionError("maximum recursion depth exceeded")
        state: Any = OrderedDict() if destination is None else destination
        for key, tensor in self._named_state(prefix):
            state[key] = tensor if keep_vars else tensor.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return state

    @without("assign")
    def load_state_dict(self, state_dict: Any, strict: bool = True) -> IncompatibleKeys:
        """Copy numbers into the parameters and buffers of the same names.

        Raises RuntimeError for shapes that do not fit, and if `strict` for names without a counterpart; TypeError for
        a value that is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type_of(state_dict)!r}.")
        modules = [
            (f"{path}." if path else "", submodule) for path, submodule in self.named_modules(remove_duplicate=False)
        ]
        places = [place for prefix, submodule in modules for place in submodule._named_state(prefix)]
        missing = [key for key, _ in places if key not in state_dict]
        unexpected = [key for prefix, module in modules for key in module._unknown(prefix, state_dict)]
        problems = [*_listed("Missing", missing), *_listed("Unexpected", unexpected)] if strict else []
        for key, tensor in places:
            if key not in state_dict:
                continue
            value = state_dict[key]
            if problem := _misfit(key, tensor, value):
                problems.append(problem)
            else:
                with set_grad_enabled(False):
                    write_over(tensor, Tensor(value.array.reshape(tensor.shape).astype(tensor.dtype)))
        if problems:
            text = "\n\t".join(problems)
            raise AutogradError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{text}", code="E301")
        return IncompatibleKeys(missing, unexpected)

    def _unknown(self, prefix: str, state_dict: Any) -> Iterator[str]:
        """Yield the names below this module that neither it nor its children can have."""
        saved_names = {key for key, _ in self._named_state(prefix)}
        for key in state_dict:
            if key.startswith(prefix) and key not in saved_names:
                name, _, deeper = key.removeprefix(prefix).partition(".")
                if not (deeper and self._modules.get(name)):
                    yield key

    def extra_repr(self) -> str:
        return ""

    def _get_name(self) -> str:
        return type(self).__name__

    def __repr__(self) -> str:
        extra = self.extra_repr()
        first = extra.split("\n") if extra else []
        children = [f"({name}): {indented(module.__repr__())}" for name, module in self._modules.items()]
        if not first and not children:
            return f"{self._get_name()}()"
        if len(first) == 1 and not children:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*first, *children]) + "\n)"


def _listed(kind: str, keys: list[str]) -> list[str]:
    names = ", ".join(f'"{key}"' for key in keys)
    return [f"{kind} key(s) in state_dict: {names}. "] if keys else []


def _misfit(key: str, tensor: Tensor, value: Any) -> str:
    """Return the reason why a value does not fit a tensor; empty if it does."""
    if not isinstance(value, Tensor):
        return f'the parameter named "{key}" is no torch.Tensor in the checkpoint, but {type_of(value)!r}'
    if value.shape == tensor.shape or (value.shape == (1,) and not tensor.shape):
        return ""
    return (
        f"size mismatch for {key}: copying a param with shape {size_text(value.shape)} from checkpoint, the shape in "
        f"current model is {size_text(tensor.shape)}."
    )


def indented(text: str) -> str:
    return text.replace("\n", "\n  ")
