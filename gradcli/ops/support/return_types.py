"""The result of an operation with several parts: a tuple whose parts have names, `max(x, dim=1).indices`."""

from __future__ import annotations

from typing import Any


class ReturnType(tuple[Any, ...]):
    """A tuple whose parts have names; `name` is that of the type in `torch.return_types`."""

    name: str
    closed = "torch.return_types"  # the module of these types, whose names are all known here
    _fields: tuple[str, ...]

    def __new__(cls, name: str, **parts: Any) -> ReturnType:
        self = super().__new__(cls, parts.values())
        self.name = name
        self._fields = tuple(parts)
        return self

    def __getattr__(self, part: str) -> Any:
        if part.startswith("_") or part not in self._fields:
            raise AttributeError(f"torch.return_types.{self.name} has no part {part!r}")
        return self[self._fields.index(part)]
