"""Errors for attributes that a value has not, or not for a snippet."""

from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

import numpy as np

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import missing, torch_has
from gradcli.script.python.members.tables import TABLES, members_of
from gradcli.script.python.values import special
from gradcli.script.python.values.kinds import Namespace, is_own_function, type_name, type_of


def known_names(value: Any) -> set[str]:
    """The public attributes of a value."""
    if isinstance(value, Namespace):
        return value.names
    members = members_of(type(value))
    found = members and {*members.getters, *members.methods, *members.names()}
    return {name for name in found or dir(value) if not name.startswith("_")}


def absent(value: Any, name: str) -> Exception:
    """Return AttributeError in Python's words where Python and torch have no such attribute, else UnsupportedError."""
    kind = type(value)
    if is_own_function(value) and not hasattr(kind, name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}")
    if special.is_special(name):
        return refused(value, name)
    if (
        isinstance(value, FunctionType)
        and value.__module__.startswith("gradcli.script.numpy")
        and hasattr(np.ufunc, name)
    ):
        return missing("numpy.ufunc", name, ())
    if isinstance(value, FunctionType | MethodType) and not hasattr(kind, name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}")
    if kind.__module__.partition(".")[0] != "gradcli" and not hasattr(kind, name):
        try:
            getattr(value, name)
        except AttributeError as error:
            return AttributeError(*error.args, name=name, obj=value)
    if closed := getattr(kind, "closed", ""):
        return AttributeError(
            f"'{closed}.{type_of(value).name}' object has no attribute {name!r}", name=name, obj=value
        )
    table = next((base for base in kind.__mro__ if base in TABLES), None)  # a view is a tensor
    owner = table.__name__ if table else type_name(value)
    if not torch_has(f"torch.{owner}", name):
        return AttributeError(f"{type_of(value).name!r} object has no attribute {name!r}", name=name, obj=value)
    return missing(f"torch.{owner}", name, known_names(value), f"{owner}.{name} is not supported here")


def refused(value: Any, name: str) -> UnsupportedError:
    """Return the error for an attribute that leads into Python itself."""
    if name.startswith("__"):
        hint = "snippets cannot look into Python itself; type(x).__name__ names a type"
    else:
        hint = "see gradcli ops for the operations of tensors"
    return UnsupportedError(f"attribute {name!r} of {type_name(value)} is not supported here", help=hint)
