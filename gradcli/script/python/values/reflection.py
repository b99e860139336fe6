"""Attributes by name: `getattr`, `hasattr`, `vars`, `dir`; `value.name = new` and `del`, which change a run alone."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import missing_error, torch_has
from gradcli.script.python.members.absence import inner_attribute_error
from gradcli.script.python.members.lookup import ABSENT, has
from gradcli.script.python.members.reserved import check_free, check_free_in_class
from gradcli.script.python.members.tables import Members, members_of
from gradcli.script.python.values import failures, special
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.kinds import BuiltinType, Defined, Namespace, type_name

MISSING = object()


def python_getattr(value: Any, name: str, default: Any = MISSING) -> Any:
    """`getattr`; a default stands for what is not supported, but not for what torch has and gradcli lacks."""
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    try:
        return attribute(value, special.exact(name))
    except AttributeError:
        if default is MISSING:
            raise
    except UnsupportedError:
        of_torch = isinstance(value, Namespace | Tensor) and name[:1] != "_"
        if default is MISSING or of_torch:
            raise
    return default


def python_hasattr(value: Any, name: str) -> bool:
    """`hasattr`; a name that torch has is there, also where gradcli lacks it."""
    if name == "__call__":
        return callable(value)
    try:
        return python_getattr(value, name, ABSENT) is not ABSENT or has(object, name)
    except UnsupportedError:
        return True
    except TypeError:
        if not (isinstance(name, str) and special.is_special(name)):
            raise
        return has(type(value), name)


def python_vars(value: Any) -> Any:
    if not special.is_plain(type(value)):
        raise UnsupportedError("vars() of this is not supported here", help="name the attribute")
    return attribute(value, "__dict__")


def python_dir(*value: Any) -> list[str]:
    """Return the names of the attributes of an object of the snippet or of Python."""
    (listed,) = value or (None,)
    kind = type(listed)
    if not (isinstance(listed, Defined) or special.is_plain(kind) or (value and kind.__module__ == "builtins")):
        raise UnsupportedError("dir() of this is not supported here", help="see gradcli ops for the operations")
    return [name for name in dir(listed) if name.isidentifier() and name != "__slots__"]


def set_attribute(value: Any, name: str, new: Any) -> None:
    """`value.name = new`."""
    kind = type(value)
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    if name[:1] == "_":
        check_free(kind, name)
    if type(kind) is Defined and not name.startswith("__") and name.isidentifier():
        setattr(value, name, new)
        return
    if isinstance(value, Defined):
        check_free_in_class(value, name)
    members = members_of(kind)
    if members is not None and name in members.setters:
        members.setters[name](value, new)
    elif members is not None and members.snippet_attributes is not None and is_free(members, name):
        members.snippet_attributes(value)[name] = new
    elif isinstance(value, BaseException):
        failures.set_attribute(value, name, new)
    elif special.is_settable(value, name):
        setattr(value, name, special.wrap_special(name, new) if isinstance(value, type) else new)
    else:
        check_settable(value, name)
        raise missing_error(
            type_name(value), name, members.setters if members else (), "setting {}.{} is not supported here"
        )


def is_free(members: Members, name: str) -> bool:
    """Return whether a name is none that the value has in torch or here."""
    original = members.original and torch_has(members.original, name)
    taken = original or name in members.methods or name in members.getters
    return not taken and not special.is_special(name)


def check_settable(value: Any, name: str) -> None:
    """Raise AttributeError in Python's words, where Python refuses to set it too."""
    kind = type(value)
    if isinstance(value, BuiltinType) and value.module == "":
        raise TypeError(f"cannot set {name!r} attribute of immutable type {value.name!r}")
    if name in getattr(kind, "_fields", ()):
        raise AttributeError("can't set attribute")
    if kind.__module__ == "builtins" and not isinstance(value, type) and not special.is_special(name):
        if has(kind, name):
            raise AttributeError(f"{kind.__name__!r} object attribute {name!r} is read-only")
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


def delete_attribute(value: Any, name: str) -> None:
    """`del value.name`, where the snippet may set it."""
    kind = type(value)
    if isinstance(value, Defined):
        check_free_in_class(value, name)
    check_free(kind, name)
    members = members_of(kind)
    if members is not None and name in members.deleters:
        members.deleters[name](value)
        return
    if members is not None and members.snippet_attributes is not None and name in members.snippet_attributes(value):
        del members.snippet_attributes(value)[name]
        return
    if not special.is_settable(value, name) or special.is_special(name):
        raise inner_attribute_error(value, name)
    if isinstance(value, type) and name not in vars(value):
        raise AttributeError(f"type object {value.__name__!r} has no attribute {name!r}")
    delattr(value, name)


def set_named(value: Any, name: str, new: Any) -> None:
    """`setattr(value, name, new)`."""
    set_attribute(value, special.exact(name) if isinstance(name, str) else name, new)


def delete_named(value: Any, name: str) -> None:
    """`delattr(value, name)`."""
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {type(name).__name__!r}")
    delete_attribute(value, special.exact(name))
