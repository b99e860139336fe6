"""`value.name`: resolved through tables, so that no value leads to Python's own objects.

A kind of value has a table of what its attributes are (`describe`). Objects of our facades and of classes that the
snippet defines (`Facade`) show their public names. Names with two underscores are refused, but for the few below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.source import did_you_mean

# The special methods that a class of a snippet may define, and `super()` may reach.
_SPECIAL = (
    "__init__ __call__ __repr__ __str__ __len__ __getitem__ __setitem__ __delitem__ __iter__ __next__ __contains__ "
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __float__ __int__ __index__ __abs__ __round__ "
    "__neg__ __pos__ __invert__ __add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __pow__ __matmul__ "
    "__radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rpow__ __rmatmul__ __iadd__ __isub__ __imul__ "
    "__itruediv__ __imatmul__ __and__ __or__ __xor__ __enter__ __exit__ __post_init__"
)
SPECIAL = frozenset(_SPECIAL.split())
PUBLIC_SPECIAL = frozenset(("__name__", "__doc__", "__class__", "__version__"))


@dataclass
class Members:
    """The attributes of one kind of value: `methods` take the value first, `getters` take it alone."""

    methods: dict[str, Callable[..., Any]] = field(default_factory=dict)
    getters: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    setters: dict[str, Callable[[Any, Any], None]] = field(default_factory=dict)
    find: Callable[[str], Callable[..., Any] | None] = lambda name: None


class Facade:
    """What snippets may look into: their own classes, and what we hand them. Public names are theirs."""

    def __repr__(self) -> str:
        kind = type(self)
        return f"<{kind.__module__}.{kind.__qualname__} object at {id(self):#x}>"


class Namespace:
    """A module as a snippet sees it; `find` brings the members that are not loaded yet."""

    def __init__(
        self,
        name: str,
        members: Mapping[str, Any] | None = None,
        find: Callable[[str], Any] | None = None,
        known: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.members = dict(members or {})
        self.find = find
        self.known = known

    def __repr__(self) -> str:
        return f"<module {self.name!r}>"

    def get(self, name: str) -> Any:
        """A member; UnsupportedError, with the closest that there is, for what is not."""
        if name in self.members:
            return self.members[name]
        found = self.find(name) if self.find is not None else None
        if found is None:
            raise missing(f"{self.name}.{name} is not supported here", name, {*self.members, *self.known})
        self.members[name] = found
        return found


class BuiltinType:
    """A type as a snippet sees it: called, compared, asked for its name, and no more."""

    def __init__(
        self,
        name: str,
        python: type | tuple[type, ...] = (),
        construct: Callable[..., Any] | None = None,
        members: Mapping[str, Any] | None = None,
        module: str = "",
    ) -> None:
        self.name = name
        self.python = python
        self.construct = construct
        self.members = members or {}
        self.module = module

    def __repr__(self) -> str:
        return f"<class '{self.module}{'.' if self.module else ''}{self.name}'>"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        if self.construct is None:
            raise TypeError(f"cannot create '{self.name}' instances")
        return self.construct(*arguments, **keywords)


TABLES: dict[type, Members] = {}
_resolved: dict[type, Members | None] = {}


def describe(kind: type, **tables: Any) -> None:
    """Say what the attributes of a kind of value are."""
    TABLES[kind] = Members(**tables)
    _resolved.clear()


def members_of(kind: type) -> Members | None:
    """The table of the closest kind that has one."""
    if kind not in _resolved:
        _resolved[kind] = next((TABLES[base] for base in kind.__mro__ if base in TABLES), None)
    return _resolved[kind]


def attribute(value: Any, name: str) -> Any:
    """`value.name`."""
    members = members_of(type(value))
    if members is None:
        return _of_object(value, name)
    getter = members.getters.get(name)
    if getter is not None:
        return getter(value)
    method = members.methods.get(name) or members.find(name)
    if method is None:
        if _lacks(value, name):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'")
        known = {*members.getters, *members.methods}
        raise missing(f"{type_name(value)}.{name} is not supported here", name, known)
    return MethodType(method, value)


def method_of(value: Any, name: str) -> Callable[..., Any] | None:
    """A method that takes `value` first, for a call without a bound method in between."""
    members = members_of(type(value))
    if members is None or name in members.getters:
        return None
    return members.methods.get(name) or members.find(name)


def _of_object(value: Any, name: str) -> Any:
    if isinstance(value, Namespace):
        return value.get(name)
    if isinstance(value, BuiltinType):
        return _of_type(value, name)
    if isinstance(value, type):
        if name == "__class__" or not (issubclass(value, Facade) or value.__module__ == "__main__"):
            raise _refused(value, name)
        return _allowed(value, name)
    if name == "__class__" and _is_open(value):
        return type(value)
    if _is_open(value) or isinstance(value, super):
        return _allowed(value, name)
    if name in ("__name__", "__doc__") and callable(value):
        return getattr(value, name, None)
    if _lacks(value, name):
        raise AttributeError(f"'{type(value).__name__}' object has no attribute '{name}'")
    raise _refused(value, name)


def _lacks(value: Any, name: str) -> bool:
    """Whether Python itself has no such attribute: then the snippet is wrong, and nothing is missing here."""
    return type(value).__module__ == "builtins" and not hasattr(type(value), name)


def _allowed(value: Any, name: str) -> Any:
    if name.startswith("__") and name.endswith("__") and name not in SPECIAL and name not in PUBLIC_SPECIAL:
        raise _refused(value, name)
    return getattr(value, name)


def _is_open(value: Any) -> bool:
    return isinstance(value, Facade) or type(value).__module__ == "__main__"


def _of_type(kind: BuiltinType, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return kind.name
    if name in kind.members:
        return kind.members[name]
    for python in kind.python if isinstance(kind.python, tuple) else (kind.python,):
        members = members_of(python)
        found = members and (members.methods.get(name) or members.find(name))
        if found:
            return found
    raise missing(f"{kind.name}.{name} is not supported here", name, kind.members)


def set_attribute(value: Any, name: str, new: Any) -> None:
    """`value.name = new`."""
    members = members_of(type(value))
    if members is not None and name in members.setters:
        members.setters[name](value, new)
    elif name.startswith("__") and name.endswith("__"):
        raise _refused(value, name)
    elif (isinstance(value, type) and value.__module__ == "__main__") or (
        _is_open(value) and not isinstance(value, type)
    ):
        setattr(value, name, new)
    else:
        raise missing(
            f"setting {type_name(value)}.{name} is not supported here", name, members.setters if members else ()
        )


def delete_attribute(value: Any, name: str) -> None:
    """`del value.name`, for what the snippet itself may set."""
    if not _is_open(value) or name.startswith("__"):
        raise _refused(value, name)
    delattr(value, name)


def missing(message: str, name: str, known: Iterable[str]) -> UnsupportedError:
    """A name that is not there, with the closest one that is."""
    close = did_you_mean(name, [other for other in known if not other.startswith("_")])
    return UnsupportedError(message, help=f"did you mean {close}?" if close else "see gradcli ops for the operations")


def _refused(value: Any, name: str) -> UnsupportedError:
    if name.startswith("__"):
        hint = "snippets cannot look into Python itself; type(x).__name__ names a type"
    else:
        hint = "see gradcli ops for the operations of tensors"
    return UnsupportedError(f"attribute {name!r} of {type_name(value)} is not supported here", help=hint)


def type_name(value: Any) -> str:
    """How messages call the type of a value."""
    if isinstance(value, type):
        return f"class {value.__name__}"
    return value.name if isinstance(value, Namespace | BuiltinType) else type(value).__name__
