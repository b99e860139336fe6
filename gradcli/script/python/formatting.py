"""The text of values: print, str, repr, f-strings, `%` and str.format, never longer than the limits allow.

Containers are written here and not by Python, because tensors inside them look as torch's do, and because a list that
holds itself many times over has a text that no memory holds.
"""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from string import Formatter
from typing import Any

from gradcli.script.machine import running

Writer = Callable[[Any], str]

# How values of our own kinds are written; facades add theirs (`repr`, and `format` with a specification).
REPRESENTATIONS: dict[type, Writer] = {}
FORMATS: dict[type, Callable[[Any, str], str]] = {}

WIDEST = 10_000  # of a field
NUMBER_OF_DIGITS = re.compile(r"\d+")
BRACKETS: dict[type, tuple[str, str]] = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), dict: ("{", "}")}
CONVERSION = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?(?P<kind>.)"
)


def represent(value: Any) -> str:
    """What `repr` gives."""
    if type(value) not in BRACKETS and not isinstance(value, dict | list | set | frozenset):
        return _single(value)
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value):
        length += len(piece)
        if len(pieces) % 1024 == 0:
            running.machine.budget.spend(1)
            running.machine.budget.fits(length, "the text")
        pieces.append(piece)
    return "".join(pieces)


def _single(value: Any) -> str:
    for kind in type(value).__mro__:
        if kind in REPRESENTATIONS:
            return REPRESENTATIONS[kind](value)
    return repr(value)


