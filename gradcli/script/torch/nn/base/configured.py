"""Modules that are one function and the arguments it was given when the module was made."""

from __future__ import annotations

from typing import Any, ClassVar

from gradcli.script.torch.nn.base.base import Module
from gradcli.script.torch.nn.functional.module import Function, find

REQUIRED = object()  # the default of an argument that has none


class Configured(Module):
    """Calls `F.function` with what it is called with, and its own attributes behind that.

    `_defaults` are the arguments in torch's order, each an attribute of the same name.
    """

    _function = ""
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()
        for name, value in bound(type(self).__name__, self._defaults, arguments, keywords).items():
            setattr(self, name, value)

    @property
    def _called(self) -> Function:
        found = find(self._function)
        assert found is not None
        return found


def bound(name: str, defaults: dict[str, Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; TypeError in Python's words where they do not fit."""
    values = dict(zip(defaults, arguments, strict=False))
    if len(arguments) > len(defaults):
        takes, least = len(defaults) + 1, 1 + sum(value is REQUIRED for value in defaults.values())
        range_ = f"from {least} to {takes}" if least < takes else str(takes)
        plural = "s" if takes > 1 else ""
        raise TypeError(
            f"{name}.__init__() takes {range_} positional argument{plural} but {len(arguments) + 1} were given"
        )
    for keyword, value in keywords.items():
        if keyword not in defaults:
            raise TypeError(f"{name}.__init__() got an unexpected keyword argument {keyword!r}")
        if keyword in values:
            raise TypeError(f"{name}.__init__() got multiple values for argument {keyword!r}")
        values[keyword] = value
    values = {**defaults, **values}
    absent = [f"{key!r}" for key, value in values.items() if value is REQUIRED]
    if absent:
        plural = "s" if len(absent) > 1 else ""
        listed = " and ".join(absent)
        raise TypeError(f"{name}.__init__() missing {len(absent)} required positional argument{plural}: {listed}")
    return values
