"""The text of values: print, str, repr and f-strings, never longer than the limits allow.

Containers are written here and not by Python, because tensors inside them look as torch's do, and because a list that
holds itself many times over has a text that no memory holds.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType, MethodType
from typing import Any

from gradcli.script.limits import DEPTH
from gradcli.script.machine import running
from gradcli.script.python.values.failures import exception_repr, exception_text
from gradcli.script.python.values.kinds import (
    BuiltinType,
    Defined,
    Facade,
    full_name,
    is_own_function,
    shown_type,
    type_of,
)
from gradcli.script.python.values.readonly import Attributes, Held, Ordered, ReadOnly

Writer = Callable[[Any], str]

# The texts of values of our own kinds; facades add theirs (`repr`, and `format` with a specification).
REPRESENTATIONS: dict[type, Writer] = {}
FORMATS: dict[type, Callable[[Any, str], str]] = {}

WIDEST = 10_000  # of a field
NUMBER_OF_DIGITS = re.compile(r"\d+")
PLAIN = (int, float, str, bool, type(None))
# The brackets around the items of each kind of container, and the text of an empty one.
BRACKETS: dict[type, tuple[str, str, str]] = {
    OrderedDict: ("OrderedDict([", "])", "OrderedDict()"),  # of pairs, as Python 3.11 writes it
    Ordered: ("OrderedDict([", "])", "OrderedDict()"),
    list: ("[", "]", "[]"),
    tuple: ("(", ")", "()"),
    set: ("{", "}", "set()"),
    frozenset: ("frozenset({", "})", "frozenset()"),
    dict: ("{", "}", "{}"),
    ReadOnly: ("{", "}", "{}"),
    Attributes: ("{", "}", "{}"),
    type(OrderedDict().keys()): ("odict_keys([", "])", "odict_keys([])"),
    type(OrderedDict().values()): ("odict_values([", "])", "odict_values([])"),
    type(OrderedDict().items()): ("odict_items([", "])", "odict_items([])"),
    type({}.keys()): ("dict_keys([", "])", "dict_keys([])"),
    type({}.values()): ("dict_values([", "])", "dict_values([])"),
    type({}.items()): ("dict_items([", "])", "dict_items([])"),
    slice: ("slice(", ")", ""),
}
CONTAINERS = tuple(BRACKETS)
MAPPINGS = (dict, Held)


def represent(value: Any) -> str:
    """Return the text of `repr(value)`."""
    if type(value) in PLAIN:
        return repr(value)
    if not isinstance(value, CONTAINERS) or _has_own(type(value)):
        return _single(value)
    return contents(value)


def contents(value: Any) -> str:
    """Return the text of a container, past a `__repr__` of its class."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value):
        length += len(piece)
        if len(pieces) % 1024 == 0:
            running.machine.budget.spend(1)
            running.machine.budget.fits(length, "the text")
        pieces.append(piece)
    return "".join(pieces)


def join_items(opening: str, items: Iterable[tuple[str, Any]], closing: str) -> str:
    """Join items, each with the words before it, between two brackets; measured after each."""
    text = opening
    for position, (words, value) in enumerate(items):
        text += ", " * (position > 0) + words + represent(value)
        running.machine.budget.fits(len(text), "the text")
    return text + closing


def with_fields(name: str, fields: Iterable[tuple[str, Any]]) -> str:
    """Return `Name(field=value, ...)`."""
    return join_items(f"{name}(", ((f"{field}=", value) for field, value in fields), ")")


def _single(value: Any) -> str:
    kind = type(value)
    for base in kind.__mro__:
        if base in REPRESENTATIONS:
            return REPRESENTATIONS[base](value)
        if isinstance(base, Defined) and "__repr__" in vars(base):
            return repr(value)
    if isinstance(value, BaseException):
        return exception_repr(value, represent)
    if isinstance(value, FunctionType | MethodType):
        return _function(value)
    if isinstance(value, type) and not isinstance(value, Defined):
        return repr(shown_type(value)) if value.__module__ == "builtins" else f"<class '{full_name(value)}'>"
    return repr(value)


