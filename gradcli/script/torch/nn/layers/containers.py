"""Modules that hold others: Sequential, ModuleList, ModuleDict."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from gradcli.script.errors import UnsupportedError
from gradcli.script.limits import DEPTH
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import represent
from gradcli.script.python.values.builtins import type_of
from gradcli.script.torch.nn.base.base import Module, indented
from gradcli.script.torch.nn.base.parameter import typename


class Row(Module):
    """A module that holds others under the names 0, 1, 2."""

    def _place(self, index: Any) -> str:
        size = len(self._modules)
        index = operator.index(index)
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of range")
        return str(list(self._modules)[index])

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._place(index)]

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Any) -> None:
        self.__setattr__(self._place(index), module)

    def __delitem__(self, index: Any) -> None:
        names = list(self._modules)
        chosen = names[index] if isinstance(index, slice) else [self._place(index)]
        self._renumber([module for name, module in self._modules.items() if name not in chosen])

    def _renumber(self, modules: list[Any]) -> None:
        self._modules.clear()
        for position, module in enumerate(modules):
            self.add_module(str(position), module)

    def append(self, module: Any) -> Self:
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Any) -> Self:
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {kind}")
        for module in list(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Any) -> Any:
        modules = list(self)
        if not isinstance(module, Module) and isinstance(self, Sequential):
            raise AssertionError(f"module should be of type: {represent(Module)}")
        if not isinstance(module, Module):
            raise UnsupportedError("a value that is no module in a ModuleList is not supported here")
        if not -len(modules) <= index <= len(modules):
            raise IndexError(f"Index out of range: {index}")
        for place in range(len(modules) - 1, index - 1 if index >= 0 else index + len(modules) - 1, -1):
            if str(place) not in self._modules:  # one under a name of its own cannot move up
                raise KeyError(str(place))
        if index < 0 and isinstance(self, ModuleList):  # which moves them up as far as a place that has no module
            raise KeyError(str(index))
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def pop(self, key: Any) -> Any:
        found = self[key]
        del self[key]
        return found


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

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        part = type(self)()
        for name, module in items:
            part.add_module(name, module)
        return part

    def append(self, module: Any) -> Self:
        if not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        return super().append(module)

    def extend(self, modules: Any) -> Self:
        for module in list(modules):
            self.append(module)
        return self

    def __mul__(self, other: Any) -> Any:
        self._check_factor(other)
        return Sequential(*[module for _ in range(other) for module in self])

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __imul__(self, other: Any) -> Self:
        self._check_factor(other)
        return self.extend([module for _ in range(other - 1) for module in self])

    def _check_factor(self, other: Any) -> None:
        kind = represent(type_of(self))
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {kind} and {represent(type_of(other))}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {kind}")

    def __iadd__(self, other: Any) -> Self:
        self._check_chain(other)
        return self.extend(other)

    def __add__(self, other: Any) -> Any:
        self._check_chain(other)
        return Sequential(*self, *other)

    def _check_chain(self, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {represent(type_of(other))} is given."
            )


class ModuleList(Row):
    """A list of modules."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _part(self, items: list[tuple[str, Any]]) -> Any:
        return type(self)([module for _, module in items])

    def __iadd__(self, modules: Any) -> Self:
        return self.extend(modules)

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


class Dictionary(Module):
    """A module that looks its members of one kind up by name."""

    def _held(self) -> dict[str, Any]:
        return self._modules

    def __getitem__(self, key: str) -> Any:
        return self._held()[key]

    def __delitem__(self, key: str) -> None:
        del self._held()[key]

    def __len__(self) -> int:
        return len(self._held())

    def __iter__(self) -> Iterator[str]:
        return iter(self._held())

    def __contains__(self, key: object) -> bool:
        return key in self._held()

    def keys(self) -> Any:
        return self._held().keys()

    def values(self) -> Any:
        return self._held().values()

    def items(self) -> Any:
        return self._held().items()

    def clear(self) -> None:
        self._held().clear()

    def pop(self, key: str) -> Any:
        return self._held().pop(key)


class ModuleDict(Dictionary):
    """Modules by name."""

    __module__ = "torch.nn.modules.container"

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def update(self, modules: Any) -> None:
        if not isinstance(modules, Iterable):
            kind = type(modules).__name__
            raise TypeError(f"ModuleDict.update should be called with an iterable of key/value pairs, but got {kind}")
        source = vars(modules)["_modules"] if isinstance(modules, ModuleDict) else modules
        for place, item in enumerate(source.items() if isinstance(source, Mapping) else source):
            if not isinstance(item, Iterable):
                kind = type(item).__name__
                raise TypeError(f"ModuleDict update sequence element #{place} should be Iterable; is{kind}")
            if len(item) != 2:  # type: ignore[arg-type]
                raise ValueError(f"ModuleDict update sequence element #{place} has length {len(item)}; 2 is required")  # type: ignore[arg-type]
            name, module = item
            self[name] = module

    def __setitem__(self, key: str, module: Any) -> None:
        self.add_module(key, module)
