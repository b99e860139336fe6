"""The types of a snippet: its own classes, the classes of our facades, and Python's and torch's as closed objects."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType, UnionType
from typing import Any

from gradcli.script.errors import python_class
from gradcli.script.originals import check_module, missing_error, torch_has

_modules: dict[type, str] = {}  # of our classes, as snippets import them


def name_members(members: Mapping[str, Any], module: str = "") -> None:
    """Name the members of a module, or the methods of a kind of value, by their names in it."""
    for name, member in members.items():
        if type(member) is FunctionType:
            _name_function(name, member)
        elif module and isinstance(member, type):
            _modules.setdefault(member, module)


def _name_function(name: str, function: FunctionType) -> None:
    """Name a function that was made by another one, or whose own name differs by underscores."""
    qualified_name = function.__qualname__
    if "<" in qualified_name or (qualified_name.strip("_") == name and function.__module__.startswith("gradcli.")):
        function.__name__ = function.__qualname__ = name


def full_name(kind: type) -> str:
    """Return the name of a class with its module, as far as snippets know it."""
    module = kind.__module__
    if module.startswith("gradcli."):
        module = _modules.get(kind, "")
    return f"{module}.{kind.__qualname__}".lstrip(".")


class Facade:
    """An object into which snippets may look, of their own classes or of our facades; its public names are open."""

    __slots__ = ()
    __parent__ = False  # whether classes of a snippet may derive from it
    # Numpy would follow these to memory or code, so they are not there in any object.
    __array_interface__ = __array_struct__ = __array__ = property()

    def __repr__(self) -> str:
        return f"<{full_name(type(self))} object at {id(self):#x}>"


class Namespace:
    """A module as a snippet sees it; `find` brings the members that are not loaded yet.

    `hidden` makes the modules within it that are imported by a name which stands for something else in it; `live` reads
    members that change. `original`
    is the real module that it stands for, if any: a name that is not there either is the snippet's mistake.
    """

    def __init__(
        self,
        name: str,
        members: Mapping[str, Any] | None = None,
        find: Callable[[str], Any] | None = None,
        known: Iterable[str] = (),
        hidden: Mapping[str, Callable[[], Namespace]] | None = None,
        live: Mapping[str, Callable[[], Any]] | None = None,
    ) -> None:
        self.hidden = hidden or {}
        self.live = live or {}
        self.name = name
        self.members = {word: error_type(member) for word, member in (members or {}).items()}
        name_members(self.members, name)
        self.find = find
        self.known = known
        self.original = name if name.partition(".")[0] == "torch" else ""

    def __repr__(self) -> str:
        return f"<module {self.name!r}>"

    def get(self, name: str, *, imported: bool = False) -> Any:
        """Return a member; raise UnsupportedError, with the closest name, where there is none.

        A module that is `imported` may be no attribute of the one that it lies in: torch.optim.sgd is not.
        """
        if imported and name in self.hidden:
            return self.hidden[name]()
        if name in self.live:
            return self.live[name]()
        if name in self.members:
            return self.members[name]
        if name == "__name__":
            return self.name
        is_public = self._has(name)
        member = self.find(name) if self.find is not None and (is_public or imported) else None
        if member is None:
            self._check(name)
            raise missing_error(self.name, name, self.names)
        if is_public:
            self.members[name] = member
            name_members({name: member}, self.name)
        return member

    @property
    def names(self) -> set[str]:
        """The names of the members, loaded or not."""
        return {*self.members, *filter(self._has, self.known)}

    def _has(self, name: str) -> bool:
        """Whether the original has the name, as far as is recorded."""
        return not self.original or torch_has(self.original, name)

    def _check(self, name: str) -> None:
        """Raise AttributeError in Python's words for a name that the original has not either."""
        if not self.original:
            return
        try:
            check_module(self.original, name)
        except AttributeError as error:
            raise AttributeError(*error.args, name=name, obj=self) from None


class Typelike:
    """An object that stands for a type: `|` makes a union of it."""

    def __or__(self, other: Any) -> Union:
        return Union((self, other))

    def __ror__(self, other: Any) -> Union:
        return Union((other, self))


class Union(Typelike):
    """`int | str`, for isinstance and annotations."""

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self.kinds = kinds

    def __repr__(self) -> str:
        return " | ".join(str(getattr(kind, "name", getattr(kind, "__name__", kind))) for kind in self.kinds)


class BuiltinType(Typelike):
    """A type as a snippet sees it: called, compared, asked for its name, and no more."""

    __module__, __qualname__ = "builtins", "type"  # as messages of the engine about `type(value)` spell it

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

    def __getitem__(self, _: Any) -> BuiltinType:
        if self.python in (list, tuple, dict, set, frozenset, type):
            return self  # list[int], in an annotation that is evaluated
        raise TypeError(f"type '{self.name}' is not subscriptable")


