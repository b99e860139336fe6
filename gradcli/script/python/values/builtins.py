"""The builtins of snippets."""

from __future__ import annotations

import builtins as python
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.python.text.formatting import format_field, represent, text
from gradcli.script.python.values import special
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.iteration import CONSTRUCTORS, ITERATION
from gradcli.script.python.values.kinds import NAMED_TYPES as NAMED_TYPES
from gradcli.script.python.values.kinds import TYPES as TYPES
from gradcli.script.python.values.kinds import (
    BuiltinType,
    Facade,
    is_shown,
    python_isinstance,
    python_issubclass,
    shown_name,
)
from gradcli.script.python.values.kinds import python_types as python_types
from gradcli.script.python.values.kinds import type_of as type_of
from gradcli.script.python.values.natives import MEMBERS, descriptor
from gradcli.script.python.values.nesting import bounds, hashable
from gradcli.script.python.values.operators import power, python_round
from gradcli.script.python.values.reflection import (
    delete_named,
    python_dir,
    python_getattr,
    python_hasattr,
    python_vars,
    set_named,
)

EXCEPTIONS = (
    "Exception ValueError TypeError RuntimeError IndexError KeyError AttributeError NameError UnboundLocalError "
    "ZeroDivisionError ArithmeticError OverflowError FloatingPointError AssertionError NotImplementedError "
    "RecursionError StopIteration ImportError ModuleNotFoundError LookupError MemoryError OSError IOError "
    "FileNotFoundError PermissionError TimeoutError EOFError BufferError ReferenceError UnicodeError SyntaxError "
    "KeyboardInterrupt GeneratorExit Warning UserWarning DeprecationWarning FutureWarning RuntimeWarning "
    "BaseException SystemExit SystemError BaseExceptionGroup ExceptionGroup ConnectionError FileExistsError "
    "IsADirectoryError NotADirectoryError InterruptedError StopAsyncIteration IndentationError UnicodeDecodeError "
    "UnicodeEncodeError PendingDeprecationWarning ResourceWarning SyntaxWarning ImportWarning"
)


def python_print(*values: Any, **options: Any) -> None:
    for name, given in options.items():
        if name not in ("sep", "end", "file", "flush"):
            raise TypeError(f"{name!r} is an invalid keyword argument for print()")
        if name in ("sep", "end") and not (given is None or isinstance(given, str)):
            raise TypeError(f"{name} must be None or a string, not {type(given).__name__}")
    separator, last = options.get("sep"), options.get("end")
    separator, last = " " if separator is None else separator, "\n" if last is None else last
    if options.get("file") is None:
        running.machine.write(separator.join(map(text, values)) + last)
        return
    write = attribute(options["file"], "write")
    for place, value in enumerate(values):
        if place:
            write(separator)
        write(text(value))
    write(last)


