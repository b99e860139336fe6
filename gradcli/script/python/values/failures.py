"""Exceptions as snippets see them: their texts and attributes, and what can be raised."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import CodeType, FrameType, MethodType, ModuleType, TracebackType
from typing import Any

from gradcli.errors import GradcliError
from gradcli.script.errors import UnsupportedError, python_class
from gradcli.script.python.members.lookup import has, read
from gradcli.script.python.text.wording import snippet_wording
from gradcli.script.python.values import special
from gradcli.script.python.values.kinds import BuiltinType, Defined, is_shown, shown_type, type_of
from gradcli.script.python.values.places import PLACES

RAISABLE = (Exception, KeyboardInterrupt, SystemExit)
CLOSED = (ModuleType, FrameType, CodeType, TracebackType, memoryview)
NOT_RAISABLE = "derive it from Exception"


def arguments(error: BaseException) -> tuple[Any, ...]:
    """Return the arguments of an exception; one of ours has its message."""
    return (error.message,) if isinstance(error, GradcliError) else tuple(map(shown_argument, error.args))


def shown_argument(argument: Any) -> Any:
    """Return an argument that snippets may read: classes as they see them, and the text of a value that holds code."""
    if isinstance(argument, type):
        return argument if is_shown(argument) else shown_type(argument)
    if type(argument) is tuple:
        return tuple(map(shown_argument, argument))
    return repr(argument) if isinstance(argument, CLOSED) else argument


def with_traceback(error: BaseException, _: Any = None) -> BaseException:
    """Return the exception as it is, for there are no tracebacks."""
    return error


def add_note(error: BaseException, note: str) -> None:
    """Keep a note with the exception."""
    error.add_note(note)


READ: dict[str, Callable[[Any], Any]] = {
    "args": arguments,
    **{name: attrgetter(name) for name in ("value", "name", "code", "errno", "strerror", "msg", "lineno", "pos")},
    "exceptions": attrgetter("exceptions"),
    "message": attrgetter("message"),
    "__class__": type_of,
    "__cause__": lambda error: error.__cause__,
    "__context__": lambda error: error.__context__,
    "__suppress_context__": lambda error: error.__suppress_context__,
    "__notes__": lambda error: error.__notes__,
    "__doc__": lambda error: python_class(error).__doc__,
    "with_traceback": lambda error: MethodType(with_traceback, error),
    "add_note": lambda error: MethodType(add_note, error),
}


def attribute(error: BaseException, name: str) -> Any:
    """`error.name`: set by the snippet, defined by its class, or common to every exception."""
    if not special.is_special(name) and name != PLACES and not isinstance(error, GradcliError):
        if name in vars(error):
            return vars(error)[name]
        if special.is_own(type(error).__mro__, name):
            return read(error, name)
    kind = python_class(error)
    if name in READ and (has(kind, name) or (not isinstance(error, GradcliError) and _holds(error, name))):
        return READ[name](error)
    if name in special.DEFINABLE and isinstance(kind, Defined):
        return special.guard_setter(read(error, name), name)
    if special.is_special(name) and has(kind, name):
        raise UnsupportedError(f"attribute {name!r} of {kind.__name__} is not supported here")
    if not special.is_special(name) and isinstance(kind, Defined):
        return read(error, name)
    raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")


def _holds(error: BaseException, name: str) -> bool:
    return name in vars(error) or has(type(error), name)


def set_attribute(error: BaseException, name: str, new: Any) -> None:
    """`error.name = new`, for names of its own and for `args`."""
    if special.is_special(name) or name == PLACES or isinstance(error, GradcliError):
        raise UnsupportedError(f"setting {name} of {python_class(error).__name__} is not supported here")
    setattr(error, name, new)


def exception_text(error: BaseException, represent: Callable[[Any], str], text: Callable[[Any], str]) -> str:
    """Return the text of `str(error)`."""
    kind = type(error)
    if isinstance(error, GradcliError):
        return snippet_wording(str(error))
    if isinstance(error, OSError) and len(error.args) > 1:
        return str(error)
    has_own_text = isinstance(_definer(kind, "__str__"), Defined) or kind.__module__.startswith("numpy.")
    if has_own_text or isinstance(error, BaseExceptionGroup):
        return str(error)
    if len(error.args) == 1:
        return represent(error.args[0]) if isinstance(error, KeyError) else snippet_wording(text(error.args[0]))
    return represent(error.args) if error.args else ""


def exception_repr(error: BaseException, represent: Callable[[Any], str]) -> str:
    """Return the text of `repr(error)`."""
    kind = type(error)
    if isinstance(kind, Defined) and isinstance(_definer(kind, "__repr__"), Defined):
        return repr(error)
    return f"{python_class(error).__name__}({', '.join(map(represent, arguments(error)))})"


def _definer(kind: type, name: str) -> type:
    """Return the class from which a special method comes."""
    return next(base for base in kind.__mro__ if name in vars(base))


def raisable(value: Any, otherwise: str) -> BaseException:
    """Return the exception that `raise value` raises."""
    kind = value.python if isinstance(value, BuiltinType) else value
    if isinstance(kind, type) and issubclass(kind, BaseException):
        value = value()
    if isinstance(value, BaseException) and not isinstance(value, RAISABLE):
        raise UnsupportedError(f"{type(value).__name__} cannot be raised here", python=TypeError, help=NOT_RAISABLE)
    return value if isinstance(value, BaseException) else TypeError(otherwise)
