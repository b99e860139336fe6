"""`value.name`: resolved through tables, so that no value leads to Python's own objects.

A kind of value has a table of its attributes (`describe`). Objects of our facades and of classes that the
snippet defines (`Facade`) show their public names; names with one underscore, only where the snippet made them. Names
with two underscores are refused, but for those in `special`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import check_member, missing_error, torch_has
from gradcli.script.python.members.absence import absent_error, inner_attribute_error
from gradcli.script.python.members.lookup import ABSENT, bind_member, has, in_class, member_of, read
from gradcli.script.python.members.reserved import is_reserved, reserved_in
from gradcli.script.python.members.tables import SPECIAL, checked_member, fields, members_of
from gradcli.script.python.values import failures, special
from gradcli.script.python.values.kinds import BuiltinType as BuiltinType
from gradcli.script.python.values.kinds import (
    Defined,
    full_name,
    is_own_function,
    is_shown,
    name_members,
    shown_type,
    type_of,
)
from gradcli.script.python.values.kinds import Facade as Facade
from gradcli.script.python.values.kinds import Namespace as Namespace
from gradcli.script.python.values.kinds import type_name as type_name
from gradcli.script.python.values.readonly import Attributes, read_only_view

OF_CLASSES = fields("__name__ __qualname__ __module__ __doc__")
OF_FUNCTIONS = OF_CLASSES


def attribute(value: Any, name: str) -> Any:
    """`value.name`."""
    kind = type(value)
    if type(kind) is Defined and (name[:1] != "_" or (name[1:2] != "_" and name not in reserved_in(kind))):
        return getattr(value, name)  # the snippet's own, or in a table of ours
    members = members_of(kind)
    if members is None:
        return _of_open(value, name) if isinstance(value, Facade) and name != "__class__" else _of_object(value, name)
    getter = members.getters.get(name)
    if getter is not None:
        return getter(value)
    method = members.methods.get(name) or members.find(name)
    if method is not None:
        return MethodType(method, value)
    if members.snippet_attributes is not None and name in (snippet_attributes := members.snippet_attributes(value)):
        return snippet_attributes[name]
    if name == "__class__":
        return type_of(value)
    if isinstance(value, Facade):
        return _of_open(value, name)
    if kind in special.BUILTIN and name in special.OF_BUILTIN and has(kind, name):
        return MethodType(SPECIAL[kind](name), value)
    raise absent_error(value, name)


def method_of(value: Any, name: str) -> Callable[..., Any] | None:
    """Return a method that takes `value` first, for a call without a bound method in between."""
    kind = type(value)
    if type(kind) is Defined:
        return None
    members = members_of(kind)
    if members is None or name in members.getters:
        return None
    return members.methods.get(name) or members.find(name)


def _of_object(value: Any, name: str) -> Any:
    if isinstance(value, Namespace):
        return value.get(name)
    if isinstance(value, BuiltinType):
        return _of_type(value, name)
    if isinstance(value, type):
        return _of_class(value, name)
    if isinstance(value, super):
        return _of_parent(value, name)
    if isinstance(value, BaseException):
        return failures.attribute(value, name)
    if name == "__class__":
        return type_of(value)
    if isinstance(value, Facade):
        return _of_open(value, name)
    if name in OF_FUNCTIONS and callable(value) and type(value).__module__ == "builtins":
        return OF_FUNCTIONS[name](value)
    if is_own_function(value) and (not special.is_special(name) or name in special.FACTS):
        return special.of_function(value, name)
    raise absent_error(value, name)


def _of_open(value: Any, name: str) -> Any:
    """Read an attribute of an object of a facade or of the snippet."""
    kind = type(value)
    if not name.startswith("_"):
        try:
            return read(value, name)
        except AttributeError:
            check_member(full_name(next(base for base in kind.__mro__ if not isinstance(base, Defined))), name)
            raise
    if name == "__dict__" and special.is_plain(kind):
        if not hasattr(value, "__dict__"):
            raise AttributeError(f"{kind.__name__!r} object has no attribute '__dict__'")
        return Attributes(vars(value))
    if special.is_special(name):
        if special.is_readable(kind, name):
            return special.guard_setter(read(value, name), name)
        raise inner_attribute_error(value, name)
    if special.is_private(kind, name):
        return _private(value, name)
    return read(value, name)


def _private(value: Any, name: str) -> Any:
    """Read what the snippet has put on an object, or look at one of the tables that torch has under that name."""
    kind, attributes = type(value), getattr(value, "__dict__", {})
    if name in attributes and name in special.VIEWED:
        return read_only_view(attributes[name])
    is_open = isinstance(kind, Defined) or hasattr(kind, "__facade__")
    if name in attributes and is_open and not is_reserved(kind, name):
        return attributes[name]
    if name in getattr(kind, "__beyond__", ()):
        raise UnsupportedError(f"{kind.__name__}.{name} is not supported here")
    raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


def _of_class(value: type, name: str) -> Any:
    if not (issubclass(value, Facade) or isinstance(value, Defined)):
        raise inner_attribute_error(value, name)
    if name in ("__mro__", "__bases__", "mro"):
        shown = tuple(dict.fromkeys(map(shown_type, value.__bases__ if name == "__bases__" else value.__mro__)))
        if name != "mro":
            return shown
        name_members({"mro": (mro := lambda: list(shown))})
        return mro
    if name == "__class__":
        return shown_type(type)
    if name == "__new__" and value.__new__ is object.__new__:
        return partial(special.bare, value)
    if special.is_special(name):
        is_listed = name in special.LISTED and special.is_own(value.__mro__, name)
        if not (is_listed or special.is_readable(value, name)):
            raise inner_attribute_error(value, name)
    elif special.is_private(value, name) or _home(value.__mro__, name) is None:
        raise AttributeError(f"type object {value.__name__!r} has no attribute {name!r}")
    return _in_class(value, name)


def _home(above: Iterable[type], name: str) -> type | None:
    """Return the class, of the snippet or ours, that has an attribute; those of Python's own classes are no such."""
    return next((base for base in above if name in vars(base) and is_shown(base)), None)


