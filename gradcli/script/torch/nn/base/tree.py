"""The tree of a module: its parameters, its buffers, and other modules, by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.limits import DEPTH
from gradcli.script.python.members.reserved import is_reserved
from gradcli.script.python.values.attributes import BuiltinType, Facade
from gradcli.script.torch.devices import Device, check_device
from gradcli.script.torch.nn.base.parameter import Parameter
from gradcli.script.torch.nn.base.uninitialized import is_lazy, nothing
from gradcli.script.torch.tensor.casting import cast, type_
from gradcli.script.torch.tensor.dtypes import DTYPES, DType, numpy_dtype

REGISTERED = ("_parameters", "_buffers", "_modules")


class Tree(Facade):
    """The part of a module that goes through its members, in the order in which they were assigned."""

    training: bool
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]

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
        found: Any = self
        for name in target.split(".") if target else ():
            if name not in found._modules:
                if name in vars(found) or name in found._parameters or name in found._buffers:
                    raise AttributeError(f"`{name}` is not an nn.Module")
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}`")
            found = found._modules[name]
        return found

    def get_parameter(self, target: str) -> Parameter:
        found: Parameter = self._member(target, "_parameters", "an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        found: Tensor = self._member(target, "_buffers", "a buffer")
        return found

    def _member(self, target: str, table: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name in vars(module)[table]:
            return vars(module)[table][name]
        if any(name in vars(module)[other] for other in ("_parameters", "_buffers", "_modules")):
            raise AttributeError(f"`{name}` is not {kind}")
        raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")

    def _member_of(self, name: str) -> Any:
        """Return what was assigned to a name, past all that the class has."""
        for held in (vars(self), *(vars(self)[table] for table in REGISTERED)):
            if name in held and not (held is vars(self) and is_reserved(type(self), name)):
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)

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
                continue
            parameter.grad.detach_()
            parameter.grad.array[...] = 0
            parameter.grad.changed()

    def to(self, *arguments: Any, **keywords: Any) -> Self:
        """Convert parameters and buffers to a dtype in place; there is one device."""
        if len(arguments) > 4:
            raise TypeError(f"to() takes from 0 to 4 positional arguments but {len(arguments)} were given")
        if keywords.get("copy") or [flag for flag in arguments if isinstance(flag, bool)][1:] == [True]:
            raise RuntimeError(".to() does not accept copy argument")
        if [type(argument) for argument in arguments].count(int) > 1:
            raise UnsupportedError("such arguments of to() are not supported here", help="write .to(dtype)")
        for argument in (*arguments, *keywords.values()):
            if isinstance(argument, str | Device) or type(argument) is int:
                check_device(argument)
            elif isinstance(argument, DType | BuiltinType):
                self._cast(argument)
            elif isinstance(argument, Tensor):
                self._cast(argument.dtype)
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move to memory whose numbers are not set; there is one device, so they stay as they are."""
        check_device(device)
        return self

    def float(self) -> Self:
        return self._cast(DTYPES["float32"])

    def double(self) -> Self:
        return self._cast(DTYPES["float64"])

    def half(self) -> Self:
        return self._cast(DTYPES["float16"])

    def type(self, dst_type: Any) -> Self:
        for module in self.modules():  # unlike `to`, this converts whole numbers too
            for parameter in module._parameters.values():
                if parameter is not None:
                    parameter.data = type_(parameter.data, dst_type)
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = type_(buffer, dst_type)
        return self

    def cpu(self) -> Self:
        return self

    def cuda(self, device: Any = "cuda") -> Self:
        check_device(device)
        return self

    def _cast(self, dtype: Any) -> Self:
        if np.dtype(numpy_dtype(dtype)).kind != "f":
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype="
                f"torch.{np.dtype(numpy_dtype(dtype)).name}"
            )
        for module in self.modules():
            for member in (*module._parameters.values(), *module._buffers.values()):
                if is_lazy(member):
                    member.value = nothing(dtype)
            for parameter in module._parameters.values():
                if parameter is not None and parameter.dtype.kind == "f" and not is_lazy(parameter):
                    parameter.data = cast(parameter.data, dtype)
                    if parameter.grad is not None:
                        parameter.grad.data = cast(parameter.grad.data, dtype)
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.dtype.kind == "f" and not is_lazy(buffer):
                    module._buffers[name] = cast(buffer, dtype)
        return self
