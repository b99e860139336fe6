"""Modules that hold others, or parameters: Sequential, lists and dictionaries."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from gradcli.engine.tensor import Tensor
from gradcli.script.limits import DEPTH
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.base import Module, indented
from gradcli.script.torch.nn.base.parameter import Parameter, typename
from gradcli.script.torch.tensor.printing import dtype_text


class Row(Module):
    """A module that holds others, or parameters, under the names 0, 1, 2."""

    _table = "_modules"

    def _held(self) -> dict[str, Any]:
        members: dict[str, Any] = vars(self)[self._table]
        return members

    def _name(self, index: Any) -> str:
        size, place = len(self), operator.index(index)
        if not -size <= place < size:
            raise IndexError(f"index {place} is out of range")
        return list(self._held())[place]

    def __len__(self) -> int:
        return len(self._held())

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._held().values()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(list(self._held().items())[index])
        return self._held()[self._name(index)]

    def _slice(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([member for _, member in items])

    def __setitem__(self, index: int, member: Any) -> None:
        self.__setattr__(self._name(index), member)

    def __delitem__(self, index: Any) -> None:
        names = list(self._held())
        deleted = names[index] if isinstance(index, slice) else [self._name(index)]
        self._renumber([member for name, member in self._held().items() if name not in deleted])

    def _renumber(self, members: list[Any]) -> None:
        self._held().clear()
        for member in members:
            self.append(member)

    def append(self, module: Any) -> Self:
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Self:
        if not isinstance(modules, Iterable) or isinstance(modules, Tensor):
            kind = type(modules).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {kind}")
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules: Any) -> Self:
        return self.extend(modules)

    def pop(self, key: Any) -> Any:
        member = self[key]
        del self[key]
        return member

    def insert(self, index: int, module: Any) -> Any:
        members = list(self)
        if not -len(members) <= index <= len(members):
            raise IndexError(f"Index out of range: {index}")
        members.insert(index, module)
        self._renumber(members)
        return self


class Sequential(Row):
    """A chain of modules: each is called with the result of the one before it."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        named = len(modules) == 1 and isinstance(modules[0], Mapping)
        items = modules[0].items() if named else zip(map(str, range(len(modules))), modules, strict=True)
        for name, module in items:
            self.add_module(name, module)

    def forward(self, input: Any) -> Any:
        machine = running.machine
        if machine.depth >= DEPTH:  # a row may hold itself
            raise RecursionError("maximum recursion depth exceeded")
        machine.depth += 1
        try:
            for module in self._modules.values():
                input = module(input)
        finally:
            machine.depth -= 1
        return input

    def _slice(self, items: list[tuple[str, Any]]) -> Any:
        row = type(self)()
        for name, module in items:
            row.add_module(name, module)
        return row

    def append(self, module: Any) -> Self:
        if not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        return super().append(module)

    def __add__(self, other: Any) -> Any:
        return Sequential(*self, *other)


class ModuleList(Row):
    """A list of modules."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __add__(self, other: Any) -> Any:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Any) -> None:
        super().insert(index, module)

    def __repr__(self) -> str:
        """Write equal neighbours once, with their number."""
        blocks: list[tuple[int, int, str]] = []
        for position, module in enumerate(self):
            text = module.__repr__()
            if blocks and blocks[-1][2] == text:
                blocks[-1] = (blocks[-1][0], position, text)
            else:
                blocks.append((position, position, text))
        lines = [
            f"({start}): {indented(text)}" if start == end else f"({start}-{end}): {end - start + 1} x {indented(text)}"
            for start, end, text in blocks
        ]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{self._get_name()}()"


class ParameterList(Row):
    """A list of parameters; tensors become parameters."""

    __module__ = "torch.nn.modules.container"
    _table = "_parameters"

    def __init__(self, values: Any = None) -> None:
        super().__init__()
        if values is not None:
            self.extend(values)

    def __setitem__(self, index: int, value: Any) -> None:
        super().__setitem__(index, _parameter(value))

    def append(self, value: Any) -> Self:
        self.register_parameter(str(len(self)), _parameter(value))
        return self

    def extra_repr(self) -> str:
        return "\n".join(_line(str(n), value, dtype_text(value.dtype)) for n, value in enumerate(self))


class ModuleDict(Module):
    """Modules by name."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def update(self, modules: Any) -> None:
        for key, module in dict(modules).items():
            self[key] = module

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)


def _of_modules(name: str) -> Any:
    """Return the method of a dictionary with this name, applied to the modules that are held."""
    return lambda self, *arguments: getattr(self._modules, name)(*arguments)


OF_DICTIONARIES = "__getitem__ __delitem__ __len__ __iter__ __contains__ keys values items clear pop"
for method in OF_DICTIONARIES.split():
    setattr(ModuleDict, method, _of_modules(method))


def _parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _line(name: str, value: Tensor, kind: str) -> str:
    """Return the line of a parameter in the text of a list: its type and its size."""
    return f"  ({name}): Parameter containing: [{kind} of size {'x'.join(map(str, value.shape))}]"