def python_pow(base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is not None:
        raise UnsupportedError("pow() with a modulus is not supported here", help="write base**exp % mod")
    return power(base, exp)


def python_next(items: Any, *default: Any) -> Any:
    if not hasattr(type(items), "__next__"):
        raise TypeError(f"{type(items).__name__!r} object is not an iterator")
    return next(items, *default)


def python_int(value: Any = 0, *position: int, **base: int) -> int:
    if isinstance(value, str) and (position or base):
        running.machine.budget.bits(len(value) * 4 - 2**16)  # digits of base 2, 4, ... have no limit of Python's
    number = int(value, *position, **base)
    if running.machine.timeline is not None:
        running.machine.timeline.cut(value, number, "int()")
    return number


def python_float(*value: Any, **named: Any) -> float:
    number = float(*value, **named)
    if running.machine.timeline is not None and value:
        running.machine.timeline.cut(*value, number, "float()")
    return number


def python_str(value: Any = "") -> str:
    return text(value)


def python_hash(value: Any) -> int:
    return id(value) if isinstance(value, Tensor) else hash(hashable(value))


def unavailable(name: str, instead: str) -> Callable[..., Any]:
    def refuse(*arguments: Any, **keywords: Any) -> Any:
        raise UnsupportedError(f"{name}() is not available to snippets", python=NameError, help=instead)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


UNAVAILABLE = {
    "eval": "write the expression itself",
    "exec": "write the statements themselves",
    "compile": "write the statements themselves",
    "open": "snippets have no files: write the data into the snippet",
    "input": "snippets have no input: assign the value",
    "globals": "name the variable",
    "locals": "name the variable",
    "breakpoint": "print what you want to know",
    "exit": "let the snippet end",
    "quit": "let the snippet end",
    "help": "see gradcli ops NAME",
    "license": "print what you want to know",
    "memoryview": "use a list",
    "bytearray": "use a list",
    "bytes": "use a list",
    "complex": "use two numbers",
    "__import__": "write import at the beginning",
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **ITERATION, "print": python_print, "len": len, "abs": abs, "round": python_round, "pow": python_pow,
    "divmod": divmod,
    "next": python_next, "isinstance": python_isinstance, "issubclass": python_issubclass,
    "getattr": python_getattr, "hasattr": python_hasattr,
    "setattr": set_named, "delattr": delete_named, "vars": python_vars, "dir": python_dir, "id": id,
    "hash": python_hash,
    "repr": represent, "format": format_field, "callable": callable, "chr": chr, "ord": ord, "bin": bin, "hex": hex,
    "oct": oct, "ascii": lambda value: format_field(value, "", "a"),
}  # fmt: skip


class object_(Facade):  # noqa: N801  named in messages
    """An object that `object()` makes."""

    def __repr__(self) -> str:
        return f"<object object at {id(self):#x}>"


def plain_repr(value: Any, /) -> str:
    """`object.__repr__`."""
    return Facade.__repr__(value) if isinstance(value, Facade) else f"<{shown_name(value)} object at {id(value):#x}>"


def python_type(*arguments: Any, **options: Any) -> Any:
    if len(arguments) == 3:
        return import_module("gradcli.script.python.functions.classes").named_class(*arguments, **options)
    if len(arguments) != 1:
        raise TypeError("type() takes 1 or 3 arguments")
    return type_of(arguments[0])


def python_super(*arguments: Any) -> Any:
    """`super(kind, value)`, of classes that snippets have."""
    for argument in arguments[:1]:
        if not (isinstance(argument, type) and is_shown(argument)):
            raise TypeError(f"super() argument 1 must be a type, not {type(argument).__name__}")
    return super(*arguments)


def _property(fget: Any = None, fset: Any = None, fdel: Any = None, doc: Any = None) -> property:
    return property(fget, fset, fdel, doc)


KINDS: dict[str, tuple[type, Callable[..., Any] | None]] = {
    **CONSTRUCTORS, "int": (int, python_int), "float": (float, python_float), "bool": (bool, bool),
    "str": (str, python_str),
    "type": (type, python_type), "object": (object, object_), "slice": (slice, lambda *parts: bounds(*_slice(parts))),
    "property": (property, descriptor(_property)), "staticmethod": (staticmethod, descriptor(staticmethod)),
    "classmethod": (classmethod, descriptor(classmethod)), "super": (super, python_super),
}  # fmt: skip


def _slice(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    if not 1 <= len(parts) <= 3:
        raise TypeError(
            f"slice expected at {'least 1 argument' if not parts else 'most 3 arguments'}, got {len(parts)}"
        )
    return (None, *parts) if len(parts) == 1 else parts


TYPES[object_] = TYPES[object] = BuiltinType(
    "object",
    object,
    object_,
    {
        "__init__": object.__init__,
        "__new__": object.__new__,
        "__repr__": plain_repr,
        "__setattr__": special.guard_setter(object.__setattr__, "__setattr__"),
    },
)


def builtins() -> dict[str, Any]:
    """The names that every snippet starts with."""
    names: dict[str, Any] = {name: unavailable(name, instead) for name, instead in UNAVAILABLE.items()}
    for name, function in FUNCTIONS.items():
        if not hasattr(function, "__self__"):
            function.__name__ = function.__qualname__ = name
        names[name] = function
    for name, (kind, construct) in KINDS.items():
        if isinstance(construct, FunctionType):
            construct.__name__ = construct.__qualname__ = name
        names[name] = TYPES.setdefault(kind, BuiltinType(name, kind, construct, MEMBERS.get(kind)))
    for name in EXCEPTIONS.split():
        kind = getattr(python, name)
        names[name] = TYPES.setdefault(kind, BuiltinType(name, kind, kind))
    return {**names, "__name__": "__main__", "NotImplemented": NotImplemented, "Ellipsis": ..., "__debug__": True}
