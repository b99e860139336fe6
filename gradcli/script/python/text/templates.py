"""`str.format`: its fields reach values only as the snippet itself could."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.text.formatting import formatted
from gradcli.script.python.values.attributes import attribute


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
            pieces.append(formatted(value, _fields(spec, arguments, depth - 1) if spec else "", conversion or ""))
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
