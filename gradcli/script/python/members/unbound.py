"""Methods that a snippet takes from a class: each is called with a value of its own class alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

from gradcli.script.python.values.kinds import is_own_function, shown_name


def taken(found: Any, owners: tuple[type, ...], shown: str = "") -> Any:
    """Return what was found in a class; a function of ours checks the first argument, for `self` could be anything."""
    if not isinstance(found, FunctionType) or is_own_function(found):
        return found
    return _checked(found, owners, shown or owners[0].__name__)


@cache
def _checked(function: FunctionType, owners: tuple[type, ...], shown: str) -> Callable[..., Any]:
    def call(*arguments: Any, **keywords: Any) -> Any:
        if not arguments:
            raise TypeError(f"{function.__qualname__}() missing 1 required positional argument: 'self'")
        above = type(arguments[0]).__mro__
        if not any(owner in above for owner in owners):
            kind = shown_name(arguments[0])
            words = f"descriptor {function.__name__!r} for {shown!r} objects doesn't apply to a {kind!r} object"
            raise TypeError(words)
        return function(*arguments, **keywords)

    call.__name__, call.__qualname__, call.__doc__ = function.__name__, function.__qualname__, function.__doc__
    return call
