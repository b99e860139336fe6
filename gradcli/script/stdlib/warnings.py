"""`warnings`: filters hold for the run; warnings are shown with the line of the snippet."""

from __future__ import annotations

import warnings
from typing import Any, Literal, cast

from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace, describe, fields, type_name
from gradcli.script.python.values.builtins import type_of

Action = Literal["default", "error", "ignore", "always", "module", "once"]


def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None) -> None:
    """Give a warning, unless a filter is against it."""
    warnings.warn(message, kind_of(category or UserWarning), stacklevel=2)


def simplefilter(action: str, category: Any = Warning, lineno: int = 0, append: bool = False) -> None:
    """Set the action for warnings of a class."""
    warnings.simplefilter(cast(Action, action), kind_of(category), lineno, append)


def filterwarnings(
    action: str, message: str = "", category: Any = Warning, module: str = "", lineno: int = 0, append: bool = False
) -> None:
    """Set the action for warnings of a class whose message matches; all come from one module."""
    warnings.filterwarnings(cast(Action, action), message, kind_of(category), append=append)


def kind_of(category: Any) -> type[Warning]:
    """Return the class of warnings that a snippet names."""
    kind = category.python if isinstance(category, BuiltinType) else category
    if not (isinstance(kind, type) and issubclass(kind, Warning)):
        raise TypeError(f"category must be a Warning subclass, not '{type_name(type_of(category))}'")
    return kind


class catch_warnings(Facade):  # noqa: N801  Python's name
    """A block that leaves the filters as they were; with `record` it collects the warnings in a list."""

    def __init__(self, *, record: bool = False) -> None:
        self._inner: Any = warnings.catch_warnings(record=bool(record))

    def __enter__(self) -> Any:
        return self._inner.__enter__()

    def __exit__(self, *_: Any) -> None:
        self._inner.__exit__(None, None, None)


describe(
    warnings.WarningMessage,
    getters=fields("message lineno") | {"category": lambda warning: type_of(warning.message)},
)


def namespace(name: str) -> Namespace:
    """`warnings`."""
    members = {
        "warn": warn,
        "simplefilter": simplefilter,
        "filterwarnings": filterwarnings,
        "resetwarnings": warnings.resetwarnings,
        "catch_warnings": catch_warnings,
    }
    return Namespace(name, members)
