"""`template % values`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.text.formatting import check_width, formatted
from gradcli.script.python.values.nesting import ATOMS

CONVERSION = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-+ #0]*)(?P<width>\*|\d*)(?P<precision>\.(?:\*|\d*))?[hlL]?(?P<kind>.?)", re.S
)
UNSURE = re.compile(r"\d{5}|\*")  # perhaps a wide field


class Values:
    """The right side of `%`: a mapping, a tuple of values, or one value."""

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
