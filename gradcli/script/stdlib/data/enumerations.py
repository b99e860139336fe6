"""`enum`: classes whose names stand for members, each with a value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.script.python.functions.classes import MARKED
from gradcli.script.python.text.formatting import format_field, represent, text
from gradcli.script.python.values.attributes import Facade, Namespace
from gradcli.script.python.values.kinds import Defined, is_own_function
from gradcli.script.python.values.nesting import hashable
from gradcli.script.python.values.parents import exact, parent
from gradcli.script.python.values.readonly import ReadOnly

MEMBERS = " members"  # where an enumeration keeps its members: no name of a snippet has a space
DESCRIBED = (property, staticmethod, classmethod, type)
TEXTS = ("__repr__", "__str__", "__format__")


class auto(Facade):  # noqa: N801  Python's name
    """A stand-in for the next value."""


class EnumKind(type):
    """The class of enumerations, which have items and a length and are called with a value."""

    def __iter__(cls) -> Iterator[Any]:
        return iter(dict.fromkeys(members(cls).values()))

    def __len__(cls) -> int:
        return len(list(iter(cls)))

    def __bool__(cls) -> bool:
        return True

    def __repr__(cls) -> str:
        return f"<enum {cls.__qualname__!r}>"

    def __getitem__(cls, name: str) -> Any:
        return members(cls)[hashable(name)]

    def __contains__(cls, value: Any) -> bool:
        if not isinstance(value, Enum):
            raise TypeError(f"unsupported operand type(s) for 'in': {type(value).__qualname__!r} and 'EnumType'")
        return isinstance(value, cls)

    def __call__(cls, value: Any) -> Any:
        for member in cls:
            if member is value or member.value == value:
                return member
        raise ValueError(f"{represent(value)} is not a valid {cls.__qualname__}")

    def __setattr__(cls, name: str, value: Any) -> None:
        if name in members(cls):
            raise AttributeError(f"cannot reassign member {name!r}")
        type.__setattr__(cls, name, value)

    @property
    def __members__(cls) -> Any:
        return ReadOnly(members(cls))


class Enum(Facade, metaclass=EnumKind):
    """The parent of enumerations."""

    __parent__ = True

    @property
    def name(self) -> Any:
        """The name of the member."""
        return vars(self)["_name_"]

    @property
    def value(self) -> Any:
        """The value that was assigned to the name."""
        return vars(self)["_value_"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}.{self.name}: {represent(self.value)}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format_field(text(self), spec)

    def __hash__(self) -> int:
        return hash(self.name)

    def __deepcopy__(self, _: Any) -> Any:
        return self


class _Plain(Enum):
    """An enumeration whose members are written as their values."""

    def __str__(self) -> str:
        return text(self.value)

    def __format__(self, spec: str) -> str:
        return format_field(self.value, spec)


class IntEnum(parent(int), _Plain):  # type: ignore[misc]
    """An enumeration of whole numbers."""


class DefinedEnum(Defined, EnumKind):
    """The class of the enumerations that a snippet defines."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Any:
        for base in bases:
            if members(base):
                raise TypeError(f"{base!r} cannot be extended")
        given = {key: value for key, value in namespace.items() if _is_member(key, value)}
        rest = {key: value for key, value in namespace.items() if key not in given}
        kind: Any = type.__new__(cls, name, bases, {MEMBERS: {}, **_texts(bases), **rest})
        values: list[Any] = []
        for key, value in given.items():
            values.append(_next(values) if isinstance(value, auto) else value)
            same = [member for member in kind if member.value == values[-1]]
            member = same[0] if same else _member(kind, key, values[-1])
            type.__setattr__(kind, key, member)
            vars(kind)[MEMBERS][key] = member
        return kind


MARKED[EnumKind] = DefinedEnum


def members(kind: type) -> dict[str, Any]:
    """The members of an enumeration by name."""
    members_by_name: dict[str, Any] = vars(kind).get(MEMBERS, {})
    return members_by_name


def _is_member(name: str, value: Any) -> bool:
    """Whether an assignment in the class makes a member; functions and properties do not."""
    return name[0] != "_" and name.isidentifier() and not (is_own_function(value) or isinstance(value, DESCRIBED))


def _texts(bases: tuple[type, ...]) -> dict[str, Any]:
    """Return the text methods of an enumeration, which come before those of numbers or texts."""
    methods = {}
    for name in TEXTS:
        owners = [base for kind in bases for base in kind.__mro__ if name in vars(base)]
        definers = [base for base in owners if isinstance(base, Defined) or issubclass(base, Enum)]
        methods[name] = vars(definers[0])[name]
    return methods


def _next(before: list[Any]) -> int:
    """Return the value that `auto()` stands for."""
    return 1 + max((x for x in before if isinstance(x, int)), default=0)


def _member(kind: Any, name: str, value: Any) -> Any:
    mixed: Any = next((base for base in (str, int, float) if issubclass(kind, base)), None)
    member = object.__new__(kind) if mixed is None else mixed.__new__(kind, exact(mixed, value))
    vars(member).update(_name_=name, _value_=value)
    if isinstance(kind.__init__, type(_member)):
        kind.__init__(member, *(value if isinstance(value, tuple) else (value,)))
    return member


def namespace(name: str) -> Namespace:
    """`enum`."""
    return Namespace(name, {kind.__name__: kind for kind in (Enum, IntEnum, auto)})
