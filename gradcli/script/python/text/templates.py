"""`str.format`: its fields reach values only as the snippet itself could."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.text.formatting import check_width, format_field, represent, text
from gradcli.script.python.values.attributes import attribute
from gradcli.script.python.values.nesting import ATOMS

UNSURE = re.compile(r"\d{5}|\*")  # perhaps a wide field


class Shown:
    """A value for Python's `%`, whose texts are those of snippets."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __str__(self) -> str:
        return text(self.value)

    def __repr__(self) -> str:
        return represent(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)


Shown.__name__ = "object"  # as Python's own messages name it


def percent(template: str, given: Any) -> str:
    """`template % given`."""
    running.machine.budget.fits(len(template), "the text")
    if isinstance(given, Mapping):
        values: Any = {key: shown(value) for key, value in given.items()}
    else:
        values = tuple(map(shown, given if isinstance(given, tuple) else (given,)))
    if UNSURE.search(template):
        check_width(template)
        for value in values if "*" in template else ():
            check_width(str(value) if type(value) is int else "")
    result = str(template % values)
    running.machine.budget.fits(len(result), "the text")
    return result


def shown(value: Any) -> Any:
    return value if type(value) in ATOMS else Shown(value)


class Arguments:
    """The arguments of a template, which its fields find by name or number."""

    def __init__(self, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        self.values = values
        self.named = named
        self.count = 0
        self.is_numbered: bool | None = None

    def find(self, first: str) -> Any:
        """Return the value of a field's name or number; a field without one takes the next."""
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
            pieces.append(format_field(value, _fields(spec, arguments, depth - 1) if spec else "", conversion or ""))
        length += len(literal) + len(pieces[-1])
        running.machine.budget.fits(length, "the text")
    return "".join(pieces)


def _path(field: str) -> tuple[str, list[tuple[bool, Any]]]:
    """Split `0.name[key]` into its first part and a list of (is an attribute, key)."""
    first = re.match(r"[^.\[]*", field)
    assert first is not None
    rest = [
        (bool(name), name or (int(key) if key.isdigit() else key))
        for name, key in re.findall(r"\.([^.\[]+)|\[([^\]]*)\]", field[first.end() :])
    ]
    return first.group(), rest
