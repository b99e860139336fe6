"""`template % values`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.text.formatting import check_width, represent, text
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
