"""Errors for attributes that a value lacks, or that no snippet may read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import missing_error, torch_has
from gradcli.script.python.members.lookup import has
from gradcli.script.python.members.tables import TABLES, members_of
from gradcli.script.python.values import special
from gradcli.script.python.values.kinds import Namespace, is_own_function, type_name, type_of

IMMUTABLE = 1 << 8  # a flag of types


def without(absent: str, off: Any = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that has not all the arguments of torch's: those are taken by name, and refused if given.

    None is not given, nor is what stands for `off`.
    """
    names = frozenset(absent.split())

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if not names.isdisjoint(keywords):
                given = {name: keywords.pop(name) for name in names & keywords.keys()}
                refuse_given(function.__name__, names & given.keys(), given, dict.fromkeys(names, off))
            return function(*arguments, **keywords)

        return call

    return decorate


def refuse_given(name: str, absent: Iterable[str], values: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Refuse arguments by name, unless they are left out or at their default."""
    for word in absent:
        if values[word] is not None and values[word] != defaults.get(word):
            bool(values[word])  # of a tensor in this place it is ambiguous, as in torch: nn.MSELoss(prediction, target)
            raise UnsupportedError(f"{name}({word}=...) is not supported here", help="leave the argument out")


def known_names(value: Any) -> set[str]:
    """The public attributes of a value."""
    if isinstance(value, Namespace):
        return value.names
    members = members_of(type(value))
    described = members and {*members.getters, *members.methods, *members.names()}
    return {name for name in described or dir(value) if not name.startswith("_")}


def absent_error(value: Any, name: str) -> Exception:
    """Return AttributeError in Python's words where Python and torch have no such attribute, else UnsupportedError."""
    kind = type(value)
    if is_own_function(value) and not has(kind, name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}")
    if special.is_special(name):
        return inner_attribute_error(value, name)
    if isinstance(value, FunctionType) and value.__module__.startswith("gradcli.script.numpy") and has(np.ufunc, name):
        return missing_error("numpy.ufunc", name, ())
    if isinstance(value, FunctionType | MethodType) and not has(kind, name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}")
    if kind.__module__.partition(".")[0] != "gradcli" and not has(kind, name):
        is_of_module = kind.__flags__ & IMMUTABLE and kind.__module__ != "builtins"  # of a class that is written in C
        shown = f"{kind.__module__}.{kind.__name__}" if is_of_module else kind.__name__
        return AttributeError(f"{shown!r} object has no attribute {name!r}", name=name, obj=value)
    if closed := getattr(kind, "closed", ""):
        return AttributeError(
            f"'{closed}.{type_of(value).name}' object has no attribute {name!r}", name=name, obj=value
        )
    table = next((base for base in kind.__mro__ if base in TABLES), None)  # a view is a tensor
    owner = table.__name__ if table else type_name(value)
    if not torch_has(f"torch.{owner}", name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}", name=name, obj=value)
    return missing_error(f"torch.{owner}", name, known_names(value), f"{owner}.{name} is not supported here")


def inner_attribute_error(value: Any, name: str) -> UnsupportedError:
    """Return the error for an attribute that leads to Python's internals."""
    if name.startswith("__"):
        hint = "snippets cannot look into Python itself; type(x).__name__ names a type"
    else:
        hint = "see gradcli ops for the operations of tensors"
    return UnsupportedError(f"attribute {name!r} of {type_name(value)} is not supported here", help=hint)