def _pieces(value: Any) -> Iterator[str]:
    """The text of a container, piece by piece, without recursion."""
    stack: list[Iterator[tuple[str, Any]]] = [iter([("value", value)])]
    inside: list[int] = []
    while stack:
        what, item = next(stack[-1], ("end", None))
        if what == "end":
            stack.pop()
        elif what == "text":
            yield str(item)
        elif what == "leave":
            inside.pop()
        elif not isinstance(item, tuple(BRACKETS)) or type(item) in REPRESENTATIONS:
            yield _single(item)
        elif id(item) in inside:
            yield "{...}" if isinstance(item, dict) else "[...]"
        else:
            inside.append(id(item))
            stack.append(_parts(item))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Brackets, commas and items of one container."""
    kind = next(kind for kind in BRACKETS if isinstance(value, kind))
    opened, closed = ("set()", "") if kind is set and not value else BRACKETS[kind]
    if isinstance(value, OrderedDict):
        opened, closed, value = _ordered(value)
    elif kind is not type(value) and isinstance(value, dict):
        opened, closed = f"{type(value).__name__}({opened}", f"{closed})"
    yield "text", opened
    for position, item in enumerate(list(value.items()) if isinstance(value, dict) else list(value)):
        if position:
            yield "text", ", "
        if isinstance(value, dict):
            yield "value", item[0]
            yield "text", ": "
            yield "value", item[1]
        else:
            yield "value", item
    if kind is tuple and len(value) == 1:
        yield "text", ","
    yield "text", closed
    yield "leave", None


def _ordered(value: OrderedDict[Any, Any]) -> tuple[str, str, Any]:
    """The brackets and items of an OrderedDict: pairs, until Python 3.12."""
    if not value:
        return "OrderedDict(", ")", []
    if sys.version_info >= (3, 12):
        return "OrderedDict({", "})", dict(value)
    return "OrderedDict([", "])", list(value.items())


def text(value: Any) -> str:
    """What `str` and `print` give."""
    if isinstance(value, str):
        return value
    if isinstance(value, BaseException):
        return str(value)
    kind = type(value)
    if kind in BRACKETS or kind in REPRESENTATIONS:
        return represent(value)
    has_own = any("__str__" in vars(base) for base in kind.__mro__[:-1])
    return str(value) if has_own and not isinstance(value, dict) else represent(value)


def formatted(value: Any, spec: str = "", conversion: str = "") -> str:
    """One field of an f-string or of `str.format`."""
    if conversion == "r":
        value = represent(value)
    elif conversion == "s":
        value = text(value)
    elif conversion == "a":
        value = represent(value).encode("ascii", "backslashreplace").decode()
    check_width(spec)
    for kind in type(value).__mro__:
        if kind in FORMATS:
            return FORMATS[kind](value, spec)
    if not spec or not isinstance(value, str | int | float):
        if spec:
            raise TypeError(f"unsupported format string passed to {type(value).__name__}.__format__")
        return text(value)
    return format(value, spec)


def check_width(spec: str) -> None:
    """Refuse a field that is wider than any page."""
    for digits in NUMBER_OF_DIGITS.findall(spec):
        if len(digits) > 9 or int(digits) > WIDEST:
            running.machine.budget.fits(10**18 if len(digits) > 17 else int(digits) * 10**6, "this field")


def format_text(template: str, *arguments: Any, **named: Any) -> str:
    """`str.format`, whose fields reach items and attributes only as the snippet itself could."""
    return _fields(template, arguments, named, iter(range(len(arguments) + 1)), 2)


def _fields(template: str, arguments: tuple[Any, ...], named: dict[str, Any], count: Iterator[int], depth: int) -> str:
    if depth < 0:
        raise ValueError("Max string recursion exceeded")
    from gradcli.script.python.attributes import attribute

    pieces = []
    for literal, field, spec, conversion in Formatter().parse(template):
        pieces.append(literal)
        if field is None:
            continue
        first, rest = _path(field)
        if first == "":
            first = next(count, len(arguments))
        if isinstance(first, int) and first >= len(arguments):
            raise IndexError(f"Replacement index {first} out of range for positional args tuple")
        value = arguments[first] if isinstance(first, int) else named[first]
        for is_attribute, key in rest:
            value = attribute(value, str(key)) if is_attribute else value[key]
        pieces.append(formatted(value, _fields(spec or "", arguments, named, count, depth - 1), conversion or ""))
        running.machine.budget.fits(sum(map(len, pieces)), "the text")
    return "".join(pieces)


def _path(field: str) -> tuple[Any, list[tuple[bool, Any]]]:
    """`0.name[key]` as its first part, and what follows as (is an attribute, key)."""
    first = re.match(r"[^.\[]*", field)
    assert first is not None
    rest = [
        (bool(name), name or (int(key) if key.isdigit() else key))
        for name, key in re.findall(r"\.([^.\[]+)|\[([^\]]*)\]", field[first.end() :])
    ]
    start = first.group()
    return (int(start) if start.isdigit() else start), rest


def percent(template: str, values: Any) -> str:
    """`template % values`."""
    mapping = values if isinstance(values, dict) else None
    waiting = iter(values if isinstance(values, tuple) else (values,))
    converted: list[Any] = []

    def following() -> Any:
        for value in waiting:
            return value
        raise TypeError("not enough arguments for format string")

    def field(match: re.Match[str]) -> str:
        parts = match.groupdict()
        if parts["kind"] == "%":
            return "%%"
        for part in (parts["width"], parts["precision"] or ""):
            if part.endswith("*"):
                converted.append(following())
                check_width(str(converted[-1]))
        check_width(f"{parts['width']} {parts['precision'] or ''}")
        value = following() if parts["key"] is None else (mapping or {})[parts["key"]]
        converted.append(_for_percent(value, parts["kind"]))
        kind = "s" if parts["kind"] in "ra" else parts["kind"]
        return f"%{parts['flags']}{parts['width']}{parts['precision'] or ''}{kind}"

    running.machine.budget.fits(len(template), "the text")
    plain = CONVERSION.sub(field, template)
    if mapping is None and next(waiting, converted) is not converted:
        raise TypeError("not all arguments converted during string formatting")
    return plain % tuple(converted)


def _for_percent(value: Any, kind: str) -> Any:
    if kind == "s":
        return text(value)
    if kind in "ra":
        return represent(value)
    if kind == "c" or isinstance(value, int | float):
        return value
    return float(value) if hasattr(value, "__float__") else value
