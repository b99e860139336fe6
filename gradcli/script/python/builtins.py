"""The builtins of snippets."""

from __future__ import annotations

import ast
import builtins as python
from collections.abc import Callable, Iterator
from operator import length_hint
from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.script.errors import UnsupportedError, python_class
from gradcli.script.machine import running
from gradcli.script.python.attributes import BuiltinType, Namespace, attribute, set_attribute
from gradcli.script.python.formatting import formatted, represent, text
from gradcli.script.python.operators import BINARY, bounded, power

EXCEPTIONS = (
    "Exception ValueError TypeError RuntimeError IndexError KeyError AttributeError NameError UnboundLocalError "
    "ZeroDivisionError ArithmeticError OverflowError FloatingPointError AssertionError NotImplementedError "
    "RecursionError StopIteration ImportError ModuleNotFoundError LookupError MemoryError OSError "
    "FileNotFoundError KeyboardInterrupt Warning UserWarning DeprecationWarning FutureWarning RuntimeWarning "
    "BaseException"
)


def print_(*values: Any, sep: str | None = None, end: str | None = None, file: Any = None, flush: bool = False) -> None:
    separator, last = " " if sep is None else sep, "\n" if end is None else end
    if file is not None and getattr(file, "name", "") == "sys.stderr":
        return
    running.machine.write(separator.join(map(text, values)) + last)


def length(value: Any) -> int:
    return len(value)


def ticking(value: Any) -> Any:
    """Something to go through lazily: what is endless for practical purposes counts its steps."""
    if length_hint(value) > running.machine.budget.limits.elements:
        return _counted(value)
    return iter(value)


def _counted(values: Any) -> Iterator[Any]:
    for value in values:
        running.machine.budget.spend(1)
        yield value


def sum_(items: Any, start: Any = 0) -> Any:
    """One by one, for a sum of lists grows, and tensors are added as `+` adds them."""
    add, total = BINARY[ast.Add], start
    if isinstance(start, str):
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    for item in bounded(items):
        total = add(total, item)
    return total