def _function(value: Any) -> str:
    if isinstance(value, MethodType):
        is_in_python = value.__func__.__qualname__.startswith("Tensor.")  # a method that torch wrote in Python
        if is_in_python or is_own_function(value) or isinstance(value.__self__, Facade | type):
            return f"<bound method {value.__func__.__qualname__} of {represent(value.__self__)}>"
        kind = type_of(value.__self__)
        shown = kind.name if isinstance(kind, BuiltinType) else kind.__name__
        return f"<built-in method {value.__name__} of {shown} object at {id(value):#x}>"
    return repr(value) if is_own_function(value) else f"<built-in function {value.__name__}>"


def _pieces(value: Any) -> Iterator[str]:
    """Yield the text of a container, piece by piece, without recursion."""
    stack: list[Iterator[tuple[str, Any]]] = [_parts(value)]
    inside: set[int] = {id(value)}
    while stack:
        what, item = next(stack[-1], ("end", None))
        if what == "end":
            stack.pop()
        elif what == "text":
            yield str(item)
        elif what == "leave":
            inside.discard(item)
        elif type(item) in PLAIN:
            yield repr(item)
        elif not isinstance(item, CONTAINERS) or _has_own(type(item)):
            yield _single(item)
        elif id(item) in inside:
            yield "{...}" if isinstance(item, MAPPINGS) else "(...)" if isinstance(item, tuple) else "[...]"
        elif len(inside) >= DEPTH:
            raise RecursionError("maximum recursion depth exceeded while getting the repr of an object")
        else:
            inside.add(id(item))
            stack.append(_parts(item))


def _has_own(kind: type) -> bool:
    """Whether a kind of value has a text of its own, declared by a facade or defined by the snippet."""
    return _is_declared(kind) or _defines(kind, "__repr__")


def _is_declared(kind: type) -> bool:
    return any(base in REPRESENTATIONS for base in kind.__mro__)


def _defines(kind: type, name: str) -> bool:
    return isinstance(kind, Defined) and any(isinstance(base, Defined) and name in vars(base) for base in kind.__mro__)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the brackets, commas and items of one container."""
    kind = next(kind for kind in CONTAINERS if isinstance(value, kind))
    opened, closed, empty = BRACKETS[kind]
    has_colons = isinstance(value, MAPPINGS) and kind not in (OrderedDict, Ordered)
    if isinstance(value, slice):
        items: list[Any] = [value.start, value.stop, value.step]
    else:
        items = list(value.items() if isinstance(value, MAPPINGS) else value)
    yield "text", opened if items else empty
    for position, item in enumerate(items):
        if position:
            yield "text", ", "
        if has_colons:
            yield "value", item[0]
            yield "text", ": "
            item = item[1]
        yield "value", item
    if kind is tuple and len(items) == 1:
        yield "text", ","
    if items:
        yield "text", closed
    yield "leave", id(value)


def text(value: Any) -> str:
    """Return the text of `str(value)` and `print(value)`."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]
    if kind is int or kind is float:
        return str(value)
    if isinstance(value, BaseException):
        return exception_text(value, represent, text)
    if isinstance(value, CONTAINERS) or _is_declared(kind):
        return str(value) if _defines(kind, "__str__") else represent(value)
    if kind in PLAIN or (isinstance(kind, Defined) and not isinstance(value, type)):
        return str(value)
    definer = next((base for base in kind.__mro__ if "__str__" in vars(base)), object)
    return represent(value) if definer is object else str(value)


def format_field(value: Any, spec: str = "", conversion: str = "") -> str:
    """One field of an f-string or of `str.format`."""
    if conversion == "r":
        value = represent(value)
    elif conversion == "s":
        value = text(value)
    elif conversion == "a":
        value = represent(value).encode("ascii", "backslashreplace").decode()
    if not isinstance(spec, str):
        raise TypeError(f"format() argument 2 must be str, not {type(spec).__name__}")
    check_width(spec)
    for kind in type(value).__mro__:
        if kind in FORMATS:
            return FORMATS[kind](value, spec)
        if isinstance(kind, Defined) and "__format__" in vars(kind):
            return format(value, spec)
    if not spec:
        return text(value)
    if not isinstance(value, str | int | float | complex):
        name = "type" if isinstance(value, type) else type(value).__name__
        raise TypeError(f"unsupported format string passed to {name}.__format__")
    return format(value, spec)


def check_width(spec: str) -> None:
    """Refuse a field that is wider than any page."""
    for digits in NUMBER_OF_DIGITS.findall(spec):
        if len(digits) > 9 or int(digits) > WIDEST:
            running.machine.budget.fits(10**18 if len(digits) > 17 else int(digits) * 10**6, "this field")
