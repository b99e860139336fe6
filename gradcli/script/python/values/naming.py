"""The names that Python's own messages have for our functions and classes: those that snippets call them by."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

_modules: dict[type, str] = {}  # of our classes, as snippets import them


def name_members(members: Mapping[str, Any], module: str = "") -> None:
    """Name the members of a module, or the methods of a kind of value, by their names in it."""
    for name, member in members.items():
        if type(member) is FunctionType:
            _name_function(name, member)
        elif module and isinstance(member, type):
            _modules.setdefault(member, module)


def _name_function(name: str, function: FunctionType) -> None:
    """Name a function that was made by another one, or whose own name differs by underscores."""
    own = function.__qualname__
    if "<" in own or (own.strip("_") == name and function.__module__.startswith("gradcli.")):
        function.__name__ = function.__qualname__ = name


def full_name(kind: type) -> str:
    """Return the name of a class with its module, as far as snippets know it."""
    module = kind.__module__
    if module.startswith("gradcli."):
        module = _modules.get(kind, "")
    return f"{module}.{kind.__qualname__}".lstrip(".")
