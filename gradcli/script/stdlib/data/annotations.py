"""`typing` and `abc`: names for annotations, which are never evaluated, and abstract classes."""

from __future__ import annotations

import abc
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.values.attributes import BuiltinType, Facade, Namespace
from gradcli.script.python.values.kinds import is_own_function
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


class Protocol(Generic):
    """The parent of protocols, which are for annotations alone."""


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
        "TypeVar": lambda name, *_, **__: Hint(name),
        "NewType": lambda name, _: identity,
        "cast": lambda _, value: value,
        "TYPE_CHECKING": False,
        "overload": identity,
        "final": identity,
        "override": identity,
    }
    return Namespace(name, members)
