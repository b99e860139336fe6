"""`typing` and `abc`: names for annotations, which are never evaluated, and abstract classes."""

from __future__ import annotations

import abc
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.functions.classes import FIELDS, MARKED
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.iteration import python_dict
from gradcli.script.python.values.kinds import Defined, is_own_function
from gradcli.script.python.values.reflection import python_getattr
from gradcli.script.stdlib.data.tuples import NamedTuple

NAMES = (
    "Any Optional Union List Dict Tuple Set FrozenSet Sequence Iterable Iterator Mapping MutableMapping Callable Type "
    "Literal Final ClassVar Annotated Generator Hashable Sized Collection Deque DefaultDict Counter OrderedDict Self "
    "Text NoReturn Never Concatenate TypeAlias SupportsFloat SupportsInt"
)


class Hint(Facade):
    """A name for annotations: it takes brackets and `|`, and means nothing."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, _: Any) -> Hint:
        return Parametrised(self._name)

    def __or__(self, _: Any) -> Hint:
        return self

    def __ror__(self, _: Any) -> Hint:
        return self

    def __repr__(self) -> str:
        return f"typing.{self._name}"


class Parametrised(Hint):
    """A name with brackets."""

    def __repr__(self) -> str:
        raise UnsupportedError(f"the text of typing.{self._name}[...] is not supported here")


class Generic(Facade):
    """The parent of generic classes; brackets leave it as it is."""

    __parent__ = True

    def __class_getitem__(cls, _: Any) -> type[Generic]:
        return cls


class ProtocolKind(type):
    """The class of protocols: what has their members is of them, where they may be asked at all."""

    def __instancecheck__(cls, value: Any) -> bool:
        if Protocol in cls.__bases__ and RUNTIME not in vars(cls):
            raise TypeError("Instance and class checks can only be used with @runtime_checkable protocols")
        if type.__instancecheck__(cls, value) or Protocol not in cls.__bases__:
            return type.__instancecheck__(cls, value)
        kinds = [kind for kind in cls.__mro__ if isinstance(kind, Defined)]
        names = [name for kind in kinds for name in (*vars(kind), *vars(kind)[FIELDS]) if not is_hidden(name)]
        return all(python_getattr(value, name, MISSING) is not MISSING for name in names)

    def __subclasscheck__(cls, kind: Any) -> bool:
        if Protocol in cls.__bases__ and not type.__subclasscheck__(cls, kind):
            raise UnsupportedError("issubclass() with a protocol is not supported here")
        return type.__subclasscheck__(cls, kind)


class DefinedProtocol(Defined, ProtocolKind):
    """The class of the protocols that a snippet defines."""


class Protocol(Generic, metaclass=ProtocolKind):
    """The parent of protocols."""


MARKED[ProtocolKind] = DefinedProtocol
RUNTIME, MISSING = " runtime", object()


def is_hidden(name: str) -> bool:
    return name in ("__module__", "__doc__", "__qualname__", "__dict__", "__weakref__", "__slots__") or name[0] in " _"


def runtime_checkable(cls: Any) -> Any:
    """Let isinstance look whether a value has all members of a protocol."""
    if not isinstance(cls, DefinedProtocol):
        raise TypeError(f"@runtime_checkable can be only applied to protocol classes, got {cls!r}")
    type.__setattr__(cls, RUNTIME, True)
    return cls


class TypedDict(Facade):
    """The parent of classes whose objects are plain dicts."""

    __parent__ = True

    def __new__(cls, *items: Any, **named: Any) -> Any:
        return python_dict(*items, **named)

    def __init_subclass__(cls, total: bool = True) -> None:
        """Take `total`, which is for readers alone."""


class ABC(Facade, metaclass=abc.ABCMeta):
    """The parent of abstract classes."""

    __parent__ = True


def abstractmethod(funcobj: Any) -> Any:
    """Mark a method of the snippet, or a property, as one that classes below define."""
    if not (is_own_function(funcobj) or isinstance(funcobj, property | staticmethod | classmethod)):
        raise UnsupportedError("abstractmethod() of this is not supported here", python=TypeError)
    return abc.abstractmethod(funcobj) if is_own_function(funcobj) else funcobj


def identity(value: Any) -> Any:
    """A decorator that does nothing."""
    return value


def namespace(name: str) -> Namespace:
    """`typing` or `abc`."""
    if name == "abc":
        kind = BuiltinType("ABCMeta", abc.ABCMeta, module="abc")
        return Namespace(name, {"ABC": ABC, "ABCMeta": kind, "abstractmethod": abstractmethod})
    members: dict[str, Any] = {word: Hint(word) for word in NAMES.split()}
    members |= {
        "Generic": Generic,
        "Protocol": Protocol,
        "NamedTuple": NamedTuple,
        "TypedDict": TypedDict,
        "TypeVar": lambda name, *_, **__: Hint(name),
        "NewType": lambda name, _: identity,
        "cast": lambda _, value: value,
        "TYPE_CHECKING": False,
        "overload": identity,
        "final": identity,
        "override": identity,
        "runtime_checkable": runtime_checkable,
    }
    return Namespace(name, members)
