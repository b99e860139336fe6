"""The names with underscores that a snippet may read, define and set."""

from __future__ import annotations

from collections.abc import Iterable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any

from gradcli.script.errors import UnsupportedError
from gradcli.script.python.members.reserved import check_free, is_reserved
from gradcli.script.python.values.kinds import SHOWN, Defined, Facade, is_own_function
from gradcli.script.python.values.places import PLACES

# The special methods that a class of a snippet may define, and `super()` may reach. Python or numpy would follow the
# others to memory or code: `__array_interface__`, `__reduce__`, `__class__` and more.
_DEFINABLE = (
    "__init__ __new__ __call__ __repr__ __str__ __format__ __len__ __length_hint__ __getitem__ __setitem__ __delitem__ "
    "__iter__ __next__ __reversed__ __contains__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __float__ "
    "__int__ __index__ __abs__ __round__ __trunc__ __floor__ __ceil__ __neg__ __pos__ __invert__ "
    "__add__ __sub__ __mul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __matmul__ __and__ __or__ __xor__ "
    "__lshift__ __rshift__ __radd__ __rsub__ __rmul__ __rtruediv__ __rfloordiv__ __rmod__ __rdivmod__ __rpow__ "
    "__rmatmul__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ __iadd__ __isub__ __imul__ __itruediv__ "
    "__ifloordiv__ __imod__ __ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__ "
    "__enter__ __exit__ __post_init__ __getattr__ __setattr__ __delattr__ __get__ __set__ __delete__ __set_name__ "
    "__init_subclass__ __class_getitem__ __missing__ __del__ __getitems__"
)
DEFINABLE = frozenset(_DEFINABLE.split())
IMPLICIT = frozenset(("__new__", "__init_subclass__", "__set_name__", "__class_getitem__"))  # Python calls them itself
BUILTIN = (list, dict, set, tuple, str, int, float)  # what classes of a snippet may derive from
OF_BUILTIN = DEFINABLE - IMPLICIT | {"__new__"}  # facts that these types state themselves
# No class of a snippet may define these.
MEASURED = frozenset(("__len__", "__iter__", "__length_hint__", "__int__", "__index__", "values"))
# What a text says of itself where it is read as a name: a class of the snippet may change how it is written, no more.
OF_TEXTS = frozenset(dir(str)).difference(
    ("__init__", "__new__", "__doc__", "__repr__", "__str__", "__format__", "__add__", "__mul__", "__rmul__", "__mod__")
)
READABLE = frozenset(("__name__", "__qualname__", "__module__", "__doc__", "__class__", "__version__", "__members__"))
# Read although private: the names of modules, of named tuples and of nodes.
_OPEN = (
    "_asdict _field_defaults _fields _get_name _load_from_state_dict _make _raw_saved_tensors _replace "
    "_save_to_state_dict _sequence_nr _version"
)
OPEN = frozenset(_OPEN.split())
# Tables and numbers that lessons look at and nobody but their owner changes.
_VIEWED = (
    "_backward_hooks _buffers _forward_hooks _forward_hooks_always_called _forward_pre_hooks _last_lr _modules "
    "_non_persistent_buffers_set _parameters _step_count"
)
VIEWED = frozenset(_VIEWED.split())
LISTED = frozenset(("__slots__", "__match_args__"))  # read where a class of the snippet has them
FACTS = frozenset(("__annotations__", "__defaults__", "__kwdefaults__", "__wrapped__"))  # of functions of the snippet
HELD = frozenset(("_facts", "_wrapped"))  # where those functions keep them
WRITABLE = frozenset(("__name__", "__qualname__", "__doc__"))  # of functions of the snippet


def is_special(name: str) -> bool:
    """Whether a name has two underscores on both sides, or is no identifier."""
    return (name.startswith("__") and name.endswith("__")) or not name.isidentifier()


def is_readable(kind: type, name: str) -> bool:
    """Whether a special name of a class or its objects is open; what all runs share is made once, not anew."""
    is_own = isinstance(kind, Defined) or (issubclass(kind, Facade) and kind.__parent__)
    return name in READABLE or (name in DEFINABLE - IMPLICIT and (name != "__init__" or is_own))


def is_plain(kind: type) -> bool:
    """Whether all that an object of this class holds was put there by the snippet."""
    return isinstance(kind, Defined) and all(
        isinstance(base, Defined) or base in SHOWN or base in SHOWN.values() for base in kind.__mro__
    )


def is_private(kind: type, name: str) -> bool:
    """Whether a name with one underscore is a facade's own business."""
    if name in OPEN or not name.startswith("_"):
        return False
    return is_reserved(kind, name) or not is_own(kind.__mro__, name)


def is_own(above: Iterable[type], name: str) -> bool:
    """Whether one of these classes is the snippet's and has a name."""
    return any(name in vars(base) for base in above if isinstance(base, Defined))