def _in_class(value: type, name: str) -> Any:
    """Return an attribute of a class; a method of ours checks whom it is called with."""
    if name in OF_CLASSES:
        return OF_CLASSES[name](value)
    member, owner = in_class(value, name, type(value)), _home(value.__mro__, name)
    is_own = isinstance(owner, Defined)
    if isinstance(member, MemberDescriptorType | GetSetDescriptorType) or (isinstance(member, property) and not is_own):
        raise UnsupportedError(f"{value.__name__}.{name} is not supported here", help="ask an object for it")
    if owner is None or is_own or isinstance(vars(owner)[name], staticmethod):
        return special.guard_setter(member, name)
    return special.guard_setter(checked_member(member, (owner,)), name)


def _of_parent(value: super, name: str) -> Any:
    """Read a method or property of the classes above through `super()`."""
    given: Any = value
    kind: Any = given.__self_class__
    if kind is None and name == "__init__":
        return lambda: None  # `super(C).__init__()` makes `super(C)` again, and no call of the class above
    if special.is_special(name) and name not in special.DEFINABLE:
        raise inner_attribute_error(value, name)
    above = () if kind is None else kind.__mro__[kind.__mro__.index(given.__thisclass__) + 1 :]
    member = member_of(above, name)
    if member is ABSENT and name in failures.READ and kind is not None and issubclass(kind, BaseException):
        return failures.READ[name](given.__self__)
    if member is ABSENT or (not special.is_special(name) and special.is_private(kind, name)):
        raise AttributeError(f"'super' object has no attribute {name!r}")
    return special.guard_setter(bind_member(member, None if given.__self__ is kind else given.__self__, kind), name)


def _of_type(kind: BuiltinType, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return kind.name
    if name == "__module__":
        return kind.module or "builtins"
    if name == "__class__":
        return shown_type(type)
    if name in kind.members:
        return kind.members[name]
    member: Any
    kinds = kind.python if isinstance(kind.python, tuple) else (kind.python,)
    for python in kinds:
        members = members_of(python)
        member = members and (members.methods.get(name) or members.find(name))
        if member:
            return checked_member(member, kinds, kind.name)
    if name == "__init__" and len(kinds) == 1 and issubclass(kinds[0], BaseException):
        return kinds[0].__init__
    if special.is_special(name):
        if kind.python not in special.BUILTIN or name not in special.OF_BUILTIN:
            raise inner_attribute_error(kind, name)
        member = SPECIAL[kind.python](name)
        return member if name == "__new__" else checked_member(member, kinds, kind.name)
    if kind.module == "" and not any(has(python, name) for python in kinds):
        raise AttributeError(f"type object {kind.name!r} has no attribute {name!r}")
    if not torch_has(f"{kind.module}.{kind.name}", name):
        raise AttributeError(f"type object {kind.name!r} has no attribute {name!r}")
    raise missing_error(f"{kind.module}.{kind.name}", name, kind.members, f"{kind.name}.{name} is not supported here")
