"""`%` and `str.format`: texts with fields, which reach values only as the snippet itself could."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.values.formatting import check_width, formatted
from gradcli.script.python.values.nesting import ATOMS

CONVERSION = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?[hlL]?(?P<kind>.?)", re.S
)
UNSURE = re.compile(r"\d{5}|\*")  # what may be a wide field


class Arguments:
    """What a template was given, and how its fields find it."""

    def __init__(self, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.values = values
        self.named = named
        self.count = 0
        self.is_numbered: bool | None = None

    def find(self, first: str) -> Any:
        """The value of a field's name or number; one without takes the next."""
        if first == "" or first.isdigit():
            if self.is_numbered is (first == ""):
                ways = ("automatic field numbering to manual field specification", "manual field specification to")
                words = ways[0] if first else f"{ways[1]} automatic field numbering"
                raise ValueError(f"cannot switch from {words}")
            self.is_numbered = first != ""
            position = int(first) if first else self.count
            self.count += 1
            if position >= len(self.values):
                raise IndexError(f"Replacement index {position} out of range for positional args tuple")
            return self.values[position]
        return self.named[first]


def format_text(template: str, *arguments: Any, **named: Any) -> str:
    """`str.format`."""
    return _fields(template, Arguments(arguments, named), 2)


def _fields(template: str, arguments: Arguments, depth: int) -> str:
    from gradcli.script.python.values.attributes import attribute

    if depth < 1:
        raise ValueError("Max string recursion exceeded")
    pieces: list[str] = []
    length = 0
    for literal, field, spec, conversion in Formatter().parse(template):
        pieces.append(literal)
        if field is not None:
            if conversion not in (None, "r", "s", "a"):
                raise ValueError(f"Unknown conversion specifier {conversion!s}")
            first, rest = _path(field)
            value = arguments.find(first)
            for is_attribute, key in rest:
                value = attribute(value, str(key)) if is_attribute else value[key]
            pieces.append(formatted(value, _fields(spec, arguments, depth - 1) if spec else "", conversion or ""))
        length += len(literal) + len(pieces[-1])
        running.machine.budget.fits(length, "the text")
    return "".join(pieces)


def _path(field: str) -> tuple[str, list[tuple[bool, Any]]]:
    """`0.name[key]` as its first part, and what follows as (is an attribute, key)."""
    first = re.match(r"[^.\[]*", field)
    assert first is not None
    rest = [
        (bool(name), name or (int(key) if key.isdigit() else key))
        for name, key in re.findall(r"\.([^.\[]+)|\[([^\]]*)\]", field[first.end() :])
    ]
    return first.group(), rest


class Values:
    """What stands right of `%`: a mapping, a tuple of values, or one value."""

    def __init__(self, given: Any) -> None:
        is_mapping = hasattr(type(given), "__getitem__") and not isinstance(given, tuple | str)
        self.mapping = given if is_mapping else None
        self.waiting: Iterator[Any] = iter(given if isinstance(given, tuple) else (given,))

    def next(self, key: str | None = None) -> Any:
        if key is not None:
            if self.mapping is None:
                raise TypeError("format requires a mapping")
            return self.mapping[key]
        for value in self.waiting:
            return value
        raise TypeError("not enough arguments for format string")


def percent(template: str, given: Any) -> str:
    """`template % given`."""
    running.machine.budget.fits(len(template), "the text")
    plain = given if type(given) is tuple else (given,)
    if ATOMS.issuperset(map(type, plain)) and not UNSURE.search(template):
        return str(template % given)
    values, pieces, end, length = Values(given), list[str](), 0, 0
    for match in CONVERSION.finditer(template):
        pieces += [template[end : match.start()], _converted(match, values)]
        end = match.end()
        length += len(pieces[-1]) + len(pieces[-2])
        running.machine.budget.fits(length, "the text")
    if values.mapping is None and next(values.waiting, values) is not values:
        raise TypeError("not all arguments converted during string formatting")
    return "".join([*pieces, template[end:]])


def _converted(match: re.Match[str], values: Values) -> str:
    kind, flags = match["kind"], match["flags"]
    if kind == "%":
        return "%"
    if not kind:
        raise ValueError("incomplete format")
    width, precision = match["width"], match["precision"]
    if width == "*":
        width = str(_whole(values.next()))
    if precision == ".*":
        precision = f".{_whole(values.next())}"
    check_width(f"{width} {precision or ''}")
    value = values.next(match["key"])
    if kind not in "diouxXeEfFgGcrsa":
        raise ValueError(f"unsupported format character {kind!r} ({ord(kind):#x}) at index {match.end() - 1}")
    if kind in "sra":
        value, kind = formatted(value, "", kind), "s"
    elif kind != "c" and not isinstance(value, int | float) and hasattr(value, "__float__"):
        value = float(value)
    return f"%{flags}{width}{precision or ''}{kind}" % (value,)


def _whole(value: Any) -> int:
    if not isinstance(value, int):
        raise TypeError("* wants int")
    return value
