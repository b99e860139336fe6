"""`value.name`: resolved through tables, so that no value leads to Python's own objects.

A kind of value has a table of its attributes (`describe`). Objects of our facades and of classes that the
snippet defines (`Facade`) show their public names; names with one underscore, only where the snippet made them. Names
with two underscores are refused, but for those in `special`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from types import FunctionType, MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.originals import check_member, missing, torch_has
from gradcli.script.python.values import failures, special
from gradcli.script.python.values.kinds import BuiltinType as BuiltinType
from gradcli.script.python.values.kinds import Defined, is_own_function, shown_type, type_of
from gradcli.script.python.values.kinds import Facade as Facade
from gradcli.script.python.values.kinds import Namespace as Namespace
from gradcli.script.python.values.kinds import type_name as type_name
from gradcli.script.python.values.naming import full_name, name_members
from gradcli.script.python.values.readonly import Attributes


@dataclass
class Members:
    """The attributes of one kind of value: `methods` take the value first, `getters` take it alone.

    `find` makes the methods that are not in a table yet; `names` are their names.
    """

    methods: dict[str, Callable[..., Any]] = field(default_factory=dict)
    getters: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    setters: dict[str, Callable[[Any, Any], None]] = field(default_factory=dict)
    deleters: dict[str, Callable[[Any], None]] = field(default_factory=dict)
    find: Callable[[str], Callable[..., Any] | None] = lambda name: None
    names: Callable[[], Iterable[str]] = tuple
    own: Callable[[Any], dict[str, Any]] | None = None  # the attributes that the snippet has put on a value
    original: str = ""  # the class in torch whose names the snippet may not take

    def __post_init__(self) -> None:
        name_members(self.methods)


TABLES: dict[type, Members] = {}
SPECIAL: dict[type, Callable[[str], Any]] = {}  # finds the special methods of Python's own types (`parents`)
_resolved: dict[type, Members | None] = {}


def describe(kind: type, **tables: Any) -> None:
    """Register the attributes of a kind of value."""
    TABLES[kind] = Members(**tables)
    _resolved.clear()


def fields(names: str) -> dict[str, Callable[[Any], Any]]:
    """Return getters of the attributes with these names."""
    return {name: attrgetter(name) for name in names.split()}


def listed(owner: Any, names: str, wrap: Callable[..., Any] = lambda member: member) -> dict[str, Any]:
    """Return the members of a type or module with these names, each wrapped."""
    return {name: wrap(getattr(owner, name)) for name in names.split()}


def members_of(kind: type) -> Members | None:
    """Return the table of the closest kind that has one; classes of snippets and of our facades have none."""
    try:
        return _resolved[kind]
    except KeyError:
        found = next((TABLES[base] for base in kind.__mro__ if base in TABLES), None)
        if not isinstance(kind, Defined):
            _resolved[kind] = found
        return found


def attribute(value: Any, name: str) -> Any:
    """`value.name`."""
    kind = type(value)
    if type(kind) is Defined and name[:1] != "_":
        return getattr(value, name)
    members = members_of(kind)
    if members is None:
        return _of_object(value, name)
    getter = members.getters.get(name)
    if getter is not None:
        return getter(value)
    method = members.methods.get(name) or members.find(name)
    if method is not None:
        return MethodType(method, value)
    if members.own is not None and name in (own := members.own(value)):
        return own[name]
    if name == "__class__":
        return type_of(value)
    if isinstance(value, Facade):
        return _of_open(value, name)
    if kind in special.BUILTIN and name in special.OF_BUILTIN and hasattr(kind, name):
        return MethodType(SPECIAL[kind](name), value)
    raise absent(value, name)


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
    if name in special.OF_FUNCTIONS and callable(value) and type(value).__module__ == "builtins":
        return getattr(value, name, None)
    if is_own_function(value) and (not special.is_special(name) or name in special.FACTS):
        return special.of_function(value, name)
    raise absent(value, name)


def _of_open(value: Any, name: str) -> Any:
    """Read an attribute of an object of a facade or of the snippet."""
    if not name.startswith("_"):
        try:
            return getattr(value, name)
        except AttributeError:
            check_member(full_name(next(base for base in type(value).__mro__ if not isinstance(base, Defined))), name)
            raise
    if name == "__dict__" and special.is_plain(type(value)):
        if not hasattr(value, "__dict__"):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute '__dict__'")
        return Attributes(vars(value))
    if special.is_special(name):
        if name in special.READABLE or name in special.DEFINABLE - special.IMPLICIT:
            return special.guarded(getattr(value, name), name)
        raise refused(value, name)
    kept = isinstance(type(value), Defined) or hasattr(type(value), "__facade__")
    if special.is_private(type(value), name) and not (kept and name in getattr(value, "__dict__", ())):
        if name in getattr(type(value), "__beyond__", ()):
            raise UnsupportedError(f"{type(value).__name__}.{name} is not supported here")
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    return getattr(value, name)


def _of_class(value: type, name: str) -> Any:
    if not (issubclass(value, Facade) or isinstance(value, Defined)):
        raise refused(value, name)
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
    if name in special.LISTED and any(name in vars(base) for base in value.__mro__ if isinstance(base, Defined)):
        return getattr(value, name)
    if special.is_special(name):
        if name not in special.READABLE and name not in special.DEFINABLE - special.IMPLICIT:
            raise refused(value, name)
    elif special.is_private(value, name) or not any(name in vars(base) for base in value.__mro__):
        raise AttributeError(f"type object {value.__name__!r} has no attribute {name!r}")
    return special.guarded(getattr(value, name), name)


def _of_parent(value: super, name: str) -> Any:
    """Read a method or property of the classes above through `super()`."""
    kind: Any = getattr(value, "__self_class__", None)
    if kind is None and name == "__init__":
        return lambda: None  # `super(C).__init__()` makes `super(C)` again, and no call of the class above
    if special.is_special(name):
        if name not in special.DEFINABLE:
            raise refused(value, name)
    elif kind is not None and special.is_private(kind, name):
        raise AttributeError(f"'super' object has no attribute {name!r}")
    return special.guarded(getattr(value, name), name)


def _of_type(kind: BuiltinType, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return kind.name
    if name == "__module__":
        return kind.module or "builtins"
    if name == "__class__":
        return shown_type(type)
    if name in kind.members:
        return kind.members[name]
    found: Any = None
    kinds = kind.python if isinstance(kind.python, tuple) else (kind.python,)
    for python in kinds:
        members = members_of(python)
        found = members and (members.methods.get(name) or members.find(name))
        if found:
            return found
    if name == "__init__" and len(kinds) == 1 and issubclass(kinds[0], BaseException):
        return kinds[0].__init__
    if special.is_special(name):
        if kind.python not in special.BUILTIN or name not in special.OF_BUILTIN:
            raise refused(kind, name)
        return SPECIAL[kind.python](name)
    if kind.module == "" and not any(hasattr(python, name) for python in kinds):
        raise AttributeError(f"type object {kind.name!r} has no attribute {name!r}")
    if not torch_has(f"{kind.module}.{kind.name}", name):
        raise AttributeError(f"type object {kind.name!r} has no attribute {name!r}")
    raise missing(f"{kind.module}.{kind.name}", name, kind.members, f"{kind.name}.{name} is not supported here")


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
