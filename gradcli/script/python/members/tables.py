"""Tables of attributes: what a kind of value has, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from functools import cache
from operator import attrgetter
from types import FunctionType
from typing import Any

from gradcli.facts import dataclass
from gradcli.script.python.values.kinds import Defined, is_own_function, name_members, shown_name


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
    snippet_attributes: Callable[[Any], dict[str, Any]] | None = None  # what the snippet has put on a value
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


def members_named(owner: Any, names: str, wrap: Callable[..., Any] = lambda member: member) -> dict[str, Any]:
    """Return the members of a type or module with these names, each wrapped."""
    return {name: wrap(getattr(owner, name)) for name in names.split()}


def members_of(kind: type) -> Members | None:
    """Return the table of the closest kind that has one; classes of snippets and of our facades have none."""
    try:
        return _resolved[kind]
    except KeyError:
        table = next((TABLES[base] for base in kind.__mro__ if base in TABLES), None)
        if not isinstance(kind, Defined):
            _resolved[kind] = table
        return table


def checked_member(member: Any, owners: tuple[type, ...], shown: str = "") -> Any:
    """Return a member of a class; a function of ours checks its first argument, for `self` could be anything."""
    if not isinstance(member, FunctionType) or is_own_function(member):
        return member
    return _checked(member, owners, shown or owners[0].__name__)


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