def _finite(function: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin that goes through its first argument to the end."""

    def call(items: Any, *rest: Any, **keywords: Any) -> Any:
        return function(bounded(items), *rest, **keywords)

    return call


def _lazy(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*items: Any, **keywords: Any) -> Any:
        return function(*map(ticking, items), **keywords)

    return call


def map_(called: Any, *items: Any) -> Any:
    return map(called, *map(ticking, items))


def filter_(called: Any, items: Any) -> Any:
    return filter(called, ticking(items))


def enumerate_(items: Any, start: int = 0) -> Any:
    return enumerate(ticking(items), start)


def extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def find(*items: Any, **keywords: Any) -> Any:
        return function(*(map(bounded, items) if len(items) == 1 else items), **keywords)

    return find


def python_types(kinds: Any) -> tuple[type, ...]:
    """The Python types behind what a snippet gives to isinstance."""
    if isinstance(kinds, tuple):
        return tuple(one for kind in kinds for one in python_types(kind))
    if isinstance(kinds, BuiltinType):
        return kinds.python if isinstance(kinds.python, tuple) else (kinds.python,)
    if isinstance(kinds, type):
        return (kinds,)
    raise TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")


def isinstance_(value: Any, kinds: Any) -> bool:
    own = kinds if isinstance(kinds, tuple) else (kinds,)
    if any(kind is type_of(value) for kind in own):
        return True
    return isinstance(value, python_types(kinds))


def issubclass_(value: Any, kinds: Any) -> bool:
    (kind,) = python_types(value)[:1]
    return issubclass(kind, python_types(kinds))


TYPES: dict[type, BuiltinType] = {}
NAMED_TYPES: list[Callable[[Any], BuiltinType | None]] = []


def type_of(value: Any) -> Any:
    """`type(value)` as snippets see it."""
    kind: type = python_class(value) if isinstance(value, BaseException) else type(value)
    if kind in TYPES:
        return TYPES[kind]
    for find in NAMED_TYPES:
        found = find(value)
        if found is not None:
            return found
    if kind.__module__ == "__main__" or hasattr(kind, "__facade__"):
        return kind
    TYPES[kind] = BuiltinType("module" if kind is Namespace else "type" if kind is BuiltinType else kind.__name__, kind)
    return TYPES[kind]


MISSING = object()


def getattr_(value: Any, name: str, default: Any = MISSING) -> Any:
    """`getattr`; with a default, a name that is not supported is one that is not there."""
    try:
        return attribute(value, name)
    except (AttributeError, UnsupportedError):
        if default is MISSING:
            raise
        return default


def hasattr_(value: Any, name: str) -> bool:
    absent = object()
    return getattr_(value, name, absent) is not absent


def round_(value: Any, digits: Any = None) -> Any:
    if isinstance(value, Tensor):
        return attribute(value, "round")() if digits is None else attribute(value, "round")(decimals=digits)
    return round(value) if digits is None else round(value, digits)


def pow_(base: Any, exponent: Any, modulus: Any = None) -> Any:
    return power(base, exponent) if modulus is None else pow(base, exponent, modulus)


def next_(items: Any, *default: Any) -> Any:
    if not hasattr(items, "__next__"):
        raise TypeError(f"{type(items).__name__!r} object is not an iterator")
    return next(items, *default)


def int_(value: Any = 0, *position: int, **base: int) -> int:
    return int(value, *position, **base)


def iter_(value: Any, *sentinel: Any) -> Iterator[Any]:
    return _counted(iter(value, *sentinel)) if sentinel else ticking(value)


def reversed_(value: Any) -> Iterator[Any]:
    return ticking(reversed(value))  # type: ignore[no-any-return]


def range_(*bounds: Any) -> range:
    return range(*bounds)


def dict_(*items: Any, **named: Any) -> dict[Any, Any]:
    return dict(*map(bounded, items), **named)


def str_(value: Any = "") -> str:
    return text(value)


def object_() -> Any:
    raise UnsupportedError(
        "bare objects are not supported here", python=TypeError, help="write class Name: ... and Name()"
    )


def unavailable(name: str, instead: str) -> Callable[..., Any]:
    def refuse(*arguments: Any, **keywords: Any) -> Any:
        raise UnsupportedError(f"{name}() is not available to snippets", python=NameError, help=instead)

    return refuse


UNAVAILABLE = {
    "eval": "write the expression itself",
    "exec": "write the statements themselves",
    "compile": "write the statements themselves",
    "open": "snippets have no files: write the data into the snippet",
    "input": "snippets have no input: assign the value",
    "__import__": "write import torch",
    "globals": "name the variable",
    "locals": "name the variable",
    "vars": "name the attribute",
    "dir": "see gradcli ops for the operations",
    "breakpoint": "print what you want to know",
    "exit": "let the snippet end",
    "quit": "let the snippet end",
    "help": "see gradcli ops NAME",
    "memoryview": "use a list",
    "bytearray": "use a list",
    "bytes": "use a list",
    "delattr": "write del value.name",
}

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "print": print_, "len": length, "sum": sum_, "map": map_, "filter": filter_, "enumerate": enumerate_,
    "min": extreme(min), "max": extreme(max), "sorted": _finite(sorted), "any": _finite(any), "all": _finite(all),
    "zip": _lazy(zip), "reversed": reversed_, "abs": abs, "round": round_, "pow": pow_, "divmod": divmod, "iter": iter_,
    "next": next_, "isinstance": isinstance_, "issubclass": issubclass_, "getattr": getattr_, "hasattr": hasattr_,
    "setattr": set_attribute, "id": id, "hash": hash, "repr": represent, "format": formatted, "callable": callable,
    "chr": chr, "ord": ord, "bin": bin, "hex": hex, "oct": oct,
}  # fmt: skip

KINDS: dict[str, tuple[type, Callable[..., Any] | None]] = {
    "int": (int, int_), "float": (float, float), "bool": (bool, bool), "str": (str, str_), "range": (range, range_),
    "list": (list, lambda *items: list(*map(bounded, items))),
    "tuple": (tuple, lambda *items: tuple(*map(bounded, items))), "dict": (dict, dict_),
    "set": (set, lambda *items: set(*map(bounded, items))),
    "frozenset": (frozenset, lambda *items: frozenset(*map(bounded, items))),
    "type": (type, type_of), "object": (object, object_), "slice": (slice, slice), "property": (property, property),
    "staticmethod": (staticmethod, staticmethod), "classmethod": (classmethod, classmethod), "super": (super, super),
    "complex": (complex, None), "NoneType": (type(None), None),
}  # fmt: skip


def builtins() -> dict[str, Any]:
    """The names that every snippet starts with."""
    found: dict[str, Any] = {name: unavailable(name, instead) for name, instead in UNAVAILABLE.items()}
    found.update(FUNCTIONS)
    for name, (kind, construct) in KINDS.items():
        members = {"fromkeys": dict.fromkeys} if kind is dict else {}
        found[name] = TYPES.setdefault(kind, BuiltinType(name, kind, construct, members))
    for name in EXCEPTIONS.split():
        kind = getattr(python, name)
        found[name] = TYPES.setdefault(kind, BuiltinType(name, kind, kind))
    del found["NoneType"]
    return {**found, "__name__": "__main__", "NotImplemented": NotImplemented, "Ellipsis": ...}