def is_settable(value: Any, name: str) -> bool:
    """Whether `value.name = ...` changes only what belongs to this run."""
    if isinstance(value, type):
        return isinstance(value, Defined) and (not is_special(name) or name in DEFINABLE - {"__new__"})
    if isinstance(value, FunctionType):
        return is_own_function(value) and name not in HELD and (not is_special(name) or name in WRITABLE)
    if not isinstance(value, Facade) or is_special(name):
        return isinstance(value, Facade) and name == "__name__"  # has no meaning on an object
    kind = type(value)
    if isinstance(kind, Defined):
        return True
    open_to_all = hasattr(kind, "__facade__") and not any(name in vars(base) for base in kind.__mro__)
    return kind.__parent__ and (not name.startswith("_") or open_to_all)  # what all runs share is of other classes


def exact(name: str) -> str:
    """Return a name as Python reads it, past the methods of a snippet's subclass of str."""
    return name if type(name) is str else str.__str__(name)


def check_name(name: Any) -> None:
    """Refuse a name that no assignment may set: numpy would follow `__array_interface__` to any memory."""
    if type(name) is not str or is_special(name) or name == PLACES:
        raise AttributeError(f"attribute {name if type(name) is str else '?'!r} cannot be set here")


def guard_setter(function: Any, name: str) -> Any:
    """Make `super().__setattr__` or `__delattr__` check the name; return any other function as it is."""
    if name not in ("__setattr__", "__delattr__") or is_own_function(function):
        return function

    def checked(*arguments: Any) -> Any:
        owner, *rest = (function.__self__, *arguments) if hasattr(function, "__self__") else (*arguments, None)
        if owner is not getattr(function, "__self__", None) and not isinstance(type(owner), Defined):
            raise TypeError(f"{name} is for objects of the snippet")
        check_name(rest[0] if rest else None)
        check_free(type(owner), rest[0])
        if not is_settable(owner, rest[0]):
            raise AttributeError(f"attribute {rest[0]!r} cannot be set here")
        return function(*arguments)

    checked.__qualname__ = name
    return checked


def bare(owner: type, kind: Any) -> Any:
    """`Class.__new__(kind)`: an object that no `__init__` has seen."""
    if not (isinstance(kind, type) and issubclass(kind, owner)):
        shown = kind.__name__ if isinstance(kind, type) else type(kind).__name__
        raise TypeError(f"{owner.__name__}.__new__({shown}): it is not a subtype of {owner.__name__}")
    return object.__new__(kind)


def of_function(value: Any, name: str) -> Any:
    """Read an attribute of a function of the snippet, or a fact about it."""
    attributes = vars(value.__func__ if isinstance(value, MethodType) else value)
    if name == "__wrapped__" and "_wrapped" in attributes:
        if not is_own_function(attributes["_wrapped"]):
            raise UnsupportedError("the __wrapped__ of a function around none of the snippet's is not supported here")
        return attributes["_wrapped"]
    if name in FACTS and name != "__wrapped__":
        return attributes["_facts"](name)
    if name not in attributes or name in HELD:
        raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}")
    return attributes[name]


def readable_only(function: Any) -> Any:
    """Wrap a `__getattr__` of a snippet to be asked for plain names only: numpy asks for `__array_interface__`."""

    def __getattr__(self: Any, name: str) -> Any:  # noqa: N807
        if is_special(name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return function(self, name)

    return __getattr__


def heard_of_plain_names(function: Any) -> Any:
    """Wrap a `__setattr__` of a snippet, past which Python's library sets the `__traceback__` of an exception."""

    def __setattr__(self: Any, name: str, value: Any) -> None:  # noqa: N807
        if name == "__traceback__":
            BaseException.__setattr__(self, name, value)
        else:
            function(self, name, value)

    return update_wrapper(__setattr__, function) if is_own_function(function) else __setattr__


def refused_finalizer(function: Any) -> Any:
    raise UnsupportedError("__del__ is not supported here", help="write a method, and call it")


# Python wraps plain functions of these names by itself; `__getattr__` is kept from numpy's questions.
WRAPPED: dict[str, Any] = {
    "__new__": staticmethod,
    "__init_subclass__": classmethod,
    "__class_getitem__": classmethod,
    "__getattr__": readable_only,
    "__setattr__": heard_of_plain_names,
    "__del__": refused_finalizer,
}


def wrap_special(name: str, value: Any) -> Any:
    """Return a special method as a class holds it."""
    wrap = WRAPPED.get(name)
    return wrap(value) if wrap and (is_own_function(value) or name in ("__getattr__", "__setattr__")) else value


def check_own(bases: tuple[type, ...], names: Iterable[str]) -> None:
    """Refuse a subclass of a Python type that redefines a measured fact, or how a text reads."""
    defined_names = set(names)
    refused_names = sorted(MEASURED & defined_names)
    if not refused_names and any(issubclass(base, str) for base in bases):
        refused_names = sorted(OF_TEXTS & defined_names)
    if refused_names and any(issubclass(base, BUILTIN) for base in bases):
        message = f"defining {refused_names[0]} is not supported in a class that derives from one of Python's own"
        raise UnsupportedError(message, python=TypeError, help="keep the values in an attribute: self.items = []")