# Python's own messages name the types of values.
BuiltinType.__name__ = "type"
Namespace.__name__ = "module"


class Defined(type):
    """The class of the classes that a snippet defines, and of no others: it marks them.

    What a plain name of their objects leads to is the snippet's, or in the table of a class of ours above.
    """

    def __or__(cls, other: Any) -> Any:
        return Union((cls, other))

    def __ror__(cls, other: Any) -> Any:
        return Union((other, cls))


class DefinedError(Defined):
    """The class of the exceptions that a snippet defines."""


class DefinedAbstract(Defined, ABCMeta):
    """The class of the abstract classes that a snippet defines."""


TYPES: dict[type, BuiltinType] = {}
SHOWN: dict[type, type] = {Facade: object}  # the types of Python's that some of our classes stand for
NAMED_TYPES: list[Callable[[Any], BuiltinType | None]] = []


def type_of(value: Any) -> Any:
    """`type(value)` as snippets see it."""
    kind = python_class(value) if isinstance(value, BaseException) else type(value)
    if isinstance(kind, Defined):
        return kind
    if kind in (FunctionType, MethodType) and not is_own_function(value):
        kind = BuiltinFunctionType
    if kind in TYPES:
        return TYPES[kind]
    for find in NAMED_TYPES:
        shown = find(value)
        if shown is not None:
            return shown
    if issubclass(kind, Facade):
        return kind
    return shown_type(type if issubclass(kind, BuiltinType | type) else kind)


def shown_type(kind: type) -> Any:
    """A class of Python's as snippets see it."""
    if isinstance(kind, Defined) or (issubclass(kind, Facade) and kind is not Facade and kind not in SHOWN):
        return kind
    kind = SHOWN.get(kind, kind)
    if kind not in TYPES:
        module = kind.__module__
        is_builtin = module == "builtins" or module.startswith("gradcli.")
        TYPES[kind] = BuiltinType(kind.__name__, kind, module="" if is_builtin else module)
    return TYPES[kind]


def error_type(member: Any) -> Any:
    """Return an exception of ours or of Python's as snippets see it, anything else as it is."""
    if isinstance(member, type) and issubclass(member, BaseException):
        return TYPES.setdefault(member, BuiltinType(member.__name__, member, member, module=member.__module__))
    return member


def python_types(kinds: Any, caller: str = "isinstance() arg 2 must be a type, a tuple of types, or a union") -> Any:
    """Return the Python types behind the second argument of isinstance as a tuple, without recursion."""
    types: list[type] = []
    waiting = [kinds]
    while waiting:
        kind = waiting.pop()
        if isinstance(kind, tuple):
            waiting.extend(kind)
        elif isinstance(kind, Union):
            waiting.extend(kind.kinds)
        elif isinstance(kind, UnionType):
            waiting.extend(kind.__args__)
        elif isinstance(kind, BuiltinType):
            types.extend(kind.python if isinstance(kind.python, tuple) else (kind.python,))
        elif kind is None and waiting is not kinds and isinstance(kinds, Union):
            types.append(type(None))
        elif isinstance(kind, type):
            types.append(kind)
        else:
            raise TypeError(caller)
    return tuple(types)


def python_isinstance(value: Any, kinds: Any) -> bool:
    shown = type_of(value)
    if shown is kinds or (isinstance(kinds, tuple) and any(kind is shown for kind in kinds)):
        return True
    wanted = python_types(kinds)
    if isinstance(value, BaseException):
        return issubclass(python_class(value), wanted)
    if isinstance(value, BuiltinType | type):
        return type in wanted or object in wanted
    return isinstance(value, wanted)


def python_issubclass(value: Any, kinds: Any) -> bool:
    if not isinstance(value, BuiltinType | type):
        raise TypeError("issubclass() arg 1 must be a class")
    wanted = python_types(kinds, "issubclass() arg 2 must be a class, a tuple of classes, or a union")
    return issubclass(python_types(value)[0], wanted)


def is_shown(kind: type) -> bool:
    """Whether snippets have a class itself: their own, or one of our facades."""
    return isinstance(kind, Defined) or issubclass(kind, Facade)


def type_name(value: Any) -> str:
    """Return the name of the type of a value for messages."""
    if isinstance(value, type):
        return f"class {value.__name__}"
    return value.name if isinstance(value, Namespace | BuiltinType) else type(value).__name__


def shown_name(value: Any) -> str:
    """Return the name of the type of a value as snippets see it."""
    kind = type_of(value)
    return str(kind.name if isinstance(kind, BuiltinType) else kind.__name__)


def is_own_function(value: Any) -> bool:
    """Whether the snippet made a function, or the function of a method."""
    function = value.__func__ if type(value) is MethodType else value
    return type(function) is FunctionType and function.__module__ == "__main__"
